import { promises as disk } from 'node:fs';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import type { ReportedWrite } from '../agents/agent.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { attribute, unknown } from './attribution.ts';
import { type Claim, type Evidence, gatherEvidence } from './evidence.ts';
import { Repository, type RepositoryPaths } from './git.ts';
import {
  ContentStore,
  createPatch,
  discardStore,
  patchFile,
  type StoredContent,
  storeContent,
} from './patch.ts';
import { type Snapshot, type SnapshotOptions, takeSnapshot } from './snapshot.ts';

/** Hidden file with the state before the run, so that any server can finish the run. Deleted when the run ends. */
const beforeFile = '.before.json';

/** The snapshot before the run, and where its content is stored. */
type Before = Snapshot & StoredContent;

export interface RunChanges {
  readonly evidence: Evidence;
  /** The changes of the agent as a patch. Absent if there are none or if they could not be determined. */
  readonly patch?: string;
}

/** Records the state of the working folder before a run that may write. */
export async function recordBefore(directory: RunDirectory, options: SnapshotOptions): Promise<void> {
  const snapshot = await takeSnapshot(options);
  const stored = await storeContent(directory, options, snapshot).catch((error: unknown) => {
    log('info', `run ${directory.id} will have no ${patchFile}: the folder could not be recorded`, error);
    return {};
  });
  const { repository, files, ...rest } = snapshot;
  await directory.writeJson(beforeFile, {
    ...rest,
    ...stored,
    files: [...files],
    ...(repository !== undefined && { repository: repository.paths }),
  });
}

/**
 * Compares the working folder with its state before the run. A read-only run needs no earlier state, and no comparison if it
 * claims nothing. Rejects if the folder cannot be examined. The patch contains only what the agent reported writing, because
 * other people can change the folder during the run.
 */
export async function recordAfter(
  directory: RunDirectory,
  options: SnapshotOptions,
  claims: readonly Claim[],
  couldWrite: boolean,
  writes: readonly ReportedWrite[],
): Promise<RunChanges | undefined> {
  if (!couldWrite && claims.length === 0) return undefined;
  const stat = await disk.stat(options.cwd).catch(() => undefined);
  if (!stat?.isDirectory())
    throw new Failure('unavailable', `the folder ${options.cwd} does not exist any more`);
  const before: Before | undefined = couldWrite
    ? await loadBefore(directory, options)
    : await takeSnapshot(options);
  if (before === undefined) throw new Failure('unavailable', 'its state before the run was not recorded');
  const { tree, unkept = [] } = before;
  let store: Promise<ContentStore> | undefined;
  const open = () => {
    store ??= ContentStore.open(directory, options, before);
    return store;
  };
  const { evidence, attribution } = await gatherEvidence(before, options, claims, (changes) =>
    attribute(changes, writes, options.cwd, async (paths) => {
      if (tree === undefined) return () => unknown;
      const contents = await (await open()).read(tree, paths);
      return (path) => (unkept.includes(path) ? unknown : contents.get(path));
    }),
  );
  const patch = await createPatch(open, options, before, attribution.own, attribution.parts).catch(
    (error: unknown) => {
      log('info', `run ${directory.id} has no ${patchFile}: the changes could not be compared`, error);
      return undefined;
    },
  );
  return { evidence, ...(patch !== undefined && { patch }) };
}

/** Deletes the recorded state. Call it when the result is written. */
export async function discardBefore(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(beforeFile), { force: true });
  await discardStore(directory);
}

async function loadBefore(directory: RunDirectory, { env }: SnapshotOptions): Promise<Before | undefined> {
  const text = await readRegularFile(directory.file(beforeFile), maxFileBytes).catch(() => undefined);
  if (text === undefined) return undefined;
  const { repository, files, ...rest } = JSON.parse(text) as Omit<Before, 'repository' | 'files'> & {
    readonly repository?: RepositoryPaths;
    readonly files: readonly [string, string][];
  };
  return {
    ...rest,
    files: new Map(files),
    ...(repository !== undefined && { repository: new Repository(repository, env) }),
  };
}
