import { dirname } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Agent, AgentName } from '../agents/agent.ts';
import type { Redact } from '../files/redaction.ts';
import type { Containment } from '../process/containment.ts';
import { terminateRun } from '../process/process-end.ts';
import type { WakeSignal } from '../process/wake-signal.ts';
import { RunProgress } from '../record/run-progress.ts';
import type { RunResult } from '../record/run-request.ts';
import type { WorkspaceKind } from '../workspace/workspace.ts';
import { type FollowedRun, followRun, type Limits } from './follower.ts';
import { type FinishedRun, finishRun } from './run-finish.ts';
import { RunQueue } from './run-queue.ts';

export interface TrackerOptions {
  readonly agent: AgentName;
  readonly agents: Readonly<Record<AgentName, Agent>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly queueFile: string;
  readonly runsDir: string;
  /** Maximum number of running agents, counted over all servers of the user. */
  readonly maxParallel: number;
  readonly limits: Limits;
  /** How the processes of an agent are kept together. Default: the best way that works. */
  readonly containment?: Containment | 'auto';
  /** Folders above this size are not copied to isolate a run. */
  readonly copyLimitBytes: number;
  readonly workspaceKinds?: readonly WorkspaceKind[];
  readonly redact: Redact;
  /** Called when a run starts, writes events or finishes. */
  onChange?(directory: string, change: 'started' | 'event' | 'finished'): void;
}

type UnfinishedRun = Omit<FinishedRun, 'queue' | 'redact' | 'env' | 'stateDir' | 'ignored' | 'progress'> &
  Partial<Pick<FinishedRun, 'progress'>>;

/** The runs that this server follows, and the queue it shares with other servers. */
export class RunTracker {
  readonly #options: TrackerOptions;
  readonly #followed = new Map<string, WakeSignal>();
  readonly #pending = new Set<Promise<unknown>>();
  #queue: Promise<RunQueue> | undefined;
  #isDraining = false;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  get queue(): Promise<RunQueue> {
    this.#queue ??= RunQueue.open(this.#options.queueFile).catch((error: unknown) => {
      this.#queue = undefined;
      throw error;
    });
    return this.#queue;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  isFollowed(directory: string): boolean {
    return this.#followed.has(directory);
  }

  add(directory: string, wakeSignal: WakeSignal): void {
    this.#followed.set(directory, wakeSignal);
  }

  remove(directory: string): void {
    this.#followed.delete(directory);
  }

  /** Makes every followed run check its state at once, e.g. whether it may start now. */
  wakeAll(): void {
    for (const wakeSignal of this.#followed.values()) wakeSignal.notify();
  }

  /** Follows an agent until it exits and writes the result of its run. */
  async follow(
    run: Omit<FollowedRun, 'queue' | 'redact' | 'isReleased' | 'onGrowth'>,
    isAdopted = false,
  ): Promise<RunResult> {
    const { directory, agent, startedAt } = run;
    const { redact, onChange } = this.#options;
    const queue = await this.queue;
    const followed = await followRun({
      ...run,
      queue,
      redact,
      isReleased: () => this.#isDraining,
      onGrowth: () => onChange?.(directory.path, 'event'),
    }).catch(async (error: unknown) => {
      // An agent that cannot be followed must not keep running unobserved.
      await terminateRun(run.process.identity, directory.id, run.limits.grace);
      throw error;
    });
    if (followed === undefined) {
      queue.release(directory.path);
      throw new RunReleased('unavailable', `The server stopped; run ${directory.id} continues without it.`);
    }
    const { exit, ...outcome } = followed;
    try {
      return await this.finish({
        directory,
        agent,
        startedAt,
        ...outcome,
        // The exit code of a process that another server started is unknown.
        ...(!isAdopted && { exit }),
        ...(exit.spawnError !== undefined && { spawnError: exit.spawnError }),
      });
    } finally {
      onChange?.(directory.path, 'finished');
    }
  }

  async finish(run: UnfinishedRun): Promise<RunResult> {
    const { redact, env, runsDir } = this.#options;
    const queue = await this.queue;
    const stateDir = dirname(this.#options.queueFile);
    return finishRun({
      progress: new RunProgress(),
      ...run,
      queue,
      redact,
      env,
      stateDir,
      ignored: [runsDir],
    });
  }

  /** Makes `settled` wait for this work. */
  track<Value>(work: Promise<Value>): Promise<Value> {
    this.#pending.add(work);
    const forget = () => this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Stops following runs, except those that are being cancelled. Their agents keep running. */
  drain(): void {
    this.#isDraining = true;
    this.wakeAll();
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }

  async close(): Promise<void> {
    const queue = await this.#queue?.catch(() => undefined);
    this.#queue = undefined;
    queue?.close();
  }
}

/** Thrown when this server stops following a run whose agent keeps running. */
export class RunReleased extends Failure {}
