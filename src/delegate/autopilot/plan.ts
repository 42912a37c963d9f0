import type { JsonSchema } from '../../json.ts';
import { truncate } from '../../single-line.ts';
import type { ValueOf } from '../../tool.ts';
import type { AgentName } from '../agents/agent.ts';
import { narrowest, type Sandbox, sandboxes } from '../agents/sandbox.ts';
import { type AutopilotSettings, thinkingLevels } from '../run/autopilot-settings.ts';
import type { SkillMode } from '../run/skill-selection.ts';
import { findCycle } from './job-graph.ts';

export interface Plan {
  readonly decision: Decision;
  readonly jobs: readonly PlannedJob[];
}

/** The most jobs of a plan. */
export const maxPlanJobs = 20;

/** The limits for every plan. */
export interface PlanBounds {
  readonly maxJobs: number;
  readonly sandbox: Sandbox;
  /** The agents that a plan may assign. None: the configured one. */
  readonly agents: readonly AgentName[];
  /** The names of the skills that a plan may assign. */
  readonly shortlist: readonly string[];
}

const limits = { id: 40, title: 120, task: 20_000, checks: 10, check: 500 } as const;
const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

const jobProperties = {
  id: { ...text, description: 'Short and unique: letters, digits, - and _.' },
  title: { ...text, description: 'A few words for a person.' },
  thinking_level: { type: 'string', enum: thinkingLevels },
  task: { ...text, description: 'Complete instructions; the agent sees nothing else of this plan.' },
  sandbox: { type: 'string', enum: sandboxes },
  agent: text,
  depends_on: { ...texts, description: 'Ids of jobs whose results it needs.' },
  skills: texts,
  acceptance: {
    ...texts,
    description: 'Commands without shell syntax that exit with 0 once the job is done.',
  },
} as const;

const planShape = {
  type: 'object',
  additionalProperties: false,
  required: ['should_delegate', 'reason', 'jobs'],
  properties: {
    should_delegate: { type: 'boolean' },
    reason: { ...text, description: 'One sentence.' },
    jobs: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'title', 'thinking_level', 'task', 'sandbox', 'depends_on', 'skills', 'acceptance'],
        properties: jobProperties,
      },
    },
  },
} as const;
type RawPlan = ValueOf<typeof planShape>;
type RawJob = RawPlan['jobs'][number];

/** Whether sub-agents do the task, and why. */
export type Decision = Pick<RawPlan, 'should_delegate' | 'reason'>;

/** A job of a plan, without the settings of its agent. Default: the configured agent. */
export interface PlannedJob extends Omit<RawJob, 'skills'> {
  /** Names from the shortlist. If `undefined`, skills are selected by the job's task. */
  readonly skills: readonly string[] | undefined;
}

/** The schema for the planner's answer. It lists only the agents, sandboxes and skills that the plan may use. */
export function planSchema({ agents, sandbox, shortlist }: PlanBounds): JsonSchema {
  const oneOf = (values: readonly string[]) => ({ type: 'string', enum: values });
  const { jobs } = planShape.properties;
  const { agent: _, ...fixed } = jobProperties;
  const hasChoice = agents.length > 1;
  const properties = {
    ...fixed,
    sandbox: oneOf(sandboxes.filter((one) => narrowest(one, sandbox) === one)),
    ...(hasChoice && { agent: oneOf(agents) }),
    ...(shortlist.length > 0 && { skills: { type: 'array', items: oneOf(shortlist) } }),
  };
  const items = { ...jobs.items, required: Object.keys(properties), properties };
  return { ...planShape, properties: { ...planShape.properties, jobs: { ...jobs, items } } };
}

export type ParsedPlan = { readonly plan: Plan } | { readonly problems: readonly string[] };

/** Turns the planner's answer into a plan within the limits, or lists all problems. */
export async function parsePlan(answer: unknown, bounds: PlanBounds): Promise<ParsedPlan> {
  const { Check, Errors } = await import('typebox/schema');
  if (!Check(planShape, answer)) {
    const errors = Errors(planShape, answer)[1] as { instancePath: string; message: string }[];
    const found = errors
      .slice(0, 5)
      .map(({ instancePath, message }) => `${instancePath || 'The plan'} ${message}.`);
    return { problems: found.length > 0 ? found : ['The plan does not match its schema.'] };
  }
  const { should_delegate, reason, jobs } = answer as RawPlan;
  const decision = { should_delegate, reason: reason.trim() || 'The planner gave no reason.' };
  if (!should_delegate) return { plan: { decision, jobs: [] } };
  const problems = planProblems(jobs, bounds);
  if (problems.length > 0) return { problems };
  return { plan: { decision, jobs: jobs.map((job) => normalizeJob(job, bounds)) } };
}

/** A job as callers pass it. */
export interface CallerJob extends Partial<Pick<PlannedJob, 'id' | 'agent' | 'sandbox' | 'depends_on'>> {
  readonly task: string;
}

/** Turns the jobs of the caller into a plan, or lists all problems. A job without an id is called `job-1`, `job-2` and so on. */
export function planOf(jobs: readonly CallerJob[], bounds: PlanBounds): ParsedPlan {
  const complete = jobs.map((job, at) => {
    const [firstLine = ''] = job.task.trim().split('\n');
    return {
      sandbox: bounds.sandbox,
      depends_on: [],
      ...job,
      id: job.id ?? `job-${at + 1}`,
      title: truncate(firstLine, 60),
      thinking_level: 'medium' as const,
      skills: undefined,
      acceptance: [],
    };
  });
  const problems = planProblems(complete, bounds);
  if (problems.length > 0) return { problems };
  const reason = `The caller passed ${jobs.length === 1 ? 'one job' : `${jobs.length} jobs`}.`;
  return {
    plan: {
      decision: { should_delegate: true, reason },
      jobs: complete.map((job) => normalizeJob(job, bounds)),
    },
  };
}

