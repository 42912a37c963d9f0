import { promises as disk } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { CheckResult } from './acceptance.ts';
import {
  type Change,
  type ChangeKind,
  changesBetween,
  isCovered,
  type Snapshot,
  type SnapshotPlace,
  takeSnapshot,
} from './snapshot.ts';

/**
 * `verified`: claimed, and changed by the run. `missing`: claimed, and not there. `unchanged`: claimed and there, but the
 * run did not touch it. `unreported`: changed, and not claimed. `unchecked`: claimed, but no file of this machine.
 */
export type EvidenceStatus = 'verified' | 'missing' | 'unchanged' | 'unreported' | 'unchecked';

export interface FileEvidence {
  readonly path: string;
  readonly status: EvidenceStatus;
  readonly change?: ChangeKind;
}

/** What the server saw, beside what the agent said. */
export interface Evidence {
  readonly method: 'git' | 'walk';
  /** False when the folder was too large to be looked at in full. */
  readonly complete: boolean;
  readonly files: readonly FileEvidence[];
  /** How many changed files are left out of the list. */
  readonly omitted: number;
  readonly checks?: readonly CheckResult[];
}

/** Something an agent says it has delivered. */
export interface Claim {
  readonly path: string;
}

const listed = 200;
/** File times come from a clock that ticks more slowly than ours. */
const clockSlackMs = 50;

/** Compares the folder with how it was before the run and sets it against what the agent says it delivered. */
export async function gatherEvidence(
  before: Snapshot,
  place: SnapshotPlace,
  deliverables: readonly Claim[],
): Promise<{ readonly evidence: Evidence; readonly changes: readonly Change[] }> {
  const after = await takeSnapshot(place, before);
  const changes = await changesBetween(before, after, place);
  const evidence: Evidence = {
    method: after.repository === undefined ? 'walk' : 'git',
    complete: before.complete && after.complete,
    ...(await judge(deliverables, changes, place.cwd, (path) => statusOnDisk(path, place, before))),
  };
  return { evidence, changes };
}

/** Sets claims against changes; a change that nobody claimed is part of the answer. `statusOf` judges the other claims. */
export async function judge(
  deliverables: readonly Claim[],
  changes: readonly Change[],
  cwd: string,
  statusOf: (path: string) => Promise<EvidenceStatus>,
): Promise<Pick<Evidence, 'files' | 'omitted'>> {
  const claimed: FileEvidence[] = [];
  const accounted = new Set<Change>();
  for (const { path: written } of deliverables) {
    const path = plainPath(written, cwd);
    if (path === undefined) {
      claimed.push({ path: written, status: 'unchecked' });
      continue;
    }
    const own = changes.filter(
      (change) => change.path === path || path === '.' || change.path.startsWith(`${path}/`),
    );
    for (const change of own) accounted.add(change);
    const [first] = own;
    if (first !== undefined) {
      const kind = first.path === path ? first.change : 'modified';
      claimed.push({ path, status: 'verified', change: kind });
    } else claimed.push({ path, status: await statusOf(path) });
  }
  const silent = changes.filter((change) => !accounted.has(change));
  return {
    files: [
      ...claimed,
      ...silent.slice(0, listed).map(({ path, change }) => ({ path, status: 'unreported' as const, change })),
    ],
    omitted: Math.max(0, silent.length - listed),
  };
}

async function statusOnDisk(path: string, place: SnapshotPlace, before: Snapshot): Promise<EvidenceStatus> {
  const stat = await disk.stat(resolve(place.cwd, path)).catch(() => undefined);
  if (stat === undefined) return 'missing';
  if (await isCovered(path, place, before)) return 'unchanged';
  // Of what no snapshot shows, only the time of its last change can tell.
  return Math.max(stat.mtimeMs, stat.ctimeMs) >= before.takenAt - clockSlackMs ? 'verified' : 'unchanged';
}

/** Agents write `./a.ts`, `/srv/shop/a.ts`, `a.ts:12` and a.ts in backticks; all of them mean a.ts. */
export function plainPath(written: string, cwd: string): string | undefined {
  const bare = written
    .trim()
    .replaceAll(/^[`"']+|[`"']+$/g, '')
    .replace(/^file:\/\//, '')
    .replace(/(?:#L\d+(?:-L?\d+)?|:\d+(?:[:-]\d+)?)$/, '');
  if (bare === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(bare) || /[\p{Cc}]/u.test(bare)) return undefined;
  const below = relative(cwd, resolve(cwd, bare));
  if (below === '') return '.';
  if (isAbsolute(below) || below.split(sep)[0] === '..') return resolve(cwd, bare);
  return below.split(sep).join('/');
}
