import { setTimeout as after } from 'node:timers/promises';

const patienceMs = 3_000;

/** Waits for work on a database that may have stopped to answer, but not long: a process that ends must not depend on it. */
export async function waitBriefly(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, after(patienceMs, undefined, { ref: false })]);
}
