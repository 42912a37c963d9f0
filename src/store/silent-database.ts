import { within } from '../pace.ts';

const patienceMs = 3_000;

/** Waits for work on a database that may have stopped answering, but not for long: a process that ends must not depend on it. */
export async function waitBriefly(work: Promise<unknown>): Promise<void> {
  await within(work, patienceMs);
}
