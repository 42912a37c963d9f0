let current: object | undefined;

/**
 * Identifies the input that is being served, while several messages that arrived together are served without a pause.
 * A file that was checked for one of them need not be checked for the others: all of them were sent before the check.
 */
export function currentArrival(): object | undefined {
  return current;
}

/** Called by a transport before it serves messages that arrived together. Ends when the process has nothing left to do at once. */
export function beginArrival(): void {
  current = {};
  // The first callback can run before the promises of the messages, the second one runs after them.
  process.nextTick(() => queueMicrotask(() => process.nextTick(endArrival)));
}

/** Called when this process changes a file: what was checked before no longer counts. */
export function endArrival(): void {
  current = undefined;
}
