import { promises as disk } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { CheckResult } from './acceptance.ts';
import type { Change, ChangeKind } from './folder-changes.ts';
import { displayPath } from './tree.ts';

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
  /** Where the changes were found. `none` if the run worked without an isolated view. Earlier versions compared the folder. */
  readonly method: 'overlay' | 'copy' | 'none' | 'git' | 'walk';
  /** False if the changes could not be examined, or were not recorded. */
  readonly complete: boolean;
  readonly files: readonly FileEvidence[];
  /** Number of changed files omitted from the lists. */
  readonly omitted: number;
  readonly checks?: readonly CheckResult[];
}

/** A file that the agent says it has delivered. */
export interface Claim {
  readonly path: string;
}

interface Delivered extends Claim {
  readonly description: string;
}

const maxListed = 200;
/**
 * Compares claims with changes. The result includes the unclaimed changes of the agent. A claim without a change is `unchanged`
 * if the run could not write or all its changes are known.
 */
export async function compareClaims(
  deliverables: readonly Claim[],
  changes: readonly Change[],
  cwd: string,
  isKnown = true,
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
    } else claimed.push({ path, status: await statusOnDisk(path, cwd, isKnown) });
  }
  const unclaimed = changes.filter((change) => !claimedChanges.has(change));
  return {
    files: [
      ...claimed,
      ...unclaimed
        .slice(0, maxListed)
        .map(({ path, change }) => ({ path: displayPath(path), status: 'unreported' as const, change })),
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

async function statusOnDisk(path: string, cwd: string, isKnown: boolean): Promise<EvidenceStatus> {
  const stat = await disk.stat(resolve(cwd, path)).catch(() => undefined);
  if (stat === undefined) return 'missing';
  return isKnown && !isAbsolute(path) ? 'unchanged' : 'unchecked';
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

/** One entry per file, however its path was spelled, with all its descriptions. */
export function uniqueDeliverables(all: readonly Delivered[], cwd: string): Delivered[] {
  const byPath = new Map<string, { path: string; descriptions: string[] }>();
  for (const { path, description } of all) {
    const key = plainPath(path, cwd) ?? path;
    const known = byPath.get(key) ?? { path: key, descriptions: [] };
    byPath.set(key, known);
    const text = description.trim();
    if (text !== '' && !known.descriptions.some((one) => normalize(one) === normalize(text)))
      known.descriptions.push(text);
  }
  return [...byPath.values()].map(({ path, descriptions }) => ({
    path,
    description: descriptions.join('; '),
  }));
}

/** Texts that differ only in case, spacing or final punctuation count as equal. */
export function normalize(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.!]+$/, '')
    .toLowerCase();
}
