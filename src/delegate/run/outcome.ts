import { oneLine, type RunProgress } from './run-progress.ts';

/** `completed_with_problems`: the agent completed its task, but not everything it claims is true. The error lists the problems. */
export type RunStatus = 'completed' | 'completed_with_problems' | 'failed' | 'cancelled';

/** Why a run was stopped before the agent finished. */
export interface Stop {
  readonly status: 'cancelled' | 'failed';
  readonly reason: string;
  readonly overBudget?: boolean;
}

/** Everything known about a run after its process has exited. */
export interface ExitFacts {
  readonly agent: string;
  readonly progress: RunProgress;
  readonly stop: Stop | undefined;
  /** Set if the process could not be started. */
  readonly spawnError: string | undefined;
  /** `undefined` if the run host was killed, so that nobody saw the exit. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  readonly requestedThread: string | undefined;
  readonly stderr: string;
  /** Why the final message is not an answer. `undefined` if it is one. */
  readonly messageProblem: string | undefined;
}

export interface Outcome {
  readonly status: RunStatus;
  readonly error: string | null;
  readonly overBudget?: boolean;
}

/** Decides how a run ended. A completed run needs a completed turn or exit code 0, and a final message. */
export function decideOutcome(facts: ExitFacts): Outcome {
  const { progress, stop, exit, agent } = facts;
  const failed = (error: string): Outcome => ({ status: 'failed', error });
  if (facts.spawnError !== undefined) return failed(facts.spawnError);
  if (
    facts.requestedThread !== undefined &&
    isThreadId(facts.requestedThread) &&
    progress.threadId !== undefined &&
    progress.threadId !== facts.requestedThread
  )
    return failed(
      `${agent} did not resume thread ${facts.requestedThread} but started thread ${progress.threadId}`,
    );
  const complete = progress.end?.kind === 'completed';
  // A turn that completed before the stop took effect counts as completed.
  if (stop !== undefined && !complete)
    return {
      status: stop.status,
      error: stop.reason,
      ...(stop.overBudget && { overBudget: true }),
    };
  if (progress.end?.kind === 'failed') return failed(progress.end.message);
  if (!complete && exit?.code !== 0) return failed(describeExit(facts));
  if (facts.messageProblem !== undefined)
    return failed(`${agent} did not produce a valid last_message.json: ${facts.messageProblem}`);
  return { status: 'completed', error: null };
}

/** Adds problems that were found after the agent had exited. */
export function withProblems({ status, error, ...more }: Outcome, problems: readonly string[]): Outcome {
  if (problems.length === 0) return { status, error, ...more };
  return {
    ...more,
    status: status === 'completed' ? 'completed_with_problems' : status,
    error: [...(error === null ? [] : [error]), ...problems].join('; '),
  };
}

/** False for the name of a thread, which the agent resolves to an id. */
export function isThreadId(thread: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(thread);
}

function describeExit({ agent, exit, progress, stderr }: ExitFacts): string {
  if (exit === undefined) return `the process that carried the run was killed before ${agent} had finished`;
  const reason =
    exit.signal === null
      ? `${agent} exited with code ${exit.code}`
      : `${agent} was terminated by ${exit.signal}`;
  // An agent that is killed says nothing about it: what it wrote before has another cause.
  if (endingSignals.has(exit.signal ?? '')) return reason;
  const detail = oneLine(lastErrors(stderr), 600) || progress.lastFailure;
  return detail === undefined ? reason : `${reason}: ${detail}`;
}

const endingSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);

/** The last lines without warnings and without a stack backtrace, which RUST_BACKTRACE adds after the message. */
function lastErrors(text: string): string {
  const other = /^\s*(stack backtrace:|\d+: |at \/|(\S+\s+)?(WARN|INFO|DEBUG|TRACE)\b|(\S+: )?warning:)/i;
  const lines = text.split('\n').filter((line) => !other.test(line));
  return lines.join('\n').trim().split('\n').slice(-6).join('\n');
}
