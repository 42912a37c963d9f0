import { promises as disk } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { readRegularFile } from '../regular-file.ts';
import type { SamplePerson } from './sample-person.ts';

/** What the demonstration put where, noted so that it can take away exactly that. */
export interface Placed {
  readonly files: readonly string[];
  /** Those that were made for the files, the inner ones first. */
  readonly folders: readonly string[];
  readonly runs: readonly string[];
  /** Null where there is none; absent in what versions noted that knew one person only. */
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
  await disk.mkdir(dirname(stateFile), { recursive: true });
  await disk.writeFile(stateFile, JSON.stringify(placed));
}

export async function forgetPlaced(stateFile: string, { folders }: Placed): Promise<void> {
  await disk.rm(stateFile, { force: true });
  await rmdirs(folders);
}

/** Writes files where none are. They are noted before the first one, so that whatever happens none is forgotten. */
export async function placeFiles(
  samples: ReadonlyMap<string, string>,
  stateFile: string,
  before: Placed,
): Promise<Placed> {
  const files = [...samples.keys()];
  for (const file of files)
    if (await exists(file))
      throw new Failure('conflict', `${file} is not sample data and would be in its way; rename it first`);
  const missing = new Set<string>();
  for (const file of [...files, stateFile])
    for (let folder = dirname(file); !(await exists(folder)); folder = dirname(folder)) missing.add(folder);
  const folders = [...new Set([...missing, ...before.folders])].sort(
    (one, other) => other.length - one.length,
  );
  const placed: Placed = { ...before, files, folders, runs: [] };
  await savePlaced(stateFile, placed);
  for (const [file, text] of samples) {
    // What runs leave is for their owner's eyes only, and the rest loses nothing by it.
    await disk.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await disk.writeFile(file, text, { flag: 'wx', mode: 0o600 });
  }
  return placed;
}

/** Tells which files there were. */
export async function removeFiles({ files, folders, runs }: Placed): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const file of files) {
    if (await exists(file)) gone.push(file);
    await disk.rm(file, { force: true });
  }
  await rmdirs(folders);
  for (const folder of runs) await disk.rm(folder, { recursive: true, force: true });
  return gone;
}

/** A folder that others have put something into stays. */
async function rmdirs(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await disk.rmdir(folder).catch(() => {});
}

async function exists(path: string): Promise<boolean> {
  return disk.access(path).then(
    () => true,
    () => false,
  );
}
