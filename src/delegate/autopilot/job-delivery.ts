import { promises as disk } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { compareClaims, type Evidence, type EvidenceStatus, plainPath } from '../changes/evidence.ts';
import type { LeftBehind } from '../changes/left-behind.ts';
import type { Change } from '../changes/snapshot.ts';
import type { Merge } from '../changes/worktree.ts';
import type { JobResult } from './autopilot-output.ts';

/** In the directory of a job: what git did not carry from the job's own tree. */
export const leftBehindFolder = 'left_behind';
/** More are counted, not named. */
const named = 20;

type Delivery = Pick<JobResult, 'warnings' | 'open_questions'> & { readonly evidence: Evidence };

/**
 * Judges a job with a tree of its own by what has arrived in the common tree, and says what has not. What the agent made
 * in the other tree is no evidence: git carries no ignored files and no repositories within the tree.
 */
export async function judgeDelivery(
  { title, deliverables, evidence, warnings, open_questions }: JobResult,
  { applied, changes, leftBehind }: Merge,
  cwd: string,
  prefix: string,
): Promise<Delivery> {
  const arrived = applied ? await present(changes, cwd) : [];
  const earlier = new Map(evidence?.files.map(({ path, status }) => [path, status]));
  const statusOf = async (path: string): Promise<EvidenceStatus> => {
    // Outside of the tree the job has worked in place.
    if (isAbsolute(path)) return earlier.get(path) ?? 'unchecked';
    return (await exists(resolve(cwd, path))) ? 'unchanged' : 'missing';
  };
  const judged = await compareClaims(deliverables, arrived, cwd, statusOf);
  const lost = leftBehind === undefined ? [] : lostClaims(deliverables, judged, leftBehind, cwd, prefix);
  return {
    evidence: {
      method: 'git',
      complete: evidence?.complete ?? true,
      ...judged,
      ...(evidence?.checks && { checks: evidence.checks }),
    },
    warnings: leftBehind === undefined ? warnings : [...warnings, notice(leftBehind)],
    open_questions: [
      ...open_questions,
      ...lost.map(
        ({ path, place }) =>
          `${title} made ${path}, but git does not carry it. It is in ${place}: is it needed?`,
      ),
    ],
  };
}

/** Of the changes that were applied, those that can still be seen. */
async function present(changes: readonly Change[], cwd: string): Promise<readonly Change[]> {
  const seen = await Promise.all(
    changes.map(async (change) =>
      (await exists(resolve(cwd, change.path))) === (change.change !== 'deleted') ? [change] : [],
    ),
  );
  return seen.flat();
}

/** Claimed files that are among those left behind, with where they are. */
function lostClaims(
  deliverables: JobResult['deliverables'],
  { files }: Pick<Evidence, 'files'>,
  { folder, paths }: LeftBehind,
  cwd: string,
  prefix: string,
): readonly { readonly path: string; readonly place: string }[] {
  const verified = new Set(files.filter(({ status }) => status === 'verified').map(({ path }) => path));
  return deliverables.flatMap(({ path: written }) => {
    const path = plainPath(written, cwd);
    if (path === undefined || isAbsolute(path) || verified.has(path)) return [];
    const full = prefix + path;
    const isLost = paths.some(
      (one) => one === full || one === `${full}/` || within(full, one) || within(one, full),
    );
    return isLost ? [{ path, place: join(folder, full) }] : [];
  });
}

function within(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function notice({ folder, paths }: LeftBehind): string {
  const more = paths.length > named ? ` and ${paths.length - named} more` : '';
  return `Not delivered, because git ignores it or it belongs to another repository: ${paths.slice(0, named).join(', ')}${more}. It is kept in ${folder}.`;
}

async function exists(path: string): Promise<boolean> {
  return (await disk.lstat(path).catch(() => undefined)) !== undefined;
}
