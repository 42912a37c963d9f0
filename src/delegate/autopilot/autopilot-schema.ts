import { anyObject, type FilledArguments } from '../../tool.ts';
import { approvalSchema } from '../agents/protocols/approval.ts';
import { answerSchema } from '../run/answer.ts';
import { thinkingLevels } from '../run/autopilot-settings.ts';
import {
  artifactsSchema,
  briefRunSchema,
  runInput,
  runSchema,
  runStatuses,
  shownSkills,
  timingSchema,
  usageSchema,
  workSchema,
} from '../run/run-schema.ts';
import { maxPlanJobs } from './plan.ts';

const { task, cwd, role, skills_mode, skills, max_skills, include_repo_skills, include_global_skills } =
  runInput.properties;
const { sandbox, apply, skip_git_repo_check, notify } = runInput.properties;

export const autopilotInput = {
  type: 'object',
  required: ['task'],
  properties: {
    task: { ...task, minLength: 0 },
    cwd: { ...cwd, description: "Absolute path to work in. Default: the server's" },
    sandbox: {
      ...sandbox,
      default: 'workspace-write',
      description: 'At most what the caller has',
    },
    apply,
    role,
    skills_mode,
    skills,
    max_skills,
    include_repo_skills,
    include_global_skills,
    skip_git_repo_check,
    agents: {
      type: 'array',
      items: { type: 'string' },
      description: 'For jobs, e.g. codex, claude',
    },
    jobs: {
      type: 'array',
      minItems: 1,
      maxItems: maxPlanJobs,
      description: 'Your plan. Default: a model plans',
      items: {
        type: 'object',
        required: ['task'],
        properties: {
          id: { type: 'string', description: 'Default: job-1 …' },
          task: { type: 'string', description: 'Whole instructions' },
          depends_on: { type: 'array', items: { type: 'string' }, description: 'Ids to wait for' },
          agent: { type: 'string' },
          sandbox: { enum: sandbox.enum },
        },
      },
    },
    max_agents: { type: 'number', minimum: 1, default: 3, description: 'At the same time' },
    max_parallel: { type: 'number', minimum: 1, description: 'The same as max_agents' },
    notify,
  },
} as const;

const {
  agents: _,
  jobs: __,
  apply: ___,
  max_agents,
  max_parallel: _____,
  notify: ______,
  ...sharedInput
} = autopilotInput.properties;

/** The document offers more skills. */
export const documentedMaxSkills = {
  type: 'number',
  minimum: 0,
  default: 6,
  description: max_skills.description,
} as const;

/** The arguments of the delegate contract. Its writing jobs are isolated whatever `worktrees` says. */
export const documentedAutopilotInput = {
  ...autopilotInput,
  properties: {
    ...sharedInput,
    max_skills: documentedMaxSkills,
    max_agents: { ...max_agents, description: 'Jobs in a plan' },
    max_parallel: { type: 'number', minimum: 1, default: 2, description: 'Jobs at the same time' },
    worktrees: { enum: ['never', 'overlap', 'always'] },
  },
} as const;
export type AutopilotInput = FilledArguments<typeof autopilotInput>;

const text = { type: 'string' } as const;
const nullable = { anyOf: [text, { type: 'null' }] } as const;
const texts = { type: 'array', items: text } as const;

const jobSpec = {
  type: 'object',
  required: ['id', 'title', 'thinking_level', 'task', 'sandbox'],
  properties: {
    id: text,
    title: text,
    thinking_level: { enum: thinkingLevels },
    role: text,
    task: text,
    sandbox: { enum: sandbox.enum },
    model: text,
    config_overrides: texts,
    skills_mode: { enum: skills_mode.enum },
    skills: texts,
    max_skills: { type: 'number' },
    depends_on: texts,
    writes: texts,
    acceptance: texts,
  },
} as const;

const jobProperties = {
  patch: {
    type: 'object',
    required: ['path', 'applied', 'conflicts'],
    properties: { path: text, applied: { type: 'boolean' }, conflicts: texts },
  },
} as const;

/** A job as a run. It has other statuses, at the same place, because a contract keeps its bytes. */
type JobRun<Run extends { readonly required: unknown; readonly properties: object }> = {
  readonly required: Run['required'];
  readonly properties: Omit<Run['properties'], 'status'>;
};
const jobRun: JobRun<typeof runSchema> = runSchema;
const briefJobRun: JobRun<typeof briefRunSchema> = briefRunSchema;

function autopilotSchemaFor<
  const JobStatuses extends readonly string[],
  const Statuses extends readonly string[],
  const Job extends object,
  const Sources extends readonly string[],
  const Required extends readonly string[],
  const Properties extends object,
