const minuteMs = 60_000;
/** One path that is applied or undone. Only the copy of a very large file takes minutes. */
const pathLimitMs = 10 * minuteMs;
/** A step for the whole folder: listing it, comparing it, or waiting until another run has applied its changes. */
export const folderLimitMs = 30 * minuteMs;

/**
 * Does one step of applying or undoing changes. Rejects when the step is cancelled or takes too long, for example because a network file system
 * does not answer. Node cannot interrupt a call of the file system, so the work may still be in progress then: it has to check
 * its signal before each change.
 */
export async function limitStep<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  cancelled?: AbortSignal,
  limitMs = pathLimitMs,
): Promise<Value> {
  cancelled?.throwIfAborted();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(lateMessage(limitMs))), limitMs);
  const signal = cancelled === undefined ? late.signal : AbortSignal.any([cancelled, late.signal]);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  try {
    return await Promise.race([work(signal), stopped]);
  } finally {
    clearTimeout(timer);
  }
}

function lateMessage(limitMs: number): string {
  const limit = limitMs < minuteMs ? `${limitMs} ms` : `${limitMs / minuteMs} minutes`;
  return `the file system did not finish within ${limit}`;
}
