import { promises as disk } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { compareClaims, type Evidence, type EvidenceStatus, plainPath } from '../changes/evidence.ts';
import type { LeftBehind } from '../changes/left-behind.ts';
import type { Change } from '../changes/snapshot.ts';
import type { Merge } from '../changes/worktree.ts';
import type { JobResult } from './autopilot-output.ts';

/** The folder in a job's run directory for files that git did not merge from its worktree. */
export const leftBehindFolder = 'left_behind';
const maxNamedPaths = 20;

type Delivery = Pick<JobResult, 'warnings' | 'open_questions'> & { readonly evidence: Evidence };

/**
 * Checks which deliverables of an isolated job are in the shared tree, and reports the missing ones. Files in the job's
 * worktree do not count, because git merges neither ignored files nor nested repositories.
 */
export async function judgeDelivery(
  { title, deliverables, evidence, warnings, open_questions }: JobResult,
  { applied, changes, leftBehind }: Merge,
  cwd: string,
  prefix: string,
): Promise<Delivery> {
  const delivered = applied ? await stillPresent(changes, cwd) : [];
  const earlier = new Map(evidence?.files.map(({ path, status }) => [path, status]));
  const statusOf = async (path: string): Promise<EvidenceStatus> => {
    // A file outside the tree was written in place, so the earlier evidence holds.
    if (isAbsolute(path)) return earlier.get(path) ?? 'unchecked';
    return (await exists(resolve(cwd, path))) ? 'unchanged' : 'missing';
  };
  const judged = await compareClaims(deliverables, delivered, cwd, statusOf);
  const missing =
    leftBehind === undefined ? [] : findLeftBehind(deliverables, judged, leftBehind, cwd, prefix);
  return {
    evidence: {
      method: 'git',
      complete: evidence?.complete ?? true,
      ...judged,
      ...(evidence?.checks && { checks: evidence.checks }),
    },
    warnings: leftBehind === undefined ? warnings : [...warnings, leftBehindWarning(leftBehind)],
    open_questions: [
      ...open_questions,
      ...missing.map(
        ({ path, keptAt }) =>
          `${title} created ${path}, but git does not merge it. It is kept in ${keptAt}. Is it needed?`,
      ),
    ],
  };
}

/** The merged changes that no later change has undone. */
async function stillPresent(changes: readonly Change[], cwd: string): Promise<readonly Change[]> {
  const present = await Promise.all(
    changes.map(async (change) =>
      (await exists(resolve(cwd, change.path))) === (change.change !== 'deleted') ? [change] : [],
    ),
  );
  return present.flat();
}

/** The reported files that were not merged, and where they are kept. */
function findLeftBehind(
  deliverables: JobResult['deliverables'],
  { files }: Pick<Evidence, 'files'>,
  { folder, paths }: LeftBehind,
  cwd: string,
  prefix: string,
): readonly { readonly path: string; readonly keptAt: string }[] {
  const verified = new Set(files.filter(({ status }) => status === 'verified').map(({ path }) => path));
  return deliverables.flatMap(({ path: reported }) => {
    const path = plainPath(reported, cwd);
    if (path === undefined || isAbsolute(path) || verified.has(path)) return [];
    const full = prefix + path;
    const isLeftBehind = paths.some(
      (one) => one === full || one === `${full}/` || isInside(full, one) || isInside(one, full),
    );
    return isLeftBehind ? [{ path, keptAt: join(folder, full) }] : [];
  });
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function leftBehindWarning({ folder, paths }: LeftBehind): string {
  const more = paths.length > maxNamedPaths ? ` and ${paths.length - maxNamedPaths} more` : '';
  return `Not merged, because git ignores these paths or they belong to another repository: ${paths.slice(0, maxNamedPaths).join(', ')}${more}. They are kept in ${folder}.`;
}

async function exists(path: string): Promise<boolean> {
  return (await disk.lstat(path).catch(() => undefined)) !== undefined;
}