>(
  jobStatuses: JobStatuses,
  statuses: Statuses,
  job: Job,
  sources: Sources,
  run: { readonly required: Required; readonly properties: Properties },
) {
  return {
    type: 'object',
    required: [
      'run_id',
      'run_dir',
      'decision',
      'plan',
      'jobs',
      'aggregate',
      'artifacts',
      'timing',
      'status',
      'error',
    ],
    properties: {
      run_id: text,
      run_dir: text,
      decision: {
        type: 'object',
        required: ['should_delegate', 'reason'],
        properties: { should_delegate: { type: 'boolean' }, reason: text },
      },
      plan: {
        type: 'object',
        required: ['jobs'],
        properties: {
          jobs: { type: 'array', items: job },
          source: { enum: sources },
        },
      },
      jobs: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'title', ...run.required],
          properties: {
            ...run.properties,
            id: text,
            title: text,
            status: { enum: jobStatuses },
            ...jobProperties,
          },
        },
      },
      aggregate: answerSchema,
      artifacts: artifactsSchema,
      timing: timingSchema,
      status: { enum: statuses },
      error: nullable,
      usage: usageSchema,
      warnings: texts,
    },
  } as const;
}

/** A finished autopilot, as the delegate contract defines it. */
export const finishedAutopilotSchema = autopilotSchemaFor(
  ['completed', 'failed', 'cancelled', 'skipped'],
  ['completed', 'failed', 'cancelled'],
  jobSpec,
  ['none', 'model', 'repaired', 'fallback'],
  jobRun,
);

const shortened = {
  type: 'string',
  description: 'Set if long texts and lists are cut: how to get the rest',
} as const;

const liveProperties = {
  ...workSchema,
  approvals: { type: 'array', items: anyObject(approvalSchema) },
  shortened,
} as const;

/** A run as `delegate_run` returns it. */
export const shortRunSchema = {
  ...briefRunSchema,
  properties: { ...briefRunSchema.properties, ...liveProperties },
} as const;

const jobStatuses = [...runStatuses, 'skipped', 'running', 'waiting'] as const;
const openStatuses = [...runStatuses, 'running'] as const;
const openJobSpec = {
  ...jobSpec,
  properties: { ...jobSpec.properties, agent: text, reasoning_effort: text },
};
const sources = ['none', 'caller', 'model', 'repaired', 'fallback'] as const;
const openAutopilotSchema = autopilotSchemaFor(jobStatuses, openStatuses, openJobSpec, sources, jobRun);
const briefAutopilotSchema = autopilotSchemaFor(jobStatuses, openStatuses, openJobSpec, sources, briefJobRun);
const { artifacts: ____, ...briefProperties } = briefAutopilotSchema.properties;

/** An autopilot that may still be in progress, as its call reports it: without the paths of its files. */
export const autopilotSchema = {
  type: 'object',
  required: ['run_id', 'run_dir', 'decision', 'plan', 'jobs', 'aggregate', 'timing', 'status', 'error'],
  properties: { ...briefProperties, shortened },
} as const;

const count = { type: 'integer' } as const;

/** What `delegate_compare` adds to an autopilot. */
export const comparisonSchema = {
  type: 'object',
  required: ['winner', 'reasons', 'is_delivered', 'candidates'],
  properties: {
    winner: { anyOf: [text, { type: 'null' }], description: 'run_id, for apply_run' },
    reasons: { type: 'array', items: text },
    is_delivered: { type: 'boolean' },
    candidates: {
      type: 'array',
      description: 'Best first',
      items: {
        type: 'object',
        required: ['run_id', 'id', 'agent', 'status', 'checks_passed', 'checks', 'unmet_claims'],
        properties: {
          run_id: text,
          id: text,
          agent: text,
          model: text,
          status: text,
          checks_passed: count,
          checks: count,
          unmet_claims: count,
          changed_files: count,
          changed_lines: count,
          tokens: { anyOf: [count, { type: 'null' }] },
          cost_usd: { anyOf: [{ type: 'number' }, { type: 'null' }] },
          duration_ms: { type: 'number' },
          delivery: {
            enum: ['none', 'waiting', 'branch', 'applied', 'undone'],
            description: 'Where its changes are now',
          },
        },
      },
    },
  },
} as const;

const shownAutopilotSchema = {
  ...openAutopilotSchema,
  properties: { ...openAutopilotSchema.properties, shortened, comparison: comparisonSchema },
} as const;

/** A run, with the plan and jobs if it is an autopilot. */
export const shownRunSchema = {
  ...runSchema,
  properties: {
    ...runSchema.properties,
    selected_skills: shownSkills,
    ...liveProperties,
    autopilot: anyObject(shownAutopilotSchema),
  },
} as const;

/** The same as the result of a call that waits for a run or ends it. */
export const endedRunSchema = {
  ...shortRunSchema,
  properties: {
    ...shortRunSchema.properties,
    autopilot: anyObject({
      ...autopilotSchema,
      properties: { ...autopilotSchema.properties, comparison: comparisonSchema },
    }),
  },
} as const;
