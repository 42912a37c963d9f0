import { join } from 'node:path';
import type { Context } from '../context.ts';
import { log } from '../log.ts';
import type { DemoOptions } from './demo.ts';
import {
  deletePlaced,
  loadPlaced,
  type Placed,
  placeFiles,
  removeFiles,
  savePlaced,
} from './placed-files.ts';
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
    await savePlaced(stateFile, placed);
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
  else
    await savePlaced(options.stateFile, {
      ...placed,
      files: [],
      runs: [],
      person: { ...person, events: [] },
    });
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
