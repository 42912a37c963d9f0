import type { Actor, Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { CallFeature } from '../../feature-api.ts';
import { isObject } from '../../json.ts';
import type { Budget, Routine } from '../definition/routine.ts';

export interface RunStart {
  readonly task: string;
  readonly routine: Routine;
}

export interface RunState {
  readonly runId: string;
  readonly isOpen: boolean;
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** False for a run whose agent never began to work, such as one that could not be found or is not signed in. */
  readonly hasStarted: boolean;
  /** Summary, or the error of a run that failed. */
  readonly result: string;
  readonly tokens: number;
  readonly usd?: number;
}

/** How routines start runs and follow them: the same tools as a client, with the rights of the actor. */
export interface RunPort {
  /** Throws a failure if the run could not start. */
  start(start: RunStart, actor: Actor): Promise<RunState>;
  /** Undefined if there is no such run any more. */
  find(runId: string, actor: Actor): Promise<RunState | undefined>;
  /** The run whose task contains a text, if a process was killed while it started the run. */
  search(text: string, sinceMs: number, actor: Actor): Promise<RunState | undefined>;
}

export function createRunPort(call: CallFeature): RunPort {
  const find: RunPort['find'] = async (runId, actor) => {
    try {
      return stateOf(await call('show_run', { run_id: runId }, contextOf(actor)));
    } catch (error) {
      if (error instanceof Failure && error.kind === 'resource-not-found') return undefined;
      throw error;
    }
  };
  return {
    async start({ task, routine }, actor) {
      const { cwd, sandbox, apply, agent, model, asks, budget } = routine;
      const run = await call(
        'delegate_run',
        {
          task,
          cwd,
          sandbox,
          apply,
          skip_git_repo_check: true,
          // The loop sends the result itself, so that one message says everything.
          notify: 'nobody',
          approvals: asks ? 'ask' : 'never',
          ...(agent !== undefined && { agent }),
          ...(model !== undefined && { model }),
          ...(budget?.run !== undefined && { budget: budget.run as Budget }),
        },
        contextOf(actor, routine),
      );
      return stateOf(run);
    },
    find,
    async search(text, sinceMs, actor) {
      const since = new Date(sinceMs - 60_000).toISOString();
      const { runs } = await call('list_runs', { text, since, limit: 1 }, contextOf(actor));
      const [run] = runs;
      return run && find(run.run_id, actor);
    },
  };
}

/** The context of a call that a routine makes. Nobody can be asked, and the thread that created it limits it further. */
export function contextOf(actor: Actor, routine?: Pick<Routine, 'creator'>): Context {
  const thread = routine?.creator.thread;
  return {
    actor,
    // Nobody cancels a start: a worker that stops leaves the run to its host.
    signal: new AbortController().signal,
    client: { name: 'adjutant-routines', version: '', protocolVersion: '', capabilities: {} },
    meta: thread === undefined ? {} : { 'x-codex-turn-metadata': thread },
    progress: () => {},
    log: () => {},
    can: () => false,
    ask: () => Promise.reject(new Failure('capability-missing', 'Nobody is present to ask.')),
  };
}

interface AnyRun {
  readonly run_id: string;
  readonly status: string;
  readonly subagent_thread_id: string | null;
  readonly summary: string;
  readonly error: string | null;
  readonly usage?: unknown;
  readonly cost_usd?: unknown;
}

function stateOf(run: object): RunState {
  const { run_id, status, subagent_thread_id, summary, error, usage, cost_usd } = run as AnyRun;
  const isOpen = !['completed', 'completed_with_problems', 'failed', 'cancelled'].includes(status);
  const number = (name: string) => (isObject(usage) ? Number(usage[name] ?? 0) : 0);
  return {
    runId: run_id,
    isOpen,
    status: status === 'failed' || status === 'cancelled' ? status : 'completed',
    hasStarted: status !== 'failed' || subagent_thread_id !== null || isObject(usage),
    result: (error === null || error === '' ? summary : `${error}\n${summary}`).slice(0, 20_000),
    tokens: number('input_tokens') + number('output_tokens'),
    ...(typeof cost_usd === 'number' && { usd: cost_usd }),
  };
}
