import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createPrivateFile } from '../../regular-file.ts';
import type { Repository } from './git.ts';

const sqliteBusy = 5;
const backoff = { minMs: 5, maxMs: 100 };

/**
 * Runs `work` while holding a lock on the repository that all processes respect. Without it, parallel merges would
 * overwrite each other, and git does not lock its list of worktrees. The lock is an exclusive SQLite transaction on an
 * empty database, which the operating system releases even if the process crashes.
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
  // All worktrees of a repository share this folder. Resolve links, so that they get the same lock.
  const shared = dirname(await disk.realpath(objects));
  const name = createHash('sha256').update(shared).digest('hex').slice(0, 32);
  const file = join(folder, `${name}.lock`);
  createPrivateFile(file);
  const database = new DatabaseSync(file);
  try {
    // Waiting inside SQLite would block the event loop.
    database.exec('PRAGMA busy_timeout = 0');
    await acquire(database, signal);
    return await work();
  } finally {
    database.close();
  }
}

async function acquire(database: DatabaseSync, signal: AbortSignal | undefined): Promise<void> {
  for (let maxDelay = backoff.minMs; ; maxDelay = Math.min(maxDelay * 1.5, backoff.maxMs)) {
    signal?.throwIfAborted();
    if (tryLock(database)) return;
    // Random backoff, so that waiting processes do not retry at the same moment.
    await pause(Math.random() * maxDelay + 1, undefined, signal && { signal }).catch(() => {});
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return false;
    throw error;
  }
}
