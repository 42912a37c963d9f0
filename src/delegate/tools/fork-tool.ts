import { Failure } from '../../failure.ts';
import { defineTool } from '../../tool.ts';
import type { Agent } from '../agents/agent.ts';
import { shortRunSchema } from '../autopilot/autopilot-schema.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import { type ForkInput, resumeInput } from '../run/run-schema.ts';
import { readRunState } from '../run/run-state.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { runId } from './run-change-tools.ts';
import type { Runs } from './runs.ts';
import { runStarter } from './starter.ts';

const { cwd, model, reasoning_effort, sandbox, apply, notify } = resumeInput.properties;

const inputSchema = {
  type: 'object',
  required: ['run_id', 'task'],
  properties: {
    run_id: runId,
    task: { type: 'string', minLength: 1, description: 'What to do from that point on' },
    turn: {
      type: 'integer',
      minimum: 1,
      description: 'Last turn to keep, from 1. Default: all',
    },
    cwd: { ...cwd, description: 'Default: that of the run' },
    model,
    reasoning_effort,
    sandbox,
    apply,
    notify,
  },
} as const;

/** The tool that starts a run with the history of an earlier one. */
export function forkTool(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  const start = runStarter('fork_run', options, runtime);
  return defineTool({
    name: 'fork_run',
    toolsets: ['delegate'],
    scope: 'delegate:read-only',
    title: 'Fork Run',
    description:
      'Starts a new run whose agent knows everything up to a turn of an earlier run, which stays as it is.',
    searchHint: 'branch try alternative subagent thread',
    phrases:
      'fork branch try another alternative different way from earlier point of a run thread copy conversation split variant second attempt same start again what if experiment helper agent kept context history',
    inputSchema,
    outputSchema: shortRunSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    async call({ run_id, turn, ...given }, context) {
      const { runs, delegation } = await runtime();
      const own = runs.visibleTo(context.actor);
      const { thread, request, start: started, folder } = await describeRun(own, run_id);
      refuseFork(delegation.findAgent(started), turn);
      const turnIds = turn === undefined ? [] : await own.turns(run_id);
      const lastTurnId = turn === undefined ? undefined : turnIds[turn - 1];
      if (turn !== undefined && lastTurnId === undefined)
        throw new Failure(
          'refused',
          `Run ${run_id} has ${turnIds.length} turns, so there is no turn ${turn}.`,
        );
      return start(
        {
          ...defaults,
          cwd: folder,
          skip_git_repo_check: request['skip_git_repo_check'] === true,
          ...(typeof request['model'] === 'string' && { model: request['model'] }),
          ...given,
          thread_id: thread,
          fork: { run_id, ...(lastTurnId !== undefined && { lastTurnId }) },
        } as ForkInput,
        context,
      );
    },
  });
}

/** What a thread that goes on needs no more. */
const defaults = { role: 'specialist', skills_mode: 'none', max_skills: 0, sandbox: 'read-only' };

async function describeRun(runs: Runs, id: string) {
  const { record, overview, autopilot } = await runs.account(id);
  if (autopilot !== undefined)
    throw new Failure(
      'refused',
      `Run ${id} is an autopilot. Fork one of its jobs: ${autopilot.jobs.map((job) => job.run_id).join(', ') || 'there are none yet'}.`,
    );
  if (overview.host !== undefined)
    throw new Failure('refused', `Run ${id} is on ${overview.host}. Use a server on that machine.`);
  const thread = record.subagent_thread_id;
  if (thread === null)
    throw new Failure('refused', `Run ${id} has no thread, because its agent did not start.`);
  const { call, start } = (await readRunState(record.run_dir)) ?? {};
  return { thread, request: call?.input ?? {}, start, folder: overview.cwd };
}

/** Refuses what the agent cannot do, before a run is started. */
function refuseFork({ label, profile, forksAtTurn }: Agent, turn: number | undefined): void {
  const can = new Set<string>(profile.can);
  if (!can.has('fork')) {
    const resume = can.has('resume') ? 'Continue its thread with delegate_resume, or s' : 'S';
    throw new Failure(
      'refused',
      `${label} cannot fork a run. ${resume}tart a new run with delegate_run and describe what is known.`,
    );
  }
  if (turn !== undefined && !forksAtTurn)
    throw new Failure('refused', `${label} can fork a run only with all its turns. Leave out turn.`);
}
