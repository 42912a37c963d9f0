import { anyObject, type FilledArguments } from '../../tool.ts';
import { sandboxes } from '../agents/sandbox.ts';
import { applyModes } from '../workspace/apply-mode.ts';
import { answerSchema } from './answer.ts';
import { budgetSchema } from './budget.ts';
import { skillModes } from './skill-selection.ts';

const shared = {
  cwd: { type: 'string', minLength: 1, description: 'Absolute path to work in' },
  role: {
    type: 'string',
    default: 'specialist',
    description: 'E.g. reviewer, or a prompt',
  },
  agent: { type: 'string', minLength: 1, description: 'E.g. codex, claude' },
  model: { type: 'string', description: 'Default: as configured' },
  reasoning_effort: { type: 'string', description: 'E.g. high' },
  config_overrides: {
    type: 'array',
    items: { type: 'string' },
    description: 'Agent settings as key=value',
  },
  skills_mode: {
    enum: skillModes,
    default: 'auto',
    description: 'Skills: chosen by task, those named, or none',
  },
  skills: { type: 'array', items: { type: 'string' }, description: 'Names, for mode explicit' },
  max_skills: { type: 'number', minimum: 0, default: 3, description: 'Limit for mode auto' },
  include_repo_skills: { type: 'boolean', default: true, description: 'Search from cwd upwards' },
  include_global_skills: { type: 'boolean', default: true, description: "Search the user's skills" },
  sandbox: {
    enum: sandboxes,
    default: 'read-only',
    description: 'At most what the caller has',
  },
  apply: {
    enum: applyModes,
    description: 'Changes the folder at the end, on apply_run, or never (a branch)',
  },
  skip_git_repo_check: {
    type: 'boolean',
    default: false,
    description: 'Allow cwd outside git',
  },
  notify: { type: 'string', minLength: 1, description: 'Who is told of the end: me, a person, nobody' },
  approvals: {
    enum: ['never', 'ask'],
    description: 'Whether the agent may ask; at most what delegate.approvals allows',
  },
  budget: { ...budgetSchema, description: 'Limits, besides delegate.budgets' },
} as const;

export const runInput = {
  type: 'object',
  required: ['task', 'cwd'],
  properties: {
    task: {
      type: 'string',
      minLength: 1,
      description: 'Whole task; it sees nothing else. A leading :command expands a prompt',
    },
    ...shared,
  },
} as const;

export const resumeInput = {
  type: 'object',
  required: ['thread_id', 'cwd'],
  properties: {
    thread_id: {
      type: 'string',
      minLength: 1,
      description: 'subagent_thread_id of a run, or name of a thread',
    },
    task: { type: 'string', description: 'Follow-up. Default: continue' },
    ...shared,
  },
} as const;

export type RunInput = FilledArguments<typeof runInput>;
export type ResumeInput = FilledArguments<typeof resumeInput>;
/** A new thread that begins with the history of another one, up to and including a turn. */
export type ForkInput = ResumeInput & {
  readonly fork: { readonly run_id: string; readonly lastTurnId?: string };
};
export type StartingTool = 'delegate_run' | 'delegate_resume' | 'fork_run';

const text = { type: 'string' } as const;
const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const;
const change = { enum: ['added', 'modified', 'deleted'] } as const;

/** The changes that the server observed, as `src/delegate/workspace/evidence.ts` explains them. */
const evidenceSchema = {
  type: 'object',
  required: ['method', 'complete', 'files', 'omitted'],
  properties: {
    method: { enum: ['overlay', 'copy', 'none', 'git', 'walk'] },
    complete: { type: 'boolean' },
    files: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'status'],
        properties: {
          path: text,
          status: { enum: ['verified', 'missing', 'unchanged', 'unreported', 'unchecked'] },
          change,
        },
      },
    },
    omitted: { type: 'integer' },
    checks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['command', 'status', 'exit_code', 'output'],
        properties: {
          command: text,
          status: { enum: ['passed', 'failed', 'timed-out', 'refused'] },
          exit_code: { anyOf: [{ type: 'number' }, { type: 'null' }] },
          output: text,
        },
      },
    },
  },
} as const;

export const timingSchema = {
  type: 'object',
  required: ['started_at', 'finished_at', 'duration_ms'],
  properties: { started_at: text, finished_at: text, duration_ms: { type: 'number' } },
} as const;

export const artifactsSchema = {
  type: 'array',
  items: { type: 'object', required: ['name', 'path'], properties: { name: text, path: text } },
} as const;

