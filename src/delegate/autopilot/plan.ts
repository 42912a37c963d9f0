import type { XStatic } from 'typebox/schema';
import type { JsonSchema } from '../../json.ts';
import { narrowest, type Sandbox, sandboxes } from '../agents/sandbox.ts';
import { parseWritePath } from '../changes/write-scope.ts';
import { type ThinkingLevel, thinkingLevels } from '../settings/thinking-level.ts';
import type { Decision } from './decision.ts';
import { findCycle } from './job-graph.ts';

/** One piece of the work, before it is known how its agent will be set up. */
export interface PlannedJob {
  readonly id: string;
  readonly title: string;
  readonly thinking_level: ThinkingLevel;
  readonly role: string;
  readonly task: string;
  readonly sandbox: Sandbox;
  /** Results of these are handed to it; it does not start without them. */
  readonly depends_on: readonly string[];
  /** Paths and globs below the working folder; empty for a writer means anywhere. */
  readonly writes: readonly string[];
  /** Names from the shortlist; `undefined` leaves the choice to the words of its task. */
  readonly skills: readonly string[] | undefined;
  /** Commands that must succeed for the job to count as done. */
  readonly acceptance: readonly string[];
}

export interface Plan {
  readonly decision: Decision;
  readonly jobs: readonly PlannedJob[];
}

/** What no plan may exceed, whoever wrote it. */
export interface PlanBounds {
  readonly cwd: string;
  readonly role: string;
  readonly maxAgents: number;
  readonly sandbox: Sandbox;
  /** The skills a plan may name. */
  readonly shortlist: readonly string[];
}

const most = { id: 40, title: 120, role: 120, task: 20_000, paths: 50, checks: 10, check: 500 } as const;
const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

