import { promises as disk } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { readRegularFile } from '../regular-file.ts';
import type { SamplePerson } from './sample-person.ts';

/** What the demo created. It is recorded, so that exactly this can be removed. */
export interface Placed {
  readonly files: readonly string[];
  /** Folders that were created for the files, innermost first. */
  readonly folders: readonly string[];
  readonly runs: readonly string[];
  /** Null if there is none. Absent in records of older versions. */
  readonly person?: SamplePerson | null;
}

const nothing: Placed = { files: [], folders: [], runs: [], person: null };

export async function loadPlaced(stateFile: string): Promise<Placed> {
  try {
    const { person: _, ...empty } = nothing;
    return { ...empty, ...(JSON.parse(await readRegularFile(stateFile)) as Partial<Placed>) };
  } catch {
    return nothing;
  }
}

export async function savePlaced(stateFile: string, placed: Placed): Promise<void> {
  await disk.mkdir(dirname(stateFile), { recursive: true, mode: 0o700 });
  await disk.writeFile(stateFile, JSON.stringify(placed), { mode: 0o600 });
}

export async function deletePlaced(stateFile: string, { folders }: Placed): Promise<void> {
  await disk.rm(stateFile, { force: true });
  await removeFolders(folders);
}

/** Creates files. The list is saved before the first file is written, so that a crash leaves no unknown file behind. */
export async function placeFiles(
  samples: ReadonlyMap<string, string>,
  stateFile: string,
  before: Placed,
): Promise<Placed> {
  const files = [...samples.keys()];
  for (const file of files)
    if (await exists(file))
      throw new Failure('conflict', `${file} already exists and is not sample data; rename it first`);
  const missing = new Set<string>();
  for (const file of [...files, stateFile])
    for (let folder = dirname(file); !(await exists(folder)); folder = dirname(folder)) missing.add(folder);
  const folders = [...new Set([...missing, ...before.folders])].sort(
    (one, other) => other.length - one.length,
  );
  const placed: Placed = { ...before, files, folders, runs: [] };
  await savePlaced(stateFile, placed);
  for (const [file, text] of samples) {
    // Run files must be private. The same mode does no harm to the other files.
    await disk.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await disk.writeFile(file, text, { flag: 'wx', mode: 0o600 });
  }
  return placed;
}

/** Removes the files and returns those that existed. */
export async function removeFiles({ files, folders, runs }: Placed): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const file of files) {
    if (await exists(file)) removed.push(file);
    await disk.rm(file, { force: true });
  }
  await removeFolders(folders);
  for (const folder of runs) await disk.rm(folder, { recursive: true, force: true });
  return removed;
}

/** Removes empty folders. A folder that contains other files is kept. */
async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await disk.rmdir(folder).catch(() => {});
}

async function exists(path: string): Promise<boolean> {
  return disk.access(path).then(
    () => true,
    () => false,
  );
}