export const tokenCounts = {
  type: 'object',
  required: ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_output_tokens'],
  properties: {
    input_tokens: { type: 'number' },
    cached_input_tokens: { type: 'number' },
    output_tokens: { type: 'number' },
    reasoning_output_tokens: { type: 'number' },
  },
} as const;
export const usageSchema = { anyOf: [tokenCounts, { type: 'null' }] } as const;

/** Every final status except under the delegate contract, which does not know `completed_with_problems`. */
export const runStatuses = ['completed', 'completed_with_problems', 'failed', 'cancelled'] as const;

export const listedStatuses = ['waiting', 'running', 'interrupted', ...runStatuses] as const;

const host = { type: 'string', description: 'The machine that has it, where that is another one.' } as const;

export const runListSchema = {
  type: 'object',
  required: ['runs'],
  properties: {
    runs: {
      type: 'array',
      items: {
        type: 'object',
        required: [
          'run_id',
          'tool',
          'status',
          'started_at',
          'duration_ms',
          'subagent_thread_id',
          'cwd',
          'task',
          'summary',
          'error',
        ],
        properties: {
          run_id: text,
          tool: text,
          status: { enum: listedStatuses },
          started_at: text,
          duration_ms: { type: 'number' },
          usage: usageSchema,
          subagent_thread_id: nullable,
          agent: text,
          cwd: text,
          task: text,
          summary: text,
          error: nullable,
          host,
          actor: { type: 'string', description: 'Who started it; absent for the owner' },
        },
      },
    },
    next: { type: 'string', description: 'What to give as `before` for older ones; absent at the end.' },
  },
} as const;

const { summary, deliverables, open_questions, next_actions } = answerSchema.properties;

const place = ['run_id', 'run_dir', 'subagent_thread_id'] as const;
const end = ['timing', 'status', 'error'] as const;
const runRequired = [...place, 'selected_skills', ...answerSchema.required, 'artifacts', ...end] as const;

const outcome = {
  run_id: text,
  run_dir: text,
  subagent_thread_id: nullable,
  selected_skills: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name', 'origin', 'path'],
      properties: { name: text, description: text, origin: { enum: ['repo', 'global'] }, path: text },
    },
  },
  summary,
  deliverables,
  open_questions,
  next_actions,
  artifacts: artifactsSchema,
  timing: timingSchema,
} as const;

const details = {
  usage: usageSchema,
  evidence: { anyOf: [anyObject(evidenceSchema), { type: 'null' }] },
  warnings: { type: 'array', items: text },
  ended_processes: {
    type: 'array',
    items: {
      type: 'object',
      required: ['pid', 'command', 'by'],
      properties: { pid: { type: 'number' }, command: text, by: { enum: ['SIGINT', 'SIGKILL'] } },
    },
  },
} as const;

/** A finished run, as the delegate contract defines it. */
export const finishedRunSchema = {
  type: 'object',
  required: runRequired,
  properties: {
    ...outcome,
    status: { enum: ['completed', 'failed', 'cancelled'] },
    error: nullable,
    ...details,
  },
} as const;

const { items: skillSchema } = outcome.selected_skills;
/** The skills of a run, with the reasons why they were offered. */
export const shownSkills = {
  type: 'array',
  items: { ...skillSchema, properties: { ...skillSchema.properties, reason: text } },
} as const;
const { name, origin } = skillSchema.properties;
/** The same without paths and descriptions, of which only the agent has a use. */
const briefSkills = {
  type: 'array',
  items: { type: 'object', required: ['name', 'origin'], properties: { name, origin, reason: text } },
} as const;

/** Who did the work and what it cost. Not part of the delegate contract. */
export const workSchema = {
  agent: text,
  protocol: text,
  model: text,
  cost_usd: { anyOf: [{ type: 'number' }, { type: 'null' }] },
} as const;

/** A run that may still be in progress, on this machine or another. */
export const runSchema = {
  type: 'object',
  required: runRequired,
  properties: {
    ...outcome,
    status: { enum: [...runStatuses, 'running', 'interrupted'] },
    error: nullable,
    host,
    ...details,
  },
} as const;

const { artifacts: _, selected_skills: __, ...briefProperties } = runSchema.properties;
/** A run as the call that started it reports it: without the paths of its files, and without empty lists. */
export const briefRunSchema = {
  type: 'object',
  required: [...place, ...answerSchema.required, ...end],
  properties: { ...briefProperties, selected_skills: briefSkills },
} as const;
