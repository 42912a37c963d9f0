import { oneLine, type RunProgress } from './run-progress.ts';

export type RunStatus = 'completed' | 'failed' | 'cancelled';

/** Why a run was ended before its time. */
export interface Stop {
  readonly status: 'cancelled' | 'failed';
  readonly reason: string;
}

/** Everything that is known about a run once its process is gone. */
export interface Evidence {
  readonly agent: string;
  readonly progress: RunProgress;
  readonly stop: Stop | undefined;
  /** The process could not be started at all. */
  readonly spawnError: string | undefined;
  /** `undefined` where another process than ours was its parent. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  readonly requestedThread: string | undefined;
  readonly stderr: string;
  /** Why the final message cannot be taken as the answer; `undefined` when it can. */
  readonly messageProblem: string | undefined;
}

export interface Outcome {
  readonly status: RunStatus;
  readonly error: string | null;
}

/** A pure judgement: only the end of a turn or of the process ends a run, and what was not shown is not claimed. */
export function judge(evidence: Evidence): Outcome {
  const { progress, stop, exit, agent } = evidence;
  const failed = (error: string): Outcome => ({ status: 'failed', error });
  if (evidence.spawnError !== undefined) return failed(evidence.spawnError);
  if (
    evidence.requestedThread !== undefined &&
    progress.threadId !== undefined &&
    progress.threadId !== evidence.requestedThread
  )
    return failed(
      `${agent} did not go on with thread ${evidence.requestedThread} but began ${progress.threadId}`,
    );
  const complete = progress.end?.kind === 'completed';
  // A turn that was complete before it could be stopped is complete.
  if (stop !== undefined && !complete) return { status: stop.status, error: stop.reason };
  if (progress.end?.kind === 'failed') return failed(progress.end.message);
  if (!complete && exit?.code !== 0) return failed(unfinished(evidence));
  if (evidence.messageProblem !== undefined)
    return failed(`${agent} did not produce a valid last_message.json: ${evidence.messageProblem}`);
  return { status: 'completed', error: null };
}

function unfinished({ agent, exit, progress, stderr }: Evidence): string {
  const tail = oneLine(lastLines(stderr), 600);
  const last = [...progress.warnings].at(-1);
  const detail = [tail, last].filter((text) => text !== '' && text !== undefined).join(' · ');
  const how =
    exit === undefined
      ? `${agent} ended without finishing its turn while no server was watching`
      : exit.signal !== null
        ? `${agent} was ended by ${exit.signal}`
        : `${agent} exited with code ${exit.code}`;
  return detail === '' ? how : `${how}: ${detail}`;
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-6).join('\n');
}
