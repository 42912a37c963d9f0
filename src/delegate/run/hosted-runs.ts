import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import type { Change } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { RunOrder } from '../agents/protocols/approval.ts';
import { isAlive } from '../process/process-table.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import type { AgentRunner } from './agent-runner.ts';
import type { ApprovalQuestions } from './approval-questions.ts';
import type { DelegateOptions } from './delegate-options.ts';
import { cancelThroughSocket, type HostClient, orderThroughSocket, startHost } from './host-client.ts';
import type { HostMessage, HostOrder } from './host-message.ts';
import { type OpenRun, ownRuns } from './open-run.ts';
import type { ProgressReporter } from './progress-reporter.ts';
import { isWithin, recoverRun, recoverRuns } from './run-recovery.ts';

/** A run that this server follows. */
export interface FollowedRun {
  readonly directory: Pick<RunDirectory, 'path' | 'id'>;
  readonly signal?: AbortSignal;
  readonly reporter?: ProgressReporter;
  readonly questions?: ApprovalQuestions;
}

/** Starts run hosts, follows them, and cancels and recovers the runs they carry. */
export class HostedRuns {
  readonly #options: DelegateOptions;
  readonly #spare: SpareHost;
  readonly #runner: AgentRunner;
  readonly #publish: (change: Change) => void;
  readonly #released = Promise.withResolvers<never>();
  readonly #resumed = new Set<Promise<unknown>>();

  constructor(options: DelegateOptions, runner: AgentRunner, publish: (change: Change) => void) {
    this.#options = options;
    this.#spare = new SpareHost(options);
    this.#runner = runner;
    this.#publish = publish;
    this.#released.promise.catch(() => {});
  }

  /** Returns a host that waits to be told what to run. */
  start(): Promise<HostClient> {
    return this.#spare.take();
  }

  /**
   * Tells a host what to run and follows it. If the host dies before it accepts the order, another host gets the order. If
   * it dies later, the run is finished, and an autopilot continues in another host. Resolves with the result, or with
   * `undefined` if another server has finished the run.
   */
  async carry(
    run: FollowedRun,
    work: HostOrder['work'],
    firstHost = this.start(),
    createRequest?: () => Promise<object>,
  ): Promise<object | undefined> {
    const { path, id } = run.directory;
    let request: Promise<object> | undefined;
    let step = work;
    for (let hosts = 1; ; hosts += 1) {
      const host = await (hosts === 1 ? firstHost : this.start());
      const result = await this.#follow(run, step, host, async () => {
        if (step === 'resume') return undefined;
        request ??= createRequest?.();
        return request;
      });
      if (result !== undefined) return result;
      const open = await this.#takeBack(path);
      if (open === undefined) return undefined;
      const isCancelled = (await this.#runner.queue).cancellationReason(path) !== undefined;
      if (host.hasAccepted || isCancelled) {
        if (work === 'run') return recoverRun(this.#runner, open);
        step = 'resume';
      }
      if (hosts === maxHosts)
        throw new Failure(
          'refused',
          host.hasAccepted
            ? `the process of ${id} was killed ${hosts} times`
            : `${hosts} run hosts exited before they accepted ${id}. If Adjutant was updated, restart the server.`,
        );
      log('info', `the run host of ${id} has died; starting another one`);
    }
  }

