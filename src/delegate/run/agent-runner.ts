import { Failure } from '../../failure.ts';
import type { Agent, AgentName } from '../agents/agent.ts';
import { type Agents, createAgents } from '../agents/agents.ts';
import { recordBefore } from '../changes/change-recorder.ts';
import { createRedaction, type Redact } from '../files/redaction.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { type ContainedAgent, startAgent } from '../process/agent-process.ts';
import { type Containment, contain } from '../process/containment.ts';
import { terminateRun } from '../process/process-end.ts';
import { WakeSignal } from '../process/wake-signal.ts';
import type { Stop } from '../record/outcome.ts';
import { RunProgress } from '../record/run-progress.ts';
import type { RunHooks, RunRequest, RunResult } from '../record/run-request.ts';
import { followRun, type Limits, requestedStop } from './follower.ts';
import type { OpenRun } from './open-run.ts';
import { prepareRun } from './preparation.ts';
import { describeStorageError, type FinishedRun, finishRun } from './run-finish.ts';
import { RunQueue } from './run-queue.ts';
import { recoverRuns } from './run-recovery.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type RunnerOptions = Parameters<typeof createAgents>[0] & {
  readonly agent: AgentName;
  readonly env: Environment;
  /** Variables whose secret values are redacted. Default: `env`. */
  readonly knownVariables?: Environment;
  readonly queueFile: string;
  readonly runsDir: string;
  /** Maximum number of running agents, counted over all runs of the user. */
  readonly maxParallel: number;
  readonly limits: Limits;
  /** How the processes of an agent are kept together. Default: the best way that works. */
  readonly containment?: Containment | 'auto';
};

/** A run whose agent is ready to start. */
export interface PreparedRun extends ContainedAgent {
  /** False if the run has to wait for other runs. */
  readonly isNext: boolean;
}

type UnfinishedRun = Omit<FinishedRun, 'queue' | 'redact' | 'env' | 'ignored' | 'progress'> &
  Partial<Pick<FinishedRun, 'progress'>>;

const pollIntervalMs = 100;
/** How often a waiting run checks whether the runs before it are still alive. */
const livenessCheckMs = 2_000;

