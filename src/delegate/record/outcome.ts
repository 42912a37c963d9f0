import { oneLine, type RunProgress } from './run-progress.ts';

/** `completed_with_problems`: the agent completed its task, but not everything it claims is true. The error lists the problems. */
export type RunStatus = 'completed' | 'completed_with_problems' | 'failed' | 'cancelled';

/** Why a run was stopped before the agent finished. */
export interface Stop {
  readonly status: 'cancelled' | 'failed';
  readonly reason: string;
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
  /** Why the final message is not a valid answer. `undefined` if it is valid. */
  readonly messageProblem: string | undefined;
}

export interface Outcome {
  readonly status: RunStatus;
  readonly error: string | null;
}

/** Decides how a run ended. A completed run needs a completed turn or exit code 0, and a valid final message. */
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
  if (stop !== undefined && !complete) return { status: stop.status, error: stop.reason };
  if (progress.end?.kind === 'failed') return failed(progress.end.message);
  if (!complete && exit?.code !== 0) return failed(describeExit(facts));
  if (facts.messageProblem !== undefined)
    return failed(`${agent} did not produce a valid last_message.json: ${facts.messageProblem}`);
  return { status: 'completed', error: null };
}

/** Adds problems that were found after the agent had exited. */
export function withProblems({ status, error }: Outcome, problems: readonly string[]): Outcome {
  if (problems.length === 0) return { status, error };
  return {
    status: status === 'completed' ? 'completed_with_problems' : status,
    error: [...(error === null ? [] : [error]), ...problems].join('; '),
  };
}

/** False for the name of a thread, which the agent resolves to an id. */
export function isThreadId(thread: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(thread);
}

function describeExit({ agent, exit, progress, stderr }: ExitFacts): string {
  const tail = oneLine(lastLines(stderr), 600);
  const lastWarning = [...progress.warnings].at(-1);
  const detail = [tail, lastWarning].filter((text) => text !== '' && text !== undefined).join(' · ');
  const reason =
    exit === undefined
      ? `the process that carried the run was killed before ${agent} had finished`
      : exit.signal !== null
        ? `${agent} was terminated by ${exit.signal}`
        : `${agent} exited with code ${exit.code}`;
  return detail === '' ? reason : `${reason}: ${detail}`;
}

/** The last lines without a stack backtrace, which RUST_BACKTRACE adds after the message. */
function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*(stack backtrace:|\d+: |at \/)/i.test(line));
  return lines.join('\n').trim().split('\n').slice(-6).join('\n');
}