const jobProperties = {
  id: { ...text, description: 'Short and unique: letters, digits, - and _.' },
  title: { ...text, description: 'A few words for a person.' },
  thinking_level: { type: 'string', enum: thinkingLevels },
  role: { anyOf: [text, { type: 'null' }], description: 'Who should do it, if not the usual specialist.' },
  task: { ...text, description: 'Complete instructions; the agent sees nothing else of this plan.' },
  sandbox: { type: 'string', enum: sandboxes },
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

/** The strict schema the planner answers under: what may not be chosen cannot be written. */
export function planSchema(bounds: PlanBounds): JsonSchema {
  const allowed = sandboxes.filter((sandbox) => narrowest(sandbox, bounds.sandbox) === sandbox);
  const skills =
    bounds.shortlist.length === 0
      ? texts
      : { type: 'array', items: { type: 'string', enum: bounds.shortlist } };
  const { jobs } = planShape.properties;
  return {
    ...planShape,
    properties: {
      ...planShape.properties,
      jobs: {
        ...jobs,
        items: {
          ...jobs.items,
          properties: { ...jobProperties, sandbox: { type: 'string', enum: allowed }, skills },
        },
      },
    },
  };
}

export type ParsedPlan = { readonly plan: Plan } | { readonly problems: readonly string[] };

/** An answer as a plan that keeps to its bounds, or everything that is wrong with it. */
export async function parsePlan(answer: unknown, bounds: PlanBounds): Promise<ParsedPlan> {
  const { Check, Errors } = await import('typebox/schema');
  if (!Check(planShape, answer)) {
    const errors = Errors(planShape, answer)[1] as { instancePath: string; message: string }[];
    const found = errors
      .slice(0, 5)
      .map(({ instancePath, message }) => `${instancePath || 'The plan'} ${message}.`);
    return { problems: found.length > 0 ? found : ['The plan does not fit its schema.'] };
  }
  const { should_delegate, reason, jobs } = answer as RawPlan;
  const decision = { should_delegate, reason: reason.trim() || 'The planner gave no reason.' };
  if (!should_delegate) return { plan: { decision, jobs: [] } };
  const problems = [...graphProblems(jobs, bounds), ...jobs.flatMap((job) => jobProblems(job, bounds))];
  if (problems.length > 0) return { problems };
  return { plan: { decision, jobs: jobs.map((job) => tidy(job, bounds)) } };
}

function graphProblems(jobs: readonly RawJob[], { maxAgents }: PlanBounds): string[] {
  const problems: string[] = [];
  if (jobs.length === 0) problems.push('The plan delegates but has no jobs.');
  if (jobs.length > maxAgents)
    problems.push(`The plan has ${jobs.length} jobs; at most ${maxAgents} are allowed.`);
  const ids = new Set<string>();
  for (const { id } of jobs) {
    // Ids become folders, and some disks do not tell letters from capitals.
    if (ids.has(id.toLowerCase())) problems.push(`The id ${JSON.stringify(id)} is used twice.`);
    ids.add(id.toLowerCase());
  }
  const known = new Set(jobs.map(({ id }) => id));
  for (const { id, depends_on } of jobs) {
    for (const before of depends_on) {
      if (!known.has(before))
        problems.push(`Job ${id} depends on ${JSON.stringify(before)}, which is no job of the plan.`);
    }
  }
  const cycle = findCycle(jobs);
  if (cycle !== undefined) problems.push(`The jobs wait for one another in a circle: ${cycle.join(' → ')}.`);
  return problems;
}

function jobProblems(job: RawJob, bounds: PlanBounds): string[] {
  const problems: string[] = [];
  const say = (problem: string) =>
    problems.push(`Job ${JSON.stringify(job.id.slice(0, most.id))}: ${problem}.`);
  if (!/^[A-Za-z0-9_-]+$/.test(job.id) || job.id.length > most.id)
    say(`the id must be 1 to ${most.id} letters, digits, - or _`);
  if (job.title.trim() === '' || job.title.length > most.title)
    say(`the title must have 1 to ${most.title} characters`);
  if ((job.role ?? '').length > most.role) say(`the role must have at most ${most.role} characters`);
  if (job.task.trim() === '' || job.task.length > most.task)
    say(`the task must have 1 to ${most.task} characters`);
  if (narrowest(job.sandbox, bounds.sandbox) !== job.sandbox)
    say(`the sandbox ${job.sandbox} is more than the ${bounds.sandbox} that was granted`);
  if (job.sandbox === 'read-only' && job.writes.length > 0)
    say('it is read-only and yet lists files to write');
  if (job.writes.length > most.paths) say(`it lists more than ${most.paths} paths to write`);
  for (const written of job.writes) {
    const parsed = parseWritePath(written, bounds.cwd);
    if ('problem' in parsed) say(parsed.problem);
  }
  for (const skill of job.skills)
    if (!bounds.shortlist.includes(skill)) say(`the skill ${JSON.stringify(skill)} is not on the shortlist`);
  if (job.acceptance.length > most.checks) say(`it has more than ${most.checks} acceptance checks`);
  for (const check of job.acceptance)
    if (check.trim() === '' || check.length > most.check || /\p{Cc}/u.test(check))
      say('an acceptance check must be one command on one line');
  return problems;
}

function tidy(job: RawJob, { cwd, role }: PlanBounds): PlannedJob {
  const paths = job.writes.flatMap((written) => {
    const parsed = parseWritePath(written, cwd);
    return 'path' in parsed ? [parsed.path] : [];
  });
  return {
    id: job.id,
    title: oneLine(job.title),
    thinking_level: job.thinking_level,
    role: oneLine(job.role ?? '') || role,
    task: job.task.trim(),
    sandbox: job.sandbox,
    depends_on: [...new Set(job.depends_on)],
    writes: [...new Set(paths)],
    skills: [...new Set(job.skills)],
    acceptance: [...new Set(job.acceptance.map((check) => check.trim()))],
  };
}

function oneLine(written: string): string {
  return written.trim().replaceAll(/\s+/g, ' ');
}
