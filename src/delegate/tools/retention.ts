import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { listRunIds } from '../run/run-record.ts';
import { hasCall, readEnd } from '../run/run-state.ts';
import { waitingChanges } from '../workspace/waiting-changes.ts';

/** Which runs are kept. A run that has not ended, or whose changes wait to be applied, is always kept. */
export interface Retention {
  /** Older runs are removed. Absent: no limit. */
  readonly ageMs?: number;
  /** The oldest runs are removed until all take less space. Absent: no limit. */
  readonly bytes?: number;
  /** Newest runs to keep in any case. */
  readonly keep?: number;
}

export interface RemovalPlan {
  /** Runs to remove, newest first. */
  readonly removed: readonly string[];
  /** Runs that would be removed, but have changes that wait to be applied. */
  readonly waiting: readonly string[];
  readonly runs: number;
  readonly bytes: number;
  readonly removedBytes: number;
}

/** Says which runs of a folder to remove. Reads only, so that it also works on a full disk. */
export async function planRemoval(
  runsFolder: string,
  { ageMs, bytes: maxBytes, keep = 0 }: Retention,
): Promise<RemovalPlan> {
  const ids = await listRunIds(runsFolder);
  const removed: string[] = [];
  const waiting: string[] = [];
  let kept = 0;
  let removedBytes = 0;
  for (const [index, id] of ids.entries()) {
    const path = join(runsFolder, id);
    const bytes = await folderBytes(path);
    const end = await readEnd(path);
    const isOld =
      end !== undefined && ageMs !== undefined && Date.now() - Date.parse(end.timing.finished_at) >= ageMs;
    const isTooMuch = end !== undefined && maxBytes !== undefined && kept + bytes > maxBytes;
    // Nothing can be done with a folder without a call.
    const isUnwanted = isOld || isTooMuch || !hasCall(path);
    const isWaiting = index >= keep && isUnwanted && (await waitingChanges(path)) !== undefined;
    if (isWaiting) waiting.push(id);
    if (index >= keep && isUnwanted && !isWaiting) {
      removed.push(id);
      removedBytes += bytes;
    } else kept += bytes;
  }
  return { removed, waiting, runs: ids.length, bytes: kept + removedBytes, removedBytes };
}

async function folderBytes(path: string): Promise<number> {
  const entries = await disk.readdir(path, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) bytes += await folderBytes(inner);
    else bytes += ((await disk.lstat(inner).catch(() => undefined))?.blocks ?? 0) * 512;
  }
  return bytes;
}
