import { messageOf } from '../../json.ts';
import type { Agent, AgentEvent } from '../agents/agent.ts';
import { EventFile } from '../files/event-file.ts';
import type { Redact } from '../files/redaction.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { AgentProcess, Exit } from '../process/agent-process.ts';
import { type EndedProcess, terminateRun } from '../process/process-end.ts';
import type { WakeSignal } from '../process/wake-signal.ts';
import type { Stop } from '../record/outcome.ts';
import { RunProgress } from '../record/run-progress.ts';
import type { RunQueue } from './run-queue.ts';

/** In milliseconds; 0 for none. */
export interface Limits {
  readonly start: number;
  readonly idle: number;
  readonly total: number;
  /** Between asking an agent to stop and killing it. */
  readonly grace: number;
}

export interface FollowedRun {
  readonly directory: RunDirectory;
  readonly agent: Agent;
  readonly ledger: RunQueue;
  readonly process: AgentProcess;
  readonly redact: Redact;
  readonly limits: Limits;
  readonly startedAt: Date;
  readonly signal: AbortSignal;
  /** Rung when something may have happened. */
  readonly bell: WakeSignal;
  /** Whether to let go of the run, which goes on without us. */
  isLeft(): boolean;
  onEvent?(event: AgentEvent): void;
  onGrowth?(): void;
}

export interface Followed {
  readonly progress: RunProgress;
  readonly exit: Exit;
  readonly stop?: Stop;
  readonly ended: readonly EndedProcess[];
  /** Whether there was a secret among the events. */
  readonly secrets: boolean;
}

const lookEveryMs = 100;
const askEveryMs = 250;
/** How long an agent may take to leave once its turn is over. */
const leaveWithinMs = 10_000;

/** Reads what an agent writes until it is gone, and ends it when it has to. `undefined` when the run was let go of. */
export async function followRun(run: FollowedRun): Promise<Followed | undefined> {
  const { directory, agent, ledger, limits, redact } = run;
  const progress = new RunProgress();
  const events = new EventFile(directory.file('events.jsonl'));
  let secrets = false;
  let heard = performance.now();
  let asked = heard;
  let over: number | undefined;
  let stop: Stop | undefined;
  let ended: readonly EndedProcess[] = [];

  const read = async () => {
    const before = events.offset;
    for await (const line of events.lines()) {
      const clean = redact(line);
      secrets ||= clean !== line;
      for (const event of agent.parse(clean)) {
        if (event.kind === 'thread' && progress.threadId === undefined) {
          ledger.noteThread(directory.path, directory.id, event.threadId);
          // Only for those who look meanwhile; at the end it is written in any case.
          await directory.writeJson('thread.json', { thread_id: event.threadId }).catch(() => {});
        }
        progress.apply(event);
        run.onEvent?.(event);
      }
    }
    if (events.offset === before) return;
    heard = performance.now();
    run.onGrowth?.();
  };

  for (;;) {
    // Asked for first: what a process wrote before it went is there when it is gone.
    const exit = await run.process.pollExit();
    await read();
    if (exit !== undefined) {
      // Whoever died without a word has left its children alone.
      if (progress.end === undefined && stop === undefined) {
        stop = stopOf(run.signal, ledger, directory.path);
        ended = await terminateRun(undefined, directory.id, 0);
      }
      return { progress, exit, ...(stop !== undefined && { stop }), ended, secrets };
    }
    if (run.isLeft() && !run.signal.aborted) return undefined;
    const now = performance.now();
    if (progress.end !== undefined) over ??= now;
    if (stop === undefined) {
      if (run.signal.aborted || now - asked > askEveryMs) {
        asked = now;
        stop = stopOf(run.signal, ledger, directory.path);
      }
      stop ??=
        timeout(run, progress, now - heard) ??
        (over !== undefined && now - over > leaveWithinMs
          ? { status: 'failed', reason: `${agent.label} did not leave after its turn was over` }
          : undefined);
      if (stop !== undefined) {
        ended = await terminateRun(run.process.identity, directory.id, limits.grace);
        continue;
      }
    }
    await run.bell.wait(lookEveryMs);
  }
}

/** Whether somebody wants the run to end. It is written down, so that it stays wanted should this process die over it. */
export function stopOf(signal: AbortSignal, ledger: RunQueue, directory: string): Stop | undefined {
  if (signal.aborted) ledger.requestCancellation(directory, messageOf(signal.reason));
  const reason = ledger.cancellationOf(directory);
  return reason === undefined ? undefined : { status: 'cancelled', reason: `cancelled: ${reason}` };
}

function timeout(
  { agent, limits, startedAt }: FollowedRun,
  progress: RunProgress,
  silence: number,
): Stop | undefined {
  const age = Date.now() - startedAt.getTime();
  const late = (limit: number, what: string): Stop => ({
    status: 'failed',
    reason: `timed out: ${what} within ${limit / 1000} s`,
  });
  if (limits.total > 0 && age > limits.total) return late(limits.total, 'not done');
  if (progress.threadId === undefined && limits.start > 0 && age > limits.start)
    return late(limits.start, `${agent.label} did not begin`);
  return limits.idle > 0 && silence > limits.idle ? late(limits.idle, 'no event') : undefined;
}
