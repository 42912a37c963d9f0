import { promises as disk } from 'node:fs';
import { log } from '../../log.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { type Claim, type Evidence, gatherEvidence } from './evidence.ts';
import { Repository, type RepositoryPlace } from './git.ts';
import { describeChanges, forgetKept, type Kept, keepBefore, patchFile } from './patch.ts';
import { type Snapshot, type SnapshotPlace, takeSnapshot } from './snapshot.ts';

/** Hidden, and only there while the run is: whoever finishes it needs to know how things were before. */
const file = '.before.json';

/** How things were, and where the content of that state is kept. */
type Before = Snapshot & Kept;

export interface RunChanges {
  readonly evidence: Evidence;
  /** What the run changed; absent where nothing was, and where it cannot be told. */
  readonly patch?: string;
}

/** Looks at the working folder before an agent that may write begins. */
export async function recordBefore(directory: RunDirectory, place: SnapshotPlace): Promise<void> {
  const snapshot = await takeSnapshot(place);
  const kept = await keepBefore(directory, place, snapshot).catch((error: unknown) => {
    log('info', `there will be no ${patchFile} for ${directory.id}`, error);
    return {};
  });
  const { repository, files, ...rest } = snapshot;
  await directory.writeJson(file, {
    ...rest,
    ...kept,
    files: [...files],
    ...(repository !== undefined && { repository: repository.place }),
  });
}

/** Looks again and compares. An agent that could only read has changed nothing, so for it once is enough. */
export async function recordAfter(
  directory: RunDirectory,
  place: SnapshotPlace,
  claims: readonly Claim[],
  couldWrite: boolean,
): Promise<RunChanges | undefined> {
  try {
    if (!couldWrite && claims.length === 0) return undefined;
    const before: Before | undefined = couldWrite
      ? await loadBefore(directory, place)
      : await takeSnapshot(place);
    if (before === undefined) return undefined;
    const { evidence, changes } = await gatherEvidence(before, place, claims);
    const patch = await describeChanges(directory, place, before, changes).catch((error: unknown) => {
      log('info', `there is no ${patchFile} for ${directory.id}`, error);
      return undefined;
    });
    return { evidence, ...(patch !== undefined && { patch }) };
  } catch (error) {
    log('warning', `there is no evidence for ${directory.id}`, error);
    return undefined;
  }
}

/** Once the result is written, how things were before is of no more use. */
export async function discardBefore(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(file), { force: true });
  await forgetKept(directory);
}

async function loadBefore(directory: RunDirectory, { env }: SnapshotPlace): Promise<Before | undefined> {
  const text = await readRegularFile(directory.file(file), maxFileBytes).catch(() => undefined);
  if (text === undefined) return undefined;
  const { repository, files, ...rest } = JSON.parse(text) as Omit<Before, 'repository' | 'files'> & {
    readonly repository?: RepositoryPlace;
    readonly files: readonly [string, string][];
  };
  return {
    ...rest,
    files: new Map(files),
    ...(repository !== undefined && { repository: new Repository(repository, env) }),
  };
}
