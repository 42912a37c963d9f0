import type { XStatic } from 'typebox/schema';
import type { JsonSchema } from '../../json.ts';
import type { AgentName } from '../agents/agent.ts';
import { narrowest, type Sandbox, sandboxes } from '../agents/sandbox.ts';
import { parseWritePath } from '../changes/write-scope.ts';
import { type ThinkingLevel, thinkingLevels } from '../settings/thinking-level.ts';
import type { Decision } from './decision.ts';
import { findCycle } from './job-graph.ts';

/** A job of a plan, without the settings of its agent. */
export interface PlannedJob {
  readonly id: string;
  readonly title: string;
  readonly thinking_level: ThinkingLevel;
  readonly role: string;
  readonly task: string;
  readonly sandbox: Sandbox;
  /** Default: the configured agent. */
  readonly agent?: AgentName;
  /** Ids of the jobs that must complete first. Their results are passed to this job. */
  readonly depends_on: readonly string[];
  /** Paths and globs below the working folder. If empty, a writing job may write anywhere in it. */
  readonly writes: readonly string[];
  /** Names from the shortlist. If `undefined`, skills are selected by the job's task. */
  readonly skills: readonly string[] | undefined;
  /** Commands that must succeed for the job to be completed. */
  readonly acceptance: readonly string[];
}

export interface Plan {
  readonly decision: Decision;
  readonly jobs: readonly PlannedJob[];
}

/** The limits for every plan. */
export interface PlanBounds {
  readonly cwd: string;
  readonly role: string;
  readonly maxAgents: number;
  readonly sandbox: Sandbox;
  /** The agents that a plan may assign. None: the configured one. */
  readonly agents: readonly AgentName[];
  /** The names of the skills that a plan may assign. */
  readonly shortlist: readonly string[];
}

const limits = { id: 40, title: 120, role: 120, task: 20_000, paths: 50, checks: 10, check: 500 } as const;
const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

const jobProperties = {
  id: { ...text, description: 'Short and unique: letters, digits, - and _.' },
  title: { ...text, description: 'A few words for a person.' },
  thinking_level: { type: 'string', enum: thinkingLevels },
  role: { anyOf: [text, { type: 'null' }], description: 'Who should do it, if not the usual specialist.' },
  task: { ...text, description: 'Complete instructions; the agent sees nothing else of this plan.' },
  sandbox: { type: 'string', enum: sandboxes },
  agent: text,
  depends_on: { ...texts, description: 'Ids of jobs whose results it needs.' },
  writes: {
    ...texts,
    description: 'Files or globs it will create or change, relative to the working folder.',
  },
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
        required: [
          'id',
          'title',
          'thinking_level',
          'role',
          'task',
          'sandbox',
          'depends_on',
          'writes',
          'skills',
          'acceptance',
        ],
        properties: jobProperties,
      },
    },
  },
} as const;
type RawPlan = XStatic<typeof planShape>;
type RawJob = RawPlan['jobs'][number];

/** The schema for the planner's answer. It lists only the sandboxes and skills that the plan may use. */
export function planSchema(bounds: PlanBounds): JsonSchema {
  const allowed = sandboxes.filter((sandbox) => narrowest(sandbox, bounds.sandbox) === sandbox);
  const skills =
    bounds.shortlist.length === 0
      ? texts
      : { type: 'array', items: { type: 'string', enum: bounds.shortlist } };
  const { jobs } = planShape.properties;
  const { agent: _, ...fixed } = jobProperties;
  const hasChoice = bounds.agents.length > 1;
  const agent = hasChoice && { agent: { type: 'string', enum: bounds.agents } };
  return {
    ...planShape,
    properties: {
      ...planShape.properties,
      jobs: {
        ...jobs,
        items: {
          ...jobs.items,
          required: [...jobs.items.required, ...(hasChoice ? ['agent'] : [])],
          properties: { ...fixed, sandbox: { type: 'string', enum: allowed }, ...agent, skills },
        },
      },
    },
  };
}

/** The agent of all jobs, if the plan may assign only one. */
export function onlyAgent({ agents }: PlanBounds): AgentName | undefined {
  return agents.length === 1 ? agents[0] : undefined;
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
  const problems = [...graphProblems(jobs, bounds), ...jobs.flatMap((job) => jobProblems(job, bounds))];
  if (problems.length > 0) return { problems };
  return { plan: { decision, jobs: jobs.map((job) => normalizeJob(job, bounds)) } };
}

function graphProblems(jobs: readonly RawJob[], { maxAgents }: PlanBounds): string[] {
  const problems: string[] = [];
  if (jobs.length === 0) problems.push('The plan delegates but has no jobs.');
  if (jobs.length > maxAgents)
    problems.push(`The plan has ${jobs.length} jobs; at most ${maxAgents} are allowed.`);
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
  return problems;
}

function jobProblems(job: RawJob, bounds: PlanBounds): string[] {
  const problems: string[] = [];
  const report = (problem: string) =>
    problems.push(`Job ${JSON.stringify(job.id.slice(0, limits.id))}: ${problem}.`);
  if (!/^[A-Za-z0-9_-]+$/.test(job.id) || job.id.length > limits.id)
    report(`the id must be 1 to ${limits.id} letters, digits, - or _`);
  if (job.title.trim() === '' || job.title.length > limits.title)
    report(`the title must have 1 to ${limits.title} characters`);
  if ((job.role ?? '').length > limits.role) report(`the role must have at most ${limits.role} characters`);
  if (job.task.trim() === '' || job.task.length > limits.task)
    report(`the task must have 1 to ${limits.task} characters`);
  if (narrowest(job.sandbox, bounds.sandbox) !== job.sandbox)
    report(`the sandbox ${job.sandbox} is wider than the granted ${bounds.sandbox}`);
  if (job.sandbox === 'read-only' && job.writes.length > 0)
    report('it is read-only but lists files to write');
  if (job.writes.length > limits.paths) report(`it lists more than ${limits.paths} paths to write`);
  for (const path of job.writes) {
    const parsed = parseWritePath(path, bounds.cwd);
    if ('problem' in parsed) report(parsed.problem);
  }
  if (job.agent !== undefined && !bounds.agents.includes(job.agent))
    report(`the agent ${JSON.stringify(job.agent)} is not on the list`);
  for (const skill of job.skills)
    if (!bounds.shortlist.includes(skill))
      report(`the skill ${JSON.stringify(skill)} is not on the shortlist`);
  if (job.acceptance.length > limits.checks) report(`it has more than ${limits.checks} acceptance checks`);
  for (const check of job.acceptance)
    if (check.trim() === '' || check.length > limits.check || /\p{Cc}/u.test(check))
      report('an acceptance check must be one command on one line');
  return problems;
}

function normalizeJob(job: RawJob, bounds: PlanBounds): PlannedJob {
  const { cwd, role } = bounds;
  const agent = job.agent ?? onlyAgent(bounds);
  const paths = job.writes.flatMap((path) => {
    const parsed = parseWritePath(path, cwd);
    return 'path' in parsed ? [parsed.path] : [];
  });
  return {
    id: job.id,
    title: oneLine(job.title),
    thinking_level: job.thinking_level,
    role: oneLine(job.role ?? '') || role,
    task: job.task.trim(),
    sandbox: job.sandbox,
    ...(agent !== undefined && { agent }),
    depends_on: [...new Set(job.depends_on)],
    writes: [...new Set(paths)],
    skills: [...new Set(job.skills)],
    acceptance: [...new Set(job.acceptance.map((check) => check.trim()))],
  };
}

function oneLine(value: string): string {
  return value.trim().replaceAll(/\s+/g, ' ');
}
