import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Repository } from './git.ts';

const busy = 5;
const pauses = { shortestMs: 5, longestMs: 100 };

/**
 * Does something to a repository that no other process may do at the same time: merges would overwrite each other, and
 * git's own list of worktrees has no lock. The lock is SQLite's on an empty database: the kernel holds it for the process
 * and releases it when the process ends, however it ends.
 */
export async function withRepositoryLock<Value>(
  folder: string,
  { objects }: Pick<Repository, 'objects'>,
  work: () => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  const [{ DatabaseSync }, { createHash }] = await Promise.all([
    import('node:sqlite'),
    import('node:crypto'),
  ]);
  // Worktrees of one repository share this folder, whatever link they were reached by.
  const shared = dirname(await disk.realpath(objects));
  await disk.mkdir(folder, { recursive: true, mode: 0o700 });
  const name = createHash('sha256').update(shared).digest('hex').slice(0, 32);
  const database = new DatabaseSync(join(folder, `${name}.lock`));
  try {
    // A lock that SQLite waited for itself would stop everything else in this process.
    database.exec('PRAGMA busy_timeout = 0');
    await acquire(database, signal);
    return await work();
  } finally {
    database.close();
  }
}

async function acquire(database: DatabaseSync, signal: AbortSignal | undefined): Promise<void> {
  for (let longest = pauses.shortestMs; ; longest = Math.min(longest * 1.5, pauses.longestMs)) {
    signal?.throwIfAborted();
    if (tryLock(database)) return;
    // Not all at the same moment again.
    await pause(Math.random() * longest + 1, undefined, signal && { signal }).catch(() => {});
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
