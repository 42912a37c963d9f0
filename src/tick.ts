let current: object | undefined;

/**
 * Identifies the present tick: all code that runs before the process waits for input again. Whatever was checked in this tick
 * need not be checked again, because every request that is served in it had arrived before.
 */
export function currentTick(): object {
  if (current === undefined) {
    current = {};
    process.nextTick(() => {
      current = undefined;
    });
  }
  return current;
}