  /** Follows a host. Resolves with `undefined` if it is killed. */
  async #follow(
    run: FollowedRun,
    work: HostOrder['work'],
    host: HostClient,
    createRequest: () => Promise<object | undefined>,
  ): Promise<object | undefined> {
    const { directory, signal } = run;
    const { path, id } = directory;
    const cancel = () => {
      const reason = messageOf(signal?.reason);
      this.#requestCancellation(path, reason).catch((error: unknown) =>
        log('warning', `the cancellation of run ${id} could not be stored`, error),
      );
      host.cancel(reason);
    };
    try {
      const request = await createRequest();
      // A dead owner would make other servers finish the run.
      if (host.identity === undefined || !host.isConnected) return undefined;
      if (!(await this.#runner.queue).assign(path, host.identity)) return undefined;
      const result = host.carryOut(
        { run: { path, id }, work, ...(request && { request }) },
        this.#createReport(run),
      );
      void host.accepted
        .then(async () => (await this.#runner.queue).recordAcceptance(path))
        .catch((error: unknown) => log('warning', `run ${id} could not be marked as accepted`, error));
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel);
      // A server that stops still waits for the runs that it cancels.
      const released = this.#released.promise.catch((error) => {
        if (signal?.aborted) return result;
        throw error;
      });
      return await Promise.race([result, released]);
    } finally {
      signal?.removeEventListener('abort', cancel);
      await host.release();
      this.#spare.prepare();
    }
  }

  /** Cancels a run, whichever server started its host. The request is stored first, so that a killed host does not lose it. */
  async cancel(path: string, reason: string): Promise<void> {
    await this.#requestCancellation(path, reason);
    const socket = (await this.#runner.queue).find(path)?.socket;
    if (socket != null) await cancelThroughSocket(socket, reason);
  }

  /** Sends an order to the host of a run, whichever server started it. `id` names the run, or a job of an autopilot. */
  async order(path: string, id: string, order: RunOrder): Promise<void> {
    const queue = await this.#runner.queue;
    const deadline = performance.now() + socketTimeoutMs;
    for (;;) {
      const run = queue.find(path);
      if (run === undefined) throw new Failure('refused', `Run ${id} has ended.`);
      if (run.socket !== null) return orderThroughSocket(run.socket, { order, run: id });
      if (performance.now() > deadline)
        throw new Failure('unavailable', `The process of run ${id} cannot be reached.`);
      await pause(takeBackIntervalMs);
    }
  }

  async #requestCancellation(path: string, reason: string): Promise<void> {
    try {
      (await this.#runner.queue).requestCancellation(path, reason);
    } catch (error) {
      log('warning', `the cancellation of ${path} could not be recorded`, error);
    }
  }

  /** Finishes the runs whose hosts were killed, or only the one in this directory, and continues autopilots in new hosts. */
  async recoverAbandoned(only?: string): Promise<void> {
    if (!existsSync(this.#options.queueFile)) return;
    await recoverRuns(this.#runner, only);
    const queue = await this.#runner.queue;
    for (const run of queue.open()) {
      if (!isWithin(run, only)) continue;
      if (run.state !== 'autopilot' || ownRuns.has(run.directory) || (await queue.isCarried(run))) continue;
      // It may have been taken over meanwhile, also by this process.
      if (ownRuns.has(run.directory) || !queue.claim(run)) continue;
      this.#resume({ path: run.directory, id: run.runId });
    }
  }

  /** Continues an autopilot that is not in the queue, unless another server was first. */
  async resumeUnlisted(directory: RunDirectory): Promise<void> {
    if (await this.#runner.enqueue({ directory, tool: 'delegate_autopilot', state: 'autopilot' }))
      this.#resume(directory);
  }

  #resume(directory: FollowedRun['directory']): void {
    ownRuns.add(directory.path);
    const resumed = this.carry({ directory }, 'resume')
      .catch((error: unknown) => {
        if (!(error instanceof RunReleased))
          log('error', `autopilot ${directory.id} could not be continued`, error);
      })
      .finally(() => {
        ownRuns.delete(directory.path);
        this.#resumed.delete(resumed);
        this.#publish({ kind: 'resources' });
      });
    this.#resumed.add(resumed);
  }

  /** Makes this server the owner of a run whose host was killed. Resolves with `undefined` when the run is finished. */
  async #takeBack(path: string): Promise<OpenRun | undefined> {
    const queue = await this.#runner.queue;
    for (;;) {
      const run = queue.find(path);
      if (run === undefined) return undefined;
      if (queue.isOwn(run) || (!(await isAlive(run.owner)) && queue.claim(run))) return run;
      // The host is exiting, or another server was first.
      await Promise.race([pause(takeBackIntervalMs), this.#released.promise]);
    }
  }

  /** Lets go of all runs that are not being cancelled. Their hosts carry on. */
  async release(): Promise<void> {
    this.#released.reject(
      new RunReleased('unavailable', 'The server stopped; the run continues without it.'),
    );
    await Promise.allSettled([...this.#resumed, this.#spare.release()]);
  }

  /** Reports the messages of a host to the client. */
  #createReport({ reporter, questions }: FollowedRun): (message: HostMessage) => void {
    const jobs = new Map<string, ProgressReporter>();
    const reporterFor = (job: { id: string; title: string } | undefined) => {
      if (job === undefined || reporter === undefined) return reporter;
      const known = jobs.get(job.id) ?? reporter.forJob(job.id, job.title);
      jobs.set(job.id, known);
      return known;
    };
    return (message) => {
      switch (message.kind) {
        case 'state':
          reporterFor(message.job)?.state(message.state);
          if (message.state === 'running') this.#publish({ kind: 'resources' });
          break;
        case 'event':
          reporterFor(message.job)?.event(message.event);
          questions?.event(message.event, message.job);
          // What waits for a person has changed.
          if (message.event.kind === 'approval' || message.event.kind === 'answered')
            this.#publish({ kind: 'resources' });
          break;
        case 'job-finished':
          reporterFor(message.job)?.finished(message.status);
          jobs.delete(message.job.id);
      }
    };
  }
}

const takeBackIntervalMs = 50;
/** How long a host may take to open its socket. */
const socketTimeoutMs = 5_000;
/** An autopilot that crashes every host must not be continued for ever. */
const maxHosts = 4;

/** Thrown when this server stops while a run continues in its host. */
export class RunReleased extends Failure {}

/** A command that runs one task ends before this time. */
const prepareDelayMs = 100;
/** A waiting host takes about as much memory as an empty Node process. */
const maxIdleMs = 5 * 60_000;

/**
 * Keeps one run host ready between runs, because a run would otherwise wait until Node has started. The first run starts its
 * host itself. The spare host ends with this server, and after some minutes without a run.
 */
class SpareHost {
  readonly #options: DelegateOptions;
  #host: Promise<HostClient> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReleased = false;

  constructor(options: DelegateOptions) {
    this.#options = options;
  }

  /** Returns the spare host, or starts one, which loads while the server prepares its order. */
  async take(): Promise<HostClient> {
    const spare = this.#host;
    this.#forget();
    const host = await spare?.catch(() => undefined);
    if (host?.isConnected) return host;
    return this.#start();
  }

  #start(): Promise<HostClient> {
    // Functions and connections stay in this process.
    const { records, expandText, outreach, librarySkills, recordDecision, ...options } = this.#options;
    return startHost(options);
  }

  /** Starts a host for the next run. Call it when a run has ended. */
  prepare(): void {
    if (this.#host !== undefined || this.#isReleased) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const host = this.#start();
      host.catch(() => {});
      this.#host = host;
      this.#timer = setTimeout(() => void this.#end(), maxIdleMs).unref();
    }, prepareDelayMs).unref();
  }

  /** Ends the spare host for good. */
  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    const spare = this.#host;
    this.#forget();
    await (await spare?.catch(() => undefined))?.release();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#host = undefined;
  }
}
