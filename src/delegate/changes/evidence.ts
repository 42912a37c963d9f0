import { promises as disk } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { CheckResult } from './acceptance.ts';
import type { Attribution } from './attribution.ts';
import {
  type Change,
  type ChangeKind,
  changesBetween,
  isCovered,
  type Snapshot,
  type SnapshotOptions,
  takeSnapshot,
} from './snapshot.ts';

/**
 * `verified`: claimed by the agent and changed during the run. `missing`: claimed, but does not exist. `unchanged`: claimed
 * and exists, but was not changed. `unreported`: changed by the agent, but not claimed. `unchecked`: claimed, but not a local
 * file.
 */
export type EvidenceStatus = 'verified' | 'missing' | 'unchanged' | 'unreported' | 'unchecked';

export interface FileEvidence {
  readonly path: string;
  readonly status: EvidenceStatus;
  readonly change?: ChangeKind;
}

/** File changes that the server observed, compared with what the agent claims. */
export interface Evidence {
  readonly method: 'git' | 'walk';
  /** False if the folder was too large to be examined in full. */
  readonly complete: boolean;
  readonly files: readonly FileEvidence[];
  /** Number of changed files omitted from the lists. */
  readonly omitted: number;
  /**
   * Changes in a folder that the run shared with others and that the agent did not report writing, or not in full. Its
   * commands or other people made them, so they are not in the patch.
   */
  readonly changed_during_run?: readonly Change[];
  readonly checks?: readonly CheckResult[];
}

/** A file that the agent says it has delivered. */
export interface Claim {
  readonly path: string;
}

const maxListed = 200;
/** Tolerance for file timestamps, which the kernel updates less often than the system clock. */
const clockSlackMs = 50;

/** Compares the folder with its state before the run, and the changes with the deliverables the agent claims. */
export async function gatherEvidence(
  before: Snapshot,
  options: SnapshotOptions,
  deliverables: readonly Claim[],
  attribute: (changes: readonly Change[]) => Promise<Attribution>,
): Promise<{ readonly evidence: Evidence; readonly attribution: Attribution }> {
  const after = await takeSnapshot(options, before);
  const changes = await changesBetween(before, after, options);
  const attribution = await attribute(changes);
  const { reported, others } = attribution;
  const { files, omitted } = await compareClaims(
    deliverables,
    changes,
    options.cwd,
    (path) => statusOnDisk(path, options, before),
    ({ path }) => reported.has(path),
  );
  const evidence: Evidence = {
    method: after.repository === undefined ? 'walk' : 'git',
    complete: before.complete && after.complete,
    files,
    omitted: omitted + Math.max(0, others.length - maxListed),
    ...(others.length > 0 && { changed_during_run: others.slice(0, maxListed) }),
  };
  return { evidence, attribution };
}

/**
 * Compares claims with changes. The result includes the unclaimed changes of the agent. `statusOf` returns the status of a
 * claim without a change.
 */
export async function compareClaims(
  deliverables: readonly Claim[],
  changes: readonly Change[],
  cwd: string,
  statusOf: (path: string) => Promise<EvidenceStatus>,
  isOwn: (change: Change) => boolean = () => true,
): Promise<Pick<Evidence, 'files' | 'omitted'>> {
  const claimed: FileEvidence[] = [];
  const claimedChanges = new Set<Change>();
  const seen = new Set<string>();
  for (const { path: written } of deliverables) {
    const path = plainPath(written, cwd);
    if (seen.has(path ?? written)) continue;
    seen.add(path ?? written);
    if (path === undefined) {
      claimed.push({ path: written, status: 'unchecked' });
      continue;
    }
    const matching = changes.filter(
      (change) => change.path === path || path === '.' || change.path.startsWith(`${path}/`),
    );
    for (const change of matching) claimedChanges.add(change);
    const [first] = matching;
    if (first !== undefined) {
      const kind = first.path === path ? first.change : 'modified';
      claimed.push({ path, status: 'verified', change: kind });
    } else claimed.push({ path, status: await statusOf(path) });
  }
  const unclaimed = changes.filter((change) => !claimedChanges.has(change) && isOwn(change));
  return {
    files: [
      ...claimed,
      ...unclaimed
        .slice(0, maxListed)
        .map(({ path, change }) => ({ path, status: 'unreported' as const, change })),
    ],
    omitted: Math.max(0, unclaimed.length - maxListed),
  };
}

/** The claims that are not true. A run that could not write did not claim to have changed anything. */
export function unmetClaims({ files }: Pick<Evidence, 'files'>, couldWrite: boolean): string[] {
  return files.flatMap(({ path, status }) => {
    if (status === 'missing') return [`${path} was reported as delivered, but does not exist`];
    return status === 'unchanged' && couldWrite
      ? [`${path} was reported as delivered, but was not changed`]
      : [];
  });
}

async function statusOnDisk(
  path: string,
  options: SnapshotOptions,
  before: Snapshot,
): Promise<EvidenceStatus> {
  const stat = await disk.stat(resolve(options.cwd, path)).catch(() => undefined);
  if (stat === undefined) return 'missing';
  if (await isCovered(path, options, before)) return 'unchanged';
  // For files that snapshots do not cover, only the modification time shows whether the run changed them.
  return Math.max(stat.mtimeMs, stat.ctimeMs) >= before.takenAt - clockSlackMs ? 'verified' : 'unchanged';
}

/** Normalizes a path as agents write it: `./a.ts`, `/srv/shop/a.ts`, `a.ts:12` and a.ts in backticks all mean a.ts. */
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
