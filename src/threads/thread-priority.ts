import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Still a third of a normal share, so that work on a busy machine reaches its time limit only if it is really slow. */
const niceness = 5;

/**
 * Lets the main thread, which answers all clients, run before this thread when processor cores are scarce. Does nothing where
 * the system has no priorities of single threads.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    // Linux accepts the id of a thread in place of the id of a process.
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.max(getPriority(thread), niceness));
  } catch {
    // Without permission, the thread keeps its priority.
  }
}
