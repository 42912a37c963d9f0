import { defineTool } from '../../tool.ts';
import {
  autopilotInput,
  autopilotSchema,
  documentedAutopilotInput,
  documentedMaxSkills,
  finishedAutopilotSchema,
  shortRunSchema,
} from '../autopilot/autopilot-schema.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import { finishedRunSchema, resumeInput, runInput } from '../run/run-schema.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { autopilotStarter, runStarter } from './starter.ts';

/** Expert arguments, which `standard` accepts without listing them: models do not need them, and every list costs. */
const unlisted = [
  'config_overrides',
  'max_skills',
  'include_repo_skills',
  'include_global_skills',
  'max_parallel',
  'approvals',
  'budget',
];

/** The schema as tool lists announce it. The type stays that of all arguments. */
function announced<Schema extends { readonly properties: object }>(
  schema: Schema,
  ...more: readonly string[]
): Schema {
  const properties = Object.entries(schema.properties).filter(
    ([name]) => !unlisted.includes(name) && !more.includes(name),
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** The document has no choice of agents and no messages to people, offers more skills, and its runs always apply their changes. */
function documented<Schema extends { readonly properties: object }>(schema: Schema): Schema {
  const {
    agent: _,
    apply: __,
    notify: ___,
    approvals: ____,
    budget: _____,
    ...properties
  } = schema.properties as Readonly<Record<string, unknown>>;
  return { ...schema, properties: { ...properties, max_skills: documentedMaxSkills } };
}

/** The tools that start sub-agents. */
export function delegateTools(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  const callAutopilot = autopilotStarter(options, runtime);

  const accepted: typeof documented = (schema) => (options.document ? documented(schema) : schema);
  const outputSchema = options.document
    ? (finishedRunSchema as unknown as typeof shortRunSchema)
    : shortRunSchema;
  // Sub-agents can overwrite files and send data to a remote model.
  const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
  return [
    defineTool({
      name: 'delegate_run',
      toolsets: ['delegate'],
      scope: 'delegate:read-only',
      core: true,
      view: 'run',
      title: 'Delegate Run',
      description:
        'Gives a self-contained task to a sub-agent with a fresh context: reviews, research, separate changes; not small edits. Returns status, summary, deliverables, open questions and changed files. If status is running, call collect_run.',
      searchHint: 'subagent sub-agent codex claude task',
      alwaysLoad: true,
      phrases:
        'delegate agent sub-agent codex claude task work investigate explain repository bug fresh context background helper assistant someone somebody else do job for me hand over outsource assign send off research review code look into chore errand deputy specialist second opinion study write fix build start launch',
      inputSchema: announced(runInput),
      acceptedSchema: accepted(runInput),
      outputSchema,
      annotations,
      call: runStarter('delegate_run', options, runtime),
    }),
    defineTool({
      name: 'delegate_resume',
      toolsets: ['delegate'],
      scope: 'delegate:read-only',
      inViews: true,
      view: 'run',
      title: 'Delegate Resume',
      description:
        'Continues the thread of an earlier sub-agent, for follow-ups and after interruptions. Returns the same as delegate_run.',
      searchHint: 'continue follow-up subagent thread',
      phrases:
        'continue resume follow-up question same thread earlier conversation sub-agent answer reply helper agent ask more carry on go on pick up where stopped left off interrupted further additional add to respond correction tell proceed another thing chat talk back again keep going previous',
      inputSchema: announced(resumeInput, 'role', 'skills_mode', 'skills'),
      // The thread has a role and skills already.
      acceptedSchema: accepted(resumeInput),
      outputSchema,
      annotations,
      call: runStarter('delegate_resume', options, runtime),
    }),
    defineTool({
      name: 'delegate_autopilot',
      toolsets: ['delegate'],
      scope: 'delegate:read-only',
      view: 'run',
      title: 'Delegate Autopilot',
      description:
        'Runs a large task as a graph of jobs for several sub-agents and combines their results. A model plans the jobs, unless you pass them. Returns plan, jobs and aggregate, or why no plan is needed.',
      searchHint: 'parallel multiple subagents split plan',
      phrases:
        'plan split distribute large big huge task several jobs agents parallel workers refactoring team break up divide share among between helpers pieces parts simultaneously same time at once project many crew group swarm coordinate tackle massive whole codebase manage automatically multiple sides angles hands giant enormous attack',
      inputSchema: announced(autopilotInput),
      acceptedSchema: options.document
        ? (documentedAutopilotInput as unknown as typeof autopilotInput)
        : autopilotInput,
      outputSchema: options.document
        ? (finishedAutopilotSchema as unknown as typeof autopilotSchema)
        : autopilotSchema,
      annotations,
      call: (input, context) => {
        const { jobs: _, agents: __, notify: ___, ...documented } = input;
        return callAutopilot(options.document ? documented : input, context);
      },
    }),
  ];
}
