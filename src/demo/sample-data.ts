import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../atomic-file.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { log } from '../log.ts';
import { readRegularFile } from '../regular-file.ts';
import type { DemoOptions } from './demo.ts';
import { addPerson, removePerson, type SamplePerson } from './sample-person.ts';
import { sampleRun } from './sample-run.ts';
import { commandFiles, events, libraryFiles, mark, question, user } from './samples.ts';

/** Loads everything or nothing: after a failure, the part already created is removed. */
export async function load(options: DemoOptions, context: Context) {
  const before = await loadPlaced(options.stateFile);
  try {
    return await loadAll(options, before, context);
  } catch (error) {
    await remove(options, context).catch((removalError: unknown) =>
      log('warning', 'cannot remove the sample data; try again with adjutant demo remove', removalError),
    );
    throw error;
  }
}

async function loadAll(options: DemoOptions, before: Placed, context: Context) {
  const { stateFile } = options;
  const runFiles = sampleRun(options.runsDir, options.commandsDir, Date.now());
  let placed = await placeFiles(new Map([...sampleFiles(options), ...runFiles]), stateFile, before);
  const record = async (more: Partial<Placed>) => {
    placed = { ...placed, ...more };
    replaceFile(stateFile, JSON.stringify(placed));
  };
  const person = await addPerson({ ...options, context }, before.person ?? undefined, (one) =>
    record({ person: one }),
  );
  const { run_dir } = await options.call(
    'delegate_autopilot',
    { task: question, cwd: options.commandsDir, sandbox: 'read-only' },
    context,
  );
  const runs = [run_dir];
  await record({ runs });
  return {
    prompts: placed.files.filter(isPrompt).length,
    events: person.events.length,
    runs: runs.length + 1,
  };
}

export async function remove(options: DemoOptions, context: Context) {
  const placed = await loadPlaced(options.stateFile);
  const removedFiles = await removeFiles(placed);
  const person = personOf(placed);
  const { events: removed, kept } =
    person === undefined ? { events: 0, kept: [] } : await removePerson({ ...options, context }, person);
  if (person === undefined || kept.length === 0) await deletePlaced(options.stateFile, placed);
  else {
    const rest: Placed = { ...placed, files: [], runs: [], person: { ...person, events: [] } };
    replaceFile(options.stateFile, JSON.stringify(rest));
  }
  return {
    prompts: removedFiles.filter(isPrompt).length,
    events: removed,
    runs: removedFiles.length === 0 ? 0 : placed.runs.length + 1,
    ...(kept.length > 0 && {
      kept: `The sample person ${person!.id} was kept because of ${kept.join(', ')}.`,
    }),
  };
}

/** Older versions recorded no person, but always used the same ids. */
function personOf({ person, files }: Placed): SamplePerson | undefined {
  if (person === undefined && files.length > 0) return { id: user.id, events: events.map(({ id }) => id) };
  return person ?? undefined;
}

function isPrompt(file: string): boolean {
  return file.endsWith('.md');
}

function sampleFiles({ commandsDir, librariesDir }: DemoOptions): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(commandFiles).map(([name, text]) => [join(commandsDir, name), text] as const),
    ...Object.entries(libraryFiles).map(([name, text]) => [join(librariesDir, mark, name), text] as const),
  ]);
}

/** What the demo created. It is recorded, so that exactly this can be removed. */
interface Placed {
  readonly files: readonly string[];
  /** Folders that were created for the files, innermost first. */
  readonly folders: readonly string[];
  readonly runs: readonly string[];
  /** Null if there is none. Absent in records of older versions. */
  readonly person?: SamplePerson | null;
}

const nothing: Placed = { files: [], folders: [], runs: [], person: null };

async function loadPlaced(stateFile: string): Promise<Placed> {
  try {
    const { person: _, ...empty } = nothing;
    return { ...empty, ...(JSON.parse(await readRegularFile(stateFile)) as Partial<Placed>) };
  } catch {
    return nothing;
  }
}

async function deletePlaced(stateFile: string, { folders }: Placed): Promise<void> {
  await disk.rm(stateFile, { force: true });
  await removeFolders(folders);
}

/** Creates files. The list is saved before the first file is written, so that a crash leaves no unknown file behind. */
async function placeFiles(
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
  replaceFile(stateFile, JSON.stringify(placed));
  for (const [file, text] of samples) {
    // Run files must be private. The same mode does no harm to the other files.
    await disk.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await disk.writeFile(file, text, { flag: 'wx', mode: 0o600 });
  }
  return placed;
}

/** Removes the files and returns those that existed. */
async function removeFiles({ files, folders, runs }: Placed): Promise<readonly string[]> {
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
