import { promises as disk } from 'node:fs';
import { log } from '../log.ts';
import { type Claim, type Evidence, gatherEvidence } from './evidence.ts';
import { Repository, type RepositoryPlace } from './git.ts';
import type { RunDirectory } from './run-directory.ts';
import { type Snapshot, type SnapshotPlace, takeSnapshot } from './snapshot.ts';

/** Hidden, and only there while the run is: whoever finishes it needs to know how things were before. */
const file = '.before.json';

/** Looks at the working folder before an agent that may write begins. */
export async function lookBefore(directory: RunDirectory, place: SnapshotPlace): Promise<void> {
  const { repository, files, ...rest } = await takeSnapshot(place);
  const { gitDir, root, prefix } = repository ?? {};
  await directory.writeJson(file, {
    ...rest,
    files: [...files],
    ...(repository !== undefined && { repository: { gitDir, root, prefix } }),
  });
}

/** Looks again and compares. An agent that could only read has changed nothing, so for it once is enough. */
export async function lookAfter(
  directory: RunDirectory,
  place: SnapshotPlace,
  claims: readonly Claim[],
  couldWrite: boolean,
): Promise<Evidence | undefined> {
  try {
    if (!couldWrite && claims.length === 0) return undefined;
    const before = couldWrite ? await loadSnapshot(directory, place) : await takeSnapshot(place);
    return before && (await gatherEvidence(before, place, claims));
  } catch (error) {
    log('warning', `there is no evidence for ${directory.id}`, error);
    return undefined;
  }
}

/** Once the result is written, how things were before is of no more use. */
export async function forgetBefore(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(file), { force: true });
}

async function loadSnapshot(directory: RunDirectory, { env }: SnapshotPlace): Promise<Snapshot | undefined> {
  const text = await disk.readFile(directory.file(file), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { repository, files, ...rest } = JSON.parse(text) as Omit<Snapshot, 'repository' | 'files'> & {
    readonly repository?: RepositoryPlace;
    readonly files: readonly [string, string][];
  };
  return {
    ...rest,
    files: new Map(files),
    ...(repository !== undefined && { repository: new Repository(repository, env) }),
  };
}