/** Runs agents. */
export class AgentRunner {
  readonly agents: Agents;
  readonly redact: Redact;
  readonly #options: RunnerOptions;
  #queue: Promise<RunQueue> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.agents = createAgents(options);
    this.redact = createRedaction(options.knownVariables ?? options.env);
  }

  get queue(): Promise<RunQueue> {
    this.#queue ??= RunQueue.open(this.#options.queueFile).catch((error: unknown) => {
      this.#queue = undefined;
      throw error;
    });
    return this.#queue;
  }

  /** The agent for new runs. */
  get agent(): Agent {
    return this.agents[this.#options.agent];
  }

  /** Writes the input of an agent, and takes a place in the queue if one is free. */
  async prepare(request: RunRequest): Promise<PreparedRun> {
    await this.enqueue(request);
    const invocation = await prepareRun(this.agent, request);
    const queue = await this.queue;
    await this.#recordEarlierUsage(queue, request);
    const { path } = request.directory;
    const isCancelled = requestedStop(undefined, queue, path) !== undefined;
    const isNext = !isCancelled && (await this.#tryStart(queue, path));
    if (isNext) await this.#recordBefore(request);
    const program = await contain(invocation, request.cwd, {
      ...request,
      env: this.#options.env,
      containment: this.#options.containment,
      isUnrestricted: request.sandbox === 'danger-full-access',
      endsWithParent: true,
    });
    return { invocation, program, isNext };
  }

  /** Runs an agent from an empty run directory to `result.json`. */
  async run(request: RunRequest, hooks: RunHooks, prepared?: PreparedRun): Promise<RunResult> {
    const { directory } = request;
    const { agent } = this;
    const { signal } = hooks;
    const wakeSignal = new WakeSignal();
    const wake = () => wakeSignal.notify();
    const limits = {
      ...this.#options.limits,
      ...(request.totalTimeoutMs !== undefined && { total: request.totalTimeoutMs }),
    };
    signal.addEventListener('abort', wake);
    try {
      const receivedAt = new Date();
      const ready = prepared ?? (await this.prepare(request));
      if (signal.aborted || !ready.isNext) {
        const stop = await this.#waitForTurn(await this.queue, request, wakeSignal, hooks);
        if (stop !== undefined) return await this.finish({ directory, agent, startedAt: receivedAt, stop });
        await this.#recordBefore(request);
      }
      hooks.onState?.('running');
      const startedAt = new Date();
      const process = await startAgent(directory, ready, request, this.#options.env, wake);
      const queue = await this.queue;
      if (process.identity !== undefined) queue.recordProcess(directory.path, process.identity);
      // Checked during the run, so that the answer is ready when the run finishes.
      const sandboxWorks =
        request.sandbox === 'danger-full-access' || agent.sandboxWorks === undefined
          ? undefined
          : queue.checkOnce(`sandbox of ${ready.invocation.command}`, agent.sandboxWorks).catch(() => true);
      const followed = await followRun({
        directory,
        agent,
        queue,
        process,
        redact: this.redact,
        limits,
        startedAt,
        signal,
        wakeSignal,
        ...(hooks.onEvent && { onEvent: hooks.onEvent }),
      }).catch(async (error: unknown) => {
        // An agent that cannot be followed must not keep running unobserved.
        await terminateRun(process.identity, directory.id, limits.grace);
        throw error;
      });
      const { spawnError } = followed.exit;
      return await this.finish({
        directory,
        agent,
        startedAt,
        ...followed,
        ...(sandboxWorks && { sandboxWorks }),
        ...(spawnError !== undefined && { spawnError }),
      });
    } catch (error) {
      // Refusals and system errors (missing program or folder, full disk) become a failed result.
      if (!(error instanceof Failure || isSystemError(error))) throw error;
      return await this.refuse(directory, describeStorageError(error, directory));
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /**
   * Adds a run to the queue. Servers do this on arrival, before preparing the run, so that queue order is arrival order. False
   * if it is in the queue already.
   */
  async enqueue({
    directory: { path, id },
    tool,
    threadId = null,
    state = 'waiting',
  }: Pick<RunRequest, 'tool'> & {
    readonly directory: Pick<RunDirectory, 'path' | 'id'>;
    readonly threadId?: string | null;
    readonly state?: OpenRun['state'];
  }): Promise<boolean> {
    const { agent } = this.#options;
    return (await this.queue).enqueue({ directory: path, runId: id, agent, tool, threadId, state });
  }

  /** Writes a failed result for a run that is not started. */
  refuse(directory: RunDirectory, reason: string): Promise<RunResult> {
    return this.finish({ directory, agent: this.agent, startedAt: new Date(), spawnError: reason });
  }

  /** Writes the result of a run whose agent has exited or was not started. */
  finish(run: UnfinishedRun): Promise<RunResult> {
    const { env, runsDir } = this.#options;
    return this.queue.then((queue) =>
      finishRun({
        progress: new RunProgress(),
        ...run,
        queue,
        redact: this.redact,
        env,
        ignored: [runsDir],
      }),
    );
  }

  /** Records the state of the working folder just before an agent that may write starts. */
  async #recordBefore({ directory, cwd, sandbox }: RunRequest): Promise<void> {
    const { env, runsDir } = this.#options;
    if (sandbox !== 'read-only') await recordBefore(directory, { cwd, env, ignored: [runsDir] });
  }

  /** Records what a thread from outside Adjutant has used so far, so that this run's usage excludes it. */
  async #recordEarlierUsage(queue: RunQueue, { directory, threadId }: RunRequest): Promise<void> {
    if (threadId === undefined || queue.threadUsage(threadId) !== undefined) return;
    const total = await this.agent.threadTotal?.(threadId).catch(() => undefined);
    if (total === undefined) return;
    queue.recordThread(directory.path, directory.id, threadId);
    queue.recordUsage(threadId, total);
  }

  /** Returns nothing when the run may start, or the reason why it will not start. */
  async #waitForTurn(
    queue: RunQueue,
    { directory: { path } }: RunRequest,
    wakeSignal: WakeSignal,
    { signal, onState }: RunHooks,
  ): Promise<Stop | undefined> {
    let version: number | undefined;
    let checkedAt = Number.NEGATIVE_INFINITY;
    for (let first = true; ; first = false) {
      const stop = requestedStop(signal, queue, path);
      if (stop !== undefined) return stop;
      // Nothing can have changed for this run if nobody has changed the queue and nobody has died.
      const isDue = performance.now() - checkedAt > livenessCheckMs;
      if (isDue && !first) await recoverRuns(this);
      if (queue.version !== version || isDue) {
        version = queue.version;
        checkedAt = performance.now();
        if (await this.#tryStart(queue, path)) return undefined;
      }
      if (first) onState?.('waiting');
      await wakeSignal.wait(pollIntervalMs);
    }
  }

  #tryStart(queue: RunQueue, path: string): Promise<boolean> {
    return queue.tryStart(path, this.#options.maxParallel, new Date().toISOString());
  }

  async close(): Promise<void> {
    const queue = await this.#queue?.catch(() => undefined);
    this.#queue = undefined;
    queue?.close();
  }
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}
