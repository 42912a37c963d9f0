import { existsSync } from 'node:fs';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { Agent, AgentName } from '../agents/agent.ts';
import { recordBefore } from '../changes/change-recorder.ts';
import type { Redact } from '../files/redaction.ts';
import { RunDirectory } from '../files/run-directory.ts';
import { attachTo, startAgent } from '../process/agent-process.ts';
import { terminateRun } from '../process/process-end.ts';
import { findRoot, isAlive } from '../process/process-table.ts';
import { WakeSignal } from '../process/wake-signal.ts';
import type { Stop } from '../record/outcome.ts';
import { RunProgress } from '../record/run-progress.ts';
import type { RunHooks, RunRequest, RunResult } from '../record/run-request.ts';
import { type FollowedRun, followRun, type Limits, stopOf } from './follower.ts';
import { prepare } from './preparation.ts';
import { type FinishedRun, finishRun } from './run-finish.ts';
import { type OpenRun, RunQueue } from './run-queue.ts';

export interface SupervisorOptions {
  readonly agent: AgentName;
  readonly agents: Readonly<Record<AgentName, Agent>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly queueFile: string;
  readonly runsDir: string;
  /** Runs at a time, counted over all processes of the user. */
  readonly maxParallel: number;
  readonly limits: Limits;
  readonly redact: Redact;
  /** Told when a run begins, goes on or ends. */
  onChange?(directory: string, change: 'started' | 'event' | 'finished'): void;
}

type Ending = Omit<FinishedRun, 'ledger' | 'redact' | 'env' | 'ignored' | 'progress'> &
  Partial<Pick<FinishedRun, 'progress'>>;

