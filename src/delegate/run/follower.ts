import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { WakeSignal } from '../../pace.ts';
import type { Agent, AgentEvent } from '../agents/agent.ts';
import { type EndedProcess, terminateRun } from '../process/process-end.ts';
import type { Redact } from '../process/redaction.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import type { AgentProcess, Exit } from './agent-process.ts';
import type { DelegateOptions } from './delegate-options.ts';
import { EventFile } from './event-file.ts';
import type { Stop } from './outcome.ts';
import { RunProgress } from './run-progress.ts';
import type { RunQueue } from './run-queue.ts';
import { writeThread } from './run-state.ts';

export interface FollowedRun {
  readonly directory: RunDirectory;
  readonly agent: Agent;
  readonly queue: RunQueue;
  readonly process: AgentProcess;
  readonly redact: Redact;
  readonly limits: DelegateOptions['limits'];
  readonly startedAt: Date;
  readonly signal: AbortSignal;
  /** Ends the wait between two checks early, e.g. when the agent exits. */
  readonly wakeSignal: WakeSignal;
  onEvent?(event: AgentEvent): void;
  /** Counts what the run has used. Returns the reason to stop it, if a budget is used up. */
  measure(progress: RunProgress): Stop | undefined;
}

export interface Followed {
  readonly progress: RunProgress;
  readonly exit: Exit;
  readonly stop?: Stop;
  readonly ended: readonly EndedProcess[];
  /** True if an event contained a secret. */
  readonly secrets: boolean;
}

const pollIntervalMs = 100;
const cancellationCheckMs = 250;
/** How long an agent may take to exit after its turn has ended. */
const exitTimeoutMs = 10_000;
/** The same for agents that do not exit by themselves. */
const lateExitMs = 200;

/** Reads an agent's events until it exits, and stops it on cancellation or timeout. */
export async function followRun(run: FollowedRun): Promise<Followed> {
  const { directory, agent, queue, limits, redact } = run;
  const progress = new RunProgress();
  const events = new EventFile(directory.file('events.jsonl'));
  let secrets = false;
  let lastEventAt = performance.now();
  let cancellationCheckedAt = lastEventAt;
  let turnEndedAt: number | undefined;
  let stop: Stop | undefined;
  let ended: readonly EndedProcess[] = [];
  /** Requests for permission that wait for a person. The time limits stand still meanwhile. */
  const waiting = new Set<string>();
  let waitedMs = 0;
  let checkedAt = lastEventAt;

  const read = async () => {
    const offsetBefore = events.offset;
    for await (const line of events.lines()) {
      const clean = redact(line);
      secrets ||= clean !== line;
      for (const event of agent.parse(clean)) {
        if (event.kind === 'thread' && progress.threadId === undefined) {
          queue.recordThread(directory.path, directory.id, event.threadId);
          // Lets other servers show the thread while the run is in progress; finishRun writes it again.
          await writeThread(directory, event.threadId).catch(() => {});
        }
        if (event.kind === 'approval' && event.expiresAt !== undefined) waiting.add(event.request.id);
        if (event.kind === 'answered') waiting.delete(event.id);
        progress.apply(event);
        run.onEvent?.(event);
      }
    }
    if (events.offset !== offsetBefore) lastEventAt = performance.now();
  };

  for (;;) {
    // Check for the exit before reading, so that the read includes everything the agent wrote.
    const { exit } = run.process;
    await read();
    if (exit !== undefined) {
      // An agent that crashed may have left child processes running.
      if (progress.end === undefined && stop === undefined) {
        stop = requestedStop(run.signal, queue, directory.path);
        ended = await terminateRun(undefined, directory.id, 0);
      }
      return { progress, exit, ...(stop !== undefined && { stop }), ended, secrets };
    }
    const now = performance.now();
    if (waiting.size > 0) {
      waitedMs += now - checkedAt;
      lastEventAt = now;
    }
    checkedAt = now;
    if (progress.end !== undefined) turnEndedAt ??= now;
    if (stop === undefined) {
      if (run.signal.aborted || now - cancellationCheckedAt > cancellationCheckMs) {
        cancellationCheckedAt = now;
        stop = requestedStop(run.signal, queue, directory.path);
      }
      const isOverdue = (limit: number) => turnEndedAt !== undefined && now - turnEndedAt > limit;
      if (agent.exitsLate && stop === undefined && isOverdue(lateExitMs)) {
        await terminateRun(run.process.identity, directory.id, 0);
        continue;
      }
      stop ??=
        checkTimeouts(run, progress, now - lastEventAt, waitedMs) ??
        (progress.end === undefined ? run.measure(progress) : undefined) ??
        (isOverdue(exitTimeoutMs)
          ? { status: 'failed', reason: `${agent.label} did not exit after its turn had ended` }
          : undefined);
      if (stop !== undefined) {
        ended = await terminateRun(run.process.identity, directory.id, limits.grace);
        continue;
      }
    }
    await run.wakeSignal.wait(pollIntervalMs);
  }
}

/** The requested cancellation, if any. An abort is persisted, so that it is honoured even if the run host is killed. */
export function requestedStop(
  signal: AbortSignal | undefined,
  queue: RunQueue,
  directory: string,
): Stop | undefined {
  const aborted = signal?.aborted ? messageOf(signal.reason) : undefined;
  if (aborted !== undefined)
    try {
      queue.requestCancellation(directory, aborted);
    } catch (error) {
      log('warning', `the cancellation of ${directory} could not be stored: ${messageOf(error)}`);
    }
  const reason = queue.cancellationReason(directory) ?? aborted;
  return reason === undefined ? undefined : { status: 'cancelled', reason: `cancelled: ${reason}` };
}

/** Watches for the cancellation of a run, also by other processes. `signal` is aborted when it is requested. */
export function watchCancellation(
  signal: AbortSignal | undefined,
  queue: RunQueue,
  directory: string,
): Disposable & { readonly signal: AbortSignal; readonly stop: Stop | undefined } {
  const cancelled = new AbortController();
  let stop: Stop | undefined;
  const check = () => {
    stop ??= requestedStop(signal, queue, directory);
    if (stop !== undefined) cancelled.abort(new Error('the run was cancelled'));
  };
  check();
  const timer = setInterval(check, cancellationCheckMs);
  return {
    signal: cancelled.signal,
    get stop() {
      return stop;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function checkTimeouts(
  { agent, limits, startedAt }: FollowedRun,
  progress: RunProgress,
  idleMs: number,
  waitedMs: number,
): Stop | undefined {
  const ageMs = Date.now() - startedAt.getTime() - waitedMs;
  const timedOut = (limit: number, what: string): Stop => ({
    status: 'failed',
    reason: `timed out: ${what} within ${limit / 1000} s`,
  });
  if (limits.total > 0 && ageMs > limits.total) return timedOut(limits.total, 'not finished');
  if (progress.threadId === undefined && limits.start > 0 && ageMs > limits.start)
    return timedOut(limits.start, `${agent.label} did not start a thread`);
  return limits.idle > 0 && idleMs > limits.idle ? timedOut(limits.idle, 'no event') : undefined;
}
