import { vi } from 'vitest';

/** Retries the check until it passes. The timeout is long enough for a busy machine. */
export function eventually<Value>(check: () => Promise<Value> | Value): Promise<Value> {
  return vi.waitFor(check, { timeout: 20_000, interval: 100 });
}