/** Starts agents, follows them to their end, and takes over those whose server has died. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #live = new Map<string, WakeSignal>();
  readonly #underWay = new Set<Promise<unknown>>();
  #adopted = 0;
  #ledger: Promise<RunQueue> | undefined;
  #sweeping: Promise<number> | undefined;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get ledger(): Promise<RunQueue> {
    this.#ledger ??= RunQueue.open(this.#options.queueFile).catch((error: unknown) => {
      this.#ledger = undefined;
      throw error;
    });
    return this.#ledger;
  }

  /** Runs an agent from an empty run directory to `result.json`. */
  run(request: RunRequest, hooks: RunHooks): Promise<RunResult> {
    return this.#keep(this.#run(request, hooks));
  }

  /** Gives a run its place in line, as soon as it is known and before it is ready. */
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
    (await this.ledger).enqueue({ directory: path, runId: id, agent, tool, threadId, totalTimeoutMs });
  }

  /** The result of a run that is not to be started. */
  refuse(directory: RunDirectory, reason: string): Promise<RunResult> {
    const agent = this.#options.agents[this.#options.agent];
    return this.#finish({ directory, agent, startedAt: new Date(), spawnError: reason });
  }

  async #run(request: RunRequest, hooks: RunHooks): Promise<RunResult> {
    const { directory } = request;
    const agent = this.#options.agents[this.#options.agent];
    const ledger = await this.ledger;
    const bell = new WakeSignal();
    const ring = () => bell.notify();
    const limits = {
      ...this.#options.limits,
      ...(request.totalTimeoutMs !== undefined && { total: request.totalTimeoutMs }),
    };
    hooks.signal.addEventListener('abort', ring);
    this.#live.set(directory.path, bell);
    try {
      const arrived = new Date();
      await this.enqueue(request, limits.total);
      const invocation = await prepare(agent, request);
      const stop = await this.#waitForTurn(ledger, request, bell, hooks);
      if (stop !== undefined) return await this.#finish({ directory, agent, startedAt: arrived, stop });
      const { env, runsDir } = this.#options;
      if (request.sandbox !== 'read-only')
        await recordBefore(directory, { cwd: request.cwd, env, ignored: [runsDir] });
      await this.#noteEarlierUsage(agent, ledger, request);
      const startedAt = new Date();
      const process = await startAgent(directory, invocation, request, env, ring);
      if (process.identity !== undefined) ledger.noteProcess(directory.path, process.identity);
      this.#options.onChange?.(directory.path, 'started');
      // Asked beside the run, so that it costs no time; the answer is wanted at its end.
      if (request.sandbox !== 'danger-full-access') void agent.sandboxWorks?.();
      return await this.#follow({
        directory,
        agent,
        limits,
        startedAt,
        process,
        signal: hooks.signal,
        bell,
        ...(hooks.onEvent && { onEvent: hooks.onEvent }),
      });
    } catch (error) {
      // What the caller or the machine cannot do is a result, too: no program, no folder, no room on the disk.
      if (error instanceof RunReleased || !(error instanceof Failure || isSystemError(error))) throw error;
      return await this.refuse(directory, messageOf(error));
    } finally {
      hooks.signal.removeEventListener('abort', ring);
      this.#live.delete(directory.path);
      for (const other of this.#live.values()) other.notify();
    }
  }

  /** A thread that was begun elsewhere has a past, too, and that is not this run's. */
  async #noteEarlierUsage(
    agent: Agent,
    ledger: RunQueue,
    { directory, threadId }: RunRequest,
  ): Promise<void> {
    if (threadId === undefined || ledger.usageOf(threadId) !== undefined) return;
    const total = await agent.threadTotal?.(threadId).catch(() => undefined);
    if (total === undefined) return;
    ledger.noteThread(directory.path, directory.id, threadId);
    ledger.noteUsage(threadId, total);
  }

  /** Nothing when the turn has come; the reason when it never will. */
  async #waitForTurn(
    ledger: RunQueue,
    { directory: { path, id }, tool }: RunRequest,
    bell: WakeSignal,
    hooks: RunHooks,
  ): Promise<Stop | undefined> {
    for (let first = true; ; first = false) {
      const stop = stopOf(hooks.signal, ledger, path);
      if (stop !== undefined) return stop;
      if (this.#closed) {
        // A part of something larger is left to the server that goes on with the whole.
        if (tool === 'delegate_autopilot')
          throw new RunReleased('unavailable', `The server stopped before ${id}.`);
        return { status: 'cancelled', reason: 'cancelled: the server stopped' };
      }
      if (await ledger.takeTurn(path, this.#options.maxParallel, new Date().toISOString())) {
        hooks.onState?.('running');
        return undefined;
      }
      if (first) hooks.onState?.('waiting');
      // A place may be held in the name of a server that died.
      void this.sweep();
      await bell.wait(100);
    }
  }

  async #follow(
    run: Omit<FollowedRun, 'ledger' | 'redact' | 'isLeft' | 'onGrowth'>,
    adopted = false,
  ): Promise<RunResult> {
    const { directory, agent, startedAt } = run;
    const { redact, onChange } = this.#options;
    const ledger = await this.ledger;
    const followed = await followRun({
      ...run,
      ledger,
      redact,
      isLeft: () => this.#closed,
      onGrowth: () => onChange?.(directory.path, 'event'),
    }).catch(async (error: unknown) => {
      // What cannot be followed must not go on unseen.
      await terminateRun(run.process.identity, directory.id, run.limits.grace);
      throw error;
    });
    if (followed === undefined) {
      ledger.release(directory.path);
      throw new RunReleased('unavailable', `The server stopped; the run ${directory.id} goes on without it.`);
    }
    const { exit, ...seen } = followed;
    try {
      return await this.#finish({
        directory,
        agent,
        startedAt,
        ...seen,
        ...(!adopted && { exit }),
        ...(exit.spawnError !== undefined && { spawnError: exit.spawnError }),
      });
    } finally {
      onChange?.(directory.path, 'finished');
    }
  }

  async #finish(run: Ending): Promise<RunResult> {
    const { redact, env, runsDir } = this.#options;
    const ledger = await this.ledger;
    return finishRun({ progress: new RunProgress(), ...run, ledger, redact, env, ignored: [runsDir] });
  }

  /** Whether it follows runs of servers that have died. */
  get hasAdopted(): boolean {
    return this.#adopted > 0;
  }

  /** Takes over what dead servers left behind; tells how many runs that were. */
  sweep(): Promise<number> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<number> {
    if (this.#closed || !existsSync(this.#options.queueFile)) return 0;
    let adopted = 0;
    const ledger = await this.ledger;
    for (const run of ledger.open()) {
      if (this.#live.has(run.directory) || (await isAlive(run.owner)) || !ledger.adopt(run)) continue;
      adopted += 1;
      this.#adopted += 1;
      void this.#keep(this.#takeOver(ledger, run))
        .catch((error: unknown) => {
          if (!(error instanceof RunReleased))
            log('error', `the run ${run.runId} cannot be taken over`, error);
        })
        .finally(() => {
          this.#adopted -= 1;
        });
    }
    return adopted;
  }

  async #takeOver(ledger: RunQueue, run: OpenRun): Promise<void> {
    const { agents, redact, limits } = this.#options;
    const agent = agents[run.agent];
    const directory = new RunDirectory(run.directory, run.runId, redact);
    if (!existsSync(run.directory) || existsSync(directory.file('result.json'))) {
      ledger.finish(run.directory);
      return;
    }
    const startedAt = new Date(run.startedAt ?? Date.now());
    if (run.state === 'waiting') {
      const spawnError = 'the server ended before the agent was started';
      await this.#finish({ directory, agent, startedAt, spawnError });
      return;
    }
    log('info', `following the run ${run.runId} of a server that has ended`);
    const identity = run.process ?? (await findLate(run.runId));
    if (identity !== undefined && run.process === null) ledger.noteProcess(run.directory, identity);
    const bell = new WakeSignal();
    this.#live.set(run.directory, bell);
    try {
      await this.#follow(
        {
          directory,
          agent,
          limits: { ...limits, total: run.totalTimeoutMs },
          startedAt,
          process: attachTo(identity),
          signal: new AbortController().signal,
          bell,
        },
        true,
      );
    } finally {
      this.#live.delete(run.directory);
    }
  }

  /** Ends what is being cancelled and lets go of the rest, which goes on by itself. */
  async rest(): Promise<void> {
    this.#closed = true;
    for (const bell of this.#live.values()) bell.notify();
    await this.#sweeping;
    await Promise.allSettled(this.#underWay);
  }

  async close(): Promise<void> {
    await this.rest();
    const ledger = await this.#ledger?.catch(() => undefined);
    this.#ledger = undefined;
    ledger?.close();
  }

  #keep<Value>(work: Promise<Value>): Promise<Value> {
    this.#underWay.add(work);
    const forget = () => this.#underWay.delete(work);
    work.then(forget, forget);
    return work;
  }
}

/** A run that this process follows no longer. */
export class RunReleased extends Failure {}

/** The server may have died between starting the agent and noting its number, or while it was being started. */
async function findLate(runId: string) {
  const found = await findRoot(runId);
  if (found !== undefined) return found;
  await new WakeSignal().wait(1_000);
  return findRoot(runId);
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}
