import { vi } from 'vitest';

/** Waits for something to hold, as long as a busy machine may take. */
export function eventually<Value>(check: () => Promise<Value> | Value): Promise<Value> {
  return vi.waitFor(check, { timeout: 20_000, interval: 100 });
}
