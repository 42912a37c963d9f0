import { anyObject, type FilledArguments } from '../../tool.ts';
import { approvalSchema } from '../delegation/approval-schema.ts';
import {
  artifactsSchema,
  runInput,
  runRequired,
  runSchema,
  timingSchema,
  usageSchema,
  workSchema,
} from '../delegation/run-schema.ts';
import { answerSchema } from '../record/answer.ts';
import { worktreeRules } from '../settings/autopilot-settings.ts';
import { thinkingLevels } from '../settings/thinking-level.ts';

const { task, cwd, role, skills_mode, skills, max_skills, include_repo_skills, include_global_skills } =
  runInput.properties;
const { sandbox, skip_git_repo_check } = runInput.properties;

export const autopilotInput = {
  type: 'object',
  required: ['task'],
  properties: {
    task: { ...task, minLength: 0 },
    cwd: { ...cwd, description: "Absolute path to work in. Default: the server's" },
    sandbox: {
      ...sandbox,
      default: 'workspace-write',
      description: 'Of any sub-agent; at most what the caller has',
    },
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
      description: 'Agents for its jobs, e.g. codex, claude',
    },
    max_agents: { type: 'number', minimum: 1, default: 3, description: 'Jobs in a plan' },
    max_parallel: {
      type: 'number',
      minimum: 1,
      default: 2,
      description: 'Jobs at the same time',
    },
    worktrees: {
      enum: worktreeRules,
      description:
        'Writing jobs with an isolated view of the folder; overlap: if they may write the same files',
    },
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

function autopilotSchemaFor<
  const JobStatuses extends readonly string[],
  const Statuses extends readonly string[],
  const Job extends object,
>(jobStatuses: JobStatuses, statuses: Statuses, job: Job) {
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
          source: { enum: ['none', 'model', 'repaired', 'fallback'] },
        },
      },
      jobs: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'title', ...runRequired],
          properties: {
            ...runSchema.properties,
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
);

const shortened = {
  type: 'string',
  description: 'Set if long texts and lists are cut: how to get the rest',
} as const;

/** A run as `delegate_run` returns it. */
export const shortRunSchema = {
  ...runSchema,
  properties: {
    ...runSchema.properties,
    ...workSchema,
    approvals: { type: 'array', items: anyObject(approvalSchema) },
    shortened,
  },
} as const;

const openAutopilotSchema = autopilotSchemaFor(
  ['completed', 'completed_with_problems', 'failed', 'cancelled', 'skipped', 'running', 'waiting'],
  ['completed', 'completed_with_problems', 'failed', 'cancelled', 'running'],
  { ...jobSpec, properties: { ...jobSpec.properties, agent: text, reasoning_effort: text } },
);

/** An autopilot that may still be in progress. */
export const autopilotSchema = {
  ...openAutopilotSchema,
  properties: { ...openAutopilotSchema.properties, shortened },
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
            enum: ['nothing', 'kept', 'delivered', 'undone'],
            description: 'Where its changes are now',
          },
        },
      },
    },
  },
} as const;

const shownAutopilotSchema = {
  ...autopilotSchema,
  properties: { ...autopilotSchema.properties, comparison: comparisonSchema },
} as const;

/** A run, with the plan and jobs if it is an autopilot. */
export const shownRunSchema = {
  ...shortRunSchema,
  properties: {
    ...shortRunSchema.properties,
    autopilot: anyObject(shownAutopilotSchema),
  },
} as const;