function planProblems(jobs: readonly PlannedJob[], bounds: PlanBounds): string[] {
  const problems: string[] = [];
  if (jobs.length === 0) problems.push('The plan delegates but has no jobs.');
  if (jobs.length > bounds.maxJobs)
    problems.push(`The plan has ${jobs.length} jobs; at most ${bounds.maxJobs} are allowed.`);
  const ids = new Set<string>();
  for (const { id } of jobs) {
    // Ids become folder names, and some file systems ignore case.
    if (ids.has(id.toLowerCase())) problems.push(`The id ${JSON.stringify(id)} is used twice.`);
    ids.add(id.toLowerCase());
  }
  const known = new Set(jobs.map(({ id }) => id));
  for (const { id, depends_on } of jobs) {
    for (const dependency of depends_on) {
      if (!known.has(dependency))
        problems.push(`Job ${id} depends on ${JSON.stringify(dependency)}, which is not in the plan.`);
    }
  }
  const cycle = findCycle(jobs);
  if (cycle !== undefined) problems.push(`The jobs depend on each other in a cycle: ${cycle.join(' → ')}.`);
  return [...problems, ...jobs.flatMap((job) => jobProblems(job, bounds))];
}

function jobProblems(job: PlannedJob, bounds: PlanBounds): string[] {
  const problems: string[] = [];
  const report = (problem: string) =>
    problems.push(`Job ${JSON.stringify(job.id.slice(0, limits.id))}: ${problem}.`);
  if (!/^[A-Za-z0-9_-]+$/.test(job.id) || job.id.length > limits.id)
    report(`the id must be 1 to ${limits.id} letters, digits, - or _`);
  if (job.task.trim() === '' || job.task.length > limits.task)
    report(`the task must have 1 to ${limits.task} characters`);
  else if (job.title.trim() === '' || job.title.length > limits.title)
    report(`the title must have 1 to ${limits.title} characters`);
  if (narrowest(job.sandbox, bounds.sandbox) !== job.sandbox)
    report(`the sandbox ${job.sandbox} is wider than the granted ${bounds.sandbox}`);
  if (job.agent !== undefined && !bounds.agents.includes(job.agent))
    report(`the agent ${JSON.stringify(job.agent)} is not on the list`);
  for (const skill of job.skills ?? [])
    if (!bounds.shortlist.includes(skill))
      report(`the skill ${JSON.stringify(skill)} is not on the shortlist`);
  if (job.acceptance.length > limits.checks) report(`it has more than ${limits.checks} acceptance checks`);
  for (const check of job.acceptance)
    if (check.trim() === '' || check.length > limits.check || /\p{Cc}/u.test(check))
      report('an acceptance check must be one command on one line');
  return problems;
}

function normalizeJob(job: PlannedJob, { agents }: PlanBounds): PlannedJob {
  const agent = job.agent ?? (agents.length === 1 ? agents[0] : undefined);
  return {
    id: job.id,
    title: job.title.trim().replaceAll(/\s+/g, ' '),
    thinking_level: job.thinking_level,
    task: job.task.trim(),
    sandbox: job.sandbox,
    ...(agent !== undefined && { agent }),
    depends_on: [...new Set(job.depends_on)],
    skills: job.skills && [...new Set(job.skills)],
    acceptance: [...new Set(job.acceptance.map((check) => check.trim()))],
  };
}

/** A planned job with the settings of its agent, as stored in the plan file and sent to clients. */
export interface JobSpec extends Omit<PlannedJob, 'skills'> {
  readonly role: string;
  readonly skills_mode: SkillMode;
  readonly skills?: readonly string[];
  readonly max_skills: number;
  readonly model?: string;
  readonly reasoning_effort?: string;
  readonly config_overrides?: readonly string[];
}

export interface JobSetup extends Pick<AutopilotSettings, 'models' | 'efforts'> {
  readonly role: string;
  /** The configured agent, which the models and efforts are for. */
  readonly agent: AgentName;
  readonly skillsMode: SkillMode;
  /** The skills named by the caller. */
  readonly skills: readonly string[];
  readonly maxSkills: number;
}

/** Applies the settings for a job's thinking level and the caller's choice of skills. */
export function specify({ skills, ...job }: PlannedJob, setup: JobSetup): JobSpec {
  const isConfigured = (job.agent ?? setup.agent) === setup.agent;
  const model = isConfigured ? setup.models[job.thinking_level] : undefined;
  const effort = isConfigured ? setup.efforts[job.thinking_level] : undefined;
  return {
    ...job,
    role: setup.role,
    ...chooseSkills(skills, setup),
    max_skills: setup.maxSkills,
    ...(model !== undefined && { model }),
    ...(effort !== undefined &&
      (setup.agent === 'codex'
        ? { config_overrides: [`model_reasoning_effort=${JSON.stringify(effort)}`] }
        : { reasoning_effort: effort })),
  };
}

function chooseSkills(
  planned: readonly string[] | undefined,
  { skillsMode, skills, maxSkills }: JobSetup,
): Pick<JobSpec, 'skills_mode' | 'skills'> {
  if (skillsMode === 'explicit') return { skills_mode: 'explicit', skills };
  if (skillsMode === 'none' || planned?.length === 0) return { skills_mode: 'none' };
  if (planned === undefined) return { skills_mode: 'auto' };
  return { skills_mode: 'explicit', skills: planned.slice(0, maxSkills) };
}
