import { defineTool } from '../../tool.ts';
import { autopilotInput, autopilotSchema, comparisonSchema } from '../autopilot/autopilot-schema.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { autopilotStarter } from './starter.ts';

const { task, cwd, sandbox, role, skip_git_repo_check, max_parallel, notify } = autopilotInput.properties;
const text = { type: 'string' } as const;
const candidate = {
  type: 'object',
  properties: { agent: text, model: text, reasoning_effort: text },
} as const;

const inputSchema = {
  type: 'object',
  required: ['task', 'candidates'],
  properties: {
    task: { ...task, minLength: 1 },
    candidates: {
      type: 'array',
      items: candidate,
      minItems: 2,
      maxItems: 8,
      description: 'What does the task',
    },
    cwd,
    sandbox,
    role,
    checks: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Commands to pass, e.g. npm test',
    },
    deliver: {
      enum: ['none', 'winner'],
      default: 'none',
      description: 'none: later, with apply_run',
    },
    judge: { ...candidate, description: 'Chooses among those that pass' },
    max_parallel: { ...max_parallel, default: 2, description: 'Candidates at the same time' },
    skip_git_repo_check,
    notify,
  },
} as const;

/** Arguments that models rarely need are accepted without being listed. */
const { role: _, skip_git_repo_check: __, max_parallel: ___, ...announced } = inputSchema.properties;

const outputSchema = {
  ...autopilotSchema,
  properties: {
    ...autopilotSchema.properties,
    comparison: comparisonSchema,
  },
} as const;

/** The tool that gives the same task to several agents and suggests the best result. */
export function compareTool(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  const start = autopilotStarter(options, runtime);
  return defineTool({
    name: 'delegate_compare',
    toolsets: ['delegate'],
    scope: 'delegate:read-only',
    view: 'run',
    title: 'Delegate Compare',
    description:
      'Gives the same task to several agents or models in isolated views of the folder, checks each result and suggests the best.',
    searchHint: 'fan-out judge best agents models side by side',
    phrases:
      'compare contest competition race several agents models same task side by side best winner choose judge tournament which is better codex against versus claude rival rivals candidates results pick both try each compete bake-off evaluate solutions',
    inputSchema: { ...inputSchema, properties: announced } as unknown as typeof inputSchema,
    acceptedSchema: inputSchema,
    outputSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    call: (input, context) => start({ ...defaults, max_agents: input.candidates.length, ...input }, context),
  });
}

/** The arguments of an autopilot that a comparison does not take. */
const defaults = {
  skills_mode: 'auto',
  max_skills: 3,
  include_repo_skills: true,
  include_global_skills: true,
} as const;
