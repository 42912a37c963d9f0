import { existsSync } from 'node:fs';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { Agent } from '../agents/agent.ts';
import { recordBefore } from '../changes/change-recorder.ts';
import { RunDirectory } from '../files/run-directory.ts';
import { attachTo, startAgent } from '../process/agent-process.ts';
import { isAlive } from '../process/process-table.ts';
import { WakeSignal } from '../process/wake-signal.ts';
import type { Stop } from '../record/outcome.ts';
import type { RunHooks, RunRequest, RunResult } from '../record/run-request.ts';
import type { Place } from '../workspace/run-place.ts';
import { findUnrecordedProcess, requestedStop } from './follower.ts';
import type { OpenRun } from './open-run.ts';
import { prepareRun } from './preparation.ts';
import { atPlace, placeRun } from './run-placement.ts';
import type { RunQueue } from './run-queue.ts';
import { RunReleased, RunTracker, type TrackerOptions } from './run-tracker.ts';

/** Starts agents, waits for their results, and adopts runs whose server has died. */
export class Supervisor {
  readonly #options: TrackerOptions;
  readonly #tracker: RunTracker;
  #adopted = 0;
  #sweeping: Promise<number> | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#tracker = new RunTracker(options);
  }

  get queue(): Promise<RunQueue> {
    return this.#tracker.queue;
  }

  /** Runs an agent from an empty run directory to `result.json`. */
  run(request: RunRequest, hooks: RunHooks): Promise<RunResult> {
    return this.#tracker.track(this.#run(request, hooks));
  }

  /** Adds a run to the queue. Callers do this on arrival, before preparing the run, so that queue order is arrival order. */
  async enqueue(
    {
      directory,
      tool,
      threadId = null,
    }: Pick<RunRequest, 'directory' | 'tool'> & { threadId?: string | null },
    totalTimeoutMs = this.#options.limits.total,
  ): Promise<void> {
    const { agent } = this.#options;
    const { path, id } = directory;
    (await this.queue).enqueue({ directory: path, runId: id, agent, tool, threadId, totalTimeoutMs });
  }

  /** Writes a failed result for a run that is not started. */
  refuse(directory: RunDirectory, reason: string): Promise<RunResult> {
    const agent = this.#options.agents[this.#options.agent];
    return this.#tracker.finish({ directory, agent, startedAt: new Date(), spawnError: reason });
  }

  async #run(request: RunRequest, hooks: RunHooks): Promise<RunResult> {
    const { directory } = request;
    const agent = this.#options.agents[this.#options.agent];
    const queue = await this.queue;
    const wakeSignal = new WakeSignal();
    const wake = () => wakeSignal.notify();
    const limits = {
      ...this.#options.limits,
      ...(request.totalTimeoutMs !== undefined && { total: request.totalTimeoutMs }),
    };
    let place: Place | undefined;
    hooks.signal.addEventListener('abort', wake);
    this.#tracker.add(directory.path, wakeSignal);
    try {
      const receivedAt = new Date();
      await this.enqueue(request, limits.total);
      let invocation = await prepareRun(agent, request);
      const stop = await this.#waitForTurn(queue, request, wakeSignal, hooks);
      if (stop !== undefined)
        return await this.#tracker.finish({ directory, agent, startedAt: receivedAt, stop });
      const { env, runsDir } = this.#options;
      if (request.sandbox !== 'read-only') {
        place = await placeRun(request, hooks, queue, this.#options);
        if (place === undefined) {
          const cancelled = requestedStop(hooks.signal, queue, directory.path)!;
          return await this.#tracker.finish({ directory, agent, startedAt: receivedAt, stop: cancelled });
        }
        if (!place.isIsolated) await recordBefore(directory, { cwd: request.cwd, env, ignored: [runsDir] });
        if (place.cwd !== request.cwd || place.warning !== undefined)
          invocation = await prepareRun(agent, atPlace(request, place));
      }
      await this.#recordEarlierUsage(agent, queue, request);
      const startedAt = new Date();
      const contained = {
        ...(place === undefined ? request : atPlace(request, place)),
        containment: this.#options.containment,
        isUnrestricted: request.sandbox === 'danger-full-access',
      };
      const process = await startAgent(directory, invocation, contained, env, wake);
      if (process.identity !== undefined) queue.recordProcess(directory.path, process.identity);
      this.#options.onChange?.(directory.path, 'started');
      // Start the sandbox check now, so that its cached answer is ready when the run finishes.
      if (request.sandbox !== 'danger-full-access') void agent.sandboxWorks?.();
      return await this.#tracker.follow({
        directory,
        agent,
        limits,
        startedAt,
        process,
        signal: hooks.signal,
        wakeSignal,
        ...(hooks.onEvent && { onEvent: hooks.onEvent }),
      });
    } catch (error) {
      // Refusals and system errors (missing program or folder, full disk) become a failed result.
      if (error instanceof RunReleased || !(error instanceof Failure || isSystemError(error))) throw error;
      return await this.refuse(directory, messageOf(error));
    } finally {
      // An autopilot delivers the changes of its jobs itself.
      place?.release(place.isIsolated && request.tool === 'delegate_autopilot');
      hooks.signal.removeEventListener('abort', wake);
      this.#tracker.remove(directory.path);
      this.#tracker.wakeAll();
    }
  }

  /** Records what a thread from outside Adjutant has used so far, so that this run's usage excludes it. */
  async #recordEarlierUsage(
    agent: Agent,
    queue: RunQueue,
    { directory, threadId }: RunRequest,
  ): Promise<void> {
    if (threadId === undefined || queue.threadUsage(threadId) !== undefined) return;
    const total = await agent.threadTotal?.(threadId).catch(() => undefined);
    if (total === undefined) return;
    queue.recordThread(directory.path, directory.id, threadId);
    queue.recordUsage(threadId, total);
  }

  /** Returns nothing when the run may start, or the reason why it will not start. */
  async #waitForTurn(
    queue: RunQueue,
    { directory: { path, id }, tool }: RunRequest,
    wakeSignal: WakeSignal,
    hooks: RunHooks,
  ): Promise<Stop | undefined> {
    for (let first = true; ; first = false) {
      const stop = requestedStop(hooks.signal, queue, path);
      if (stop !== undefined) return stop;
      if (this.#tracker.isDraining) {
        // Leave an autopilot's job to the server that resumes the autopilot.
        if (tool === 'delegate_autopilot')
          throw new RunReleased('unavailable', `The server stopped before run ${id} started.`);
        return { status: 'cancelled', reason: 'cancelled: the server stopped' };
      }
      if (await queue.tryStart(path, this.#options.maxParallel, new Date().toISOString())) {
        hooks.onState?.('running');
        return undefined;
      }
      if (first) hooks.onState?.('waiting');
      // A dead server's run may be holding a slot.
      void this.sweep();
      await wakeSignal.wait(100);
    }
  }

  /** True while this server follows runs of dead servers. */
  get hasAdopted(): boolean {
    return this.#adopted > 0;
  }

  /** Adopts the runs of dead servers. Returns their number. */
  sweep(): Promise<number> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<number> {
    if (this.#tracker.isDraining || !existsSync(this.#options.queueFile)) return 0;
    let adopted = 0;
    const queue = await this.queue;
    for (const run of queue.open()) {
      if (this.#tracker.isFollowed(run.directory) || (await isAlive(run.owner)) || !queue.adopt(run))
        continue;
      adopted += 1;
      this.#adopted += 1;
      void this.#tracker
        .track(this.#takeOver(queue, run))
        .catch((error: unknown) => {
          if (!(error instanceof RunReleased))
            log('error', `run ${run.runId} of a stopped server could not be adopted`, error);
        })
        .finally(() => {
          this.#adopted -= 1;
        });
    }
    return adopted;
  }

  async #takeOver(queue: RunQueue, run: OpenRun): Promise<void> {
    const { agents, redact, limits } = this.#options;
    const agent = agents[run.agent];
    const directory = new RunDirectory(run.directory, run.runId, redact);
    if (!existsSync(run.directory) || existsSync(directory.file('result.json'))) {
      queue.finish(run.directory);
      return;
    }
    const startedAt = new Date(run.startedAt ?? Date.now());
    if (run.state === 'waiting') {
      const spawnError = 'the server stopped before the agent was started';
      await this.#tracker.finish({ directory, agent, startedAt, spawnError });
      return;
    }
    log('info', `adopted run ${run.runId} of a stopped server`);
    const identity = run.process ?? (await findUnrecordedProcess(run.runId));
    if (identity !== undefined && run.process === null) queue.recordProcess(run.directory, identity);
    const wakeSignal = new WakeSignal();
    this.#tracker.add(run.directory, wakeSignal);
    try {
      await this.#tracker.follow(
        {
          directory,
          agent,
          limits: { ...limits, total: run.totalTimeoutMs },
          startedAt,
          process: attachTo(identity),
          signal: new AbortController().signal,
          wakeSignal,
        },
        true,
      );
    } finally {
      this.#tracker.remove(run.directory);
    }
  }

  /** Waits for runs that are being cancelled and releases all others, whose agents keep running. */
  async drain(): Promise<void> {
    this.#tracker.drain();
    await this.#sweeping;
    await this.#tracker.settled();
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#tracker.close();
  }
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}
