import { copyFileSync, promises as disk, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { sql } from 'kysely';
import { Failure } from '../failure.ts';
import { log } from '../log.ts';
import { maxFileBytes, readRegularBytesSync } from '../regular-file.ts';
import { refuseInUse } from '../store/in-use.ts';
import { findDamage, inspectDatabase } from '../store/inspect.ts';
import { moveStore } from '../store/move.ts';
import { createStore, locate } from '../store/store.ts';
import { type BackupFile, type Manifest, openBackup, type Root, unsealBackup } from './archive.ts';
import { type BackupPlaces, datedBackup, filesBelow, writeBackup } from './backup.ts';

export interface RestoreOptions {
  /** Allows a home that is not empty. A backup of it is made first. */
  readonly replace: boolean;
  /** The folder for that backup. */
  readonly copies: string;
  readonly show?: (message: string) => void;
}

export interface Restored {
  readonly manifest: Manifest;
  /** The backup of what was replaced. */
  readonly copy?: string;
  /** What was replaced, if no backup could be made of it because it is damaged. */
  readonly kept: readonly string[];
}

/** Files of the present home that a first start writes. */
const seeds = new Set(['default.jsonl']);
/** The first start writes it as well. */
const ownToken = 'token';

/**
 * Brings a home into the state of a backup. Everything is checked and prepared beside its place before anything changes; if a step
 * fails after that, the steps before it are undone.
 */
export async function restoreBackup(
  file: string,
  places: BackupPlaces,
  { replace, copies, show = () => {} }: RestoreOptions,
): Promise<Restored> {
  show('checking the backup');
  const { manifest, files } = await openBackup(file);
  const plans = planFiles(files, places);
  const { present, isReadable } = await findPresent(places, plans);
  if (present.length > 0 && !replace)
    throw new Failure(
      'refused',
      `There is data already (${present.slice(0, 3).join(', ')}). Restore into an empty home, or add --replace, which makes a backup of the present data first.`,
    );
  if (isReadable) await refuseInUse(places.databaseUrl);
  // A damaged database cannot be copied, so that its file is kept.
  const copy = present.length > 0 && isReadable ? datedBackup(copies) : undefined;
  if (copy !== undefined) {
    show('copying the present data');
    await writeBackup(places, copy, { withSecrets: true });
  }
  const steps = new Steps(!isReadable);
  try {
    for (const plan of plans) await stage(plan, steps);
    show('restoring the database');
    await restoreDatabase(file, places.databaseUrl, replace, steps);
    show('restoring prompts and settings');
    for (const { target, isDatabase } of plans)
      await steps[isDatabase ? 'swapDatabase' : 'swap'](`${target}${staged}`, target);
    await steps.finish();
  } catch (error) {
    await steps.undo();
    throw error;
  }
  return { manifest, kept: steps.kept, ...(copy !== undefined && { copy }) };
}

/** One file or folder to put in its place. */
interface Plan {
  readonly target: string;
  readonly files: readonly BackupFile[];
  /** True if the files are below the target; otherwise the target is the file. */
  readonly isFolder: boolean;
  readonly isDatabase?: boolean;
}

const staged = '.restoring';
const replaced = '.replaced';

function planFiles(files: readonly BackupFile[], places: BackupPlaces): readonly Plan[] {
  const of = (root: Root) => files.filter((one) => one.root === root);
  for (const { path } of files)
    if (isAbsolute(path) || normalize(path).startsWith('..'))
      throw new Failure('invalid-params', `The backup has a file with an invalid name: ${path}`);
  const folders = Object.entries(places.folders).map(([root, target]) => ({
    target: target!,
    files: of(root as Root),
    isFolder: true,
  }));
  const single = (root: Root, target: (path: string) => string | undefined, isDatabase = false) =>
    of(root).flatMap((one) => {
      const path = target(one.path);
      return path === undefined ? [] : [{ target: path, files: [one], isFolder: false, isDatabase }];
    });
  return [
    ...folders.filter((one) => one.files.length > 0),
    ...single('settings', () => places.settingsFile),
    ...single('local', () => places.localFile, true),
    ...single('secrets', (path) => places.secretFiles[path]),
  ];
}

interface Present {
  /** The database and the files that would be replaced. */
  readonly present: readonly string[];
  /** False if the database is a damaged file. */
  readonly isReadable: boolean;
}

async function findPresent(places: BackupPlaces, plans: readonly Plan[]): Promise<Present> {
  const { engine, place } = locate(places.databaseUrl);
  const state = await databaseState(places.databaseUrl).catch((error: unknown) => {
    if (engine === 'postgres') throw error;
    return 'damaged' as const;
  });
  const files = plans.flatMap(({ target, isFolder, isDatabase, files: [file] }) => {
    if (isFolder) return filesBelow(target).filter((path) => !seeds.has(path.slice(target.length + 1)));
    return isDatabase || file!.path === ownToken || isSameFile(target, file!.content) ? [] : [target];
  });
  return {
    present: [...(state === 'empty' ? [] : [place]), ...files],
    isReadable: state !== 'damaged',
  };
}

/** True if there is no such file, or it has this content: nothing of a person is lost. */
function isSameFile(path: string, content: Uint8Array): boolean {
  return !existsSync(path) || readRegularBytesSync(path, maxFileBytes).equals(content);
}

/** A database that a start has created is empty: it holds no people and no documents. */
async function databaseState(url: string): Promise<'empty' | 'used' | 'damaged'> {
  if ((await inspectDatabase(url)).schema === 'none') return 'empty';
  if ((await findDamage(url)) !== undefined) return 'damaged';
  const store = createStore(url);
  try {
    const { rows } = await store.read((db) =>
      sql`select 1 from users union all select 1 from records limit 1`.execute(db),
    );
    return rows.length > 0 ? 'used' : 'empty';
  } finally {
    await store.close();
  }
}

async function stage({ target, files, isFolder }: Plan, steps: Steps): Promise<void> {
  const place = `${target}${staged}`;
  await disk.rm(place, { recursive: true, force: true });
  steps.cleanUp(place);
  if (isFolder) mkdirSync(place, { recursive: true, mode: 0o700 });
  for (const { path, content } of files) {
    const file = isFolder ? join(place, ...path.split('/')) : place;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600, flush: true });
  }
}

async function restoreDatabase(file: string, url: string, replaces: boolean, steps: Steps): Promise<void> {
  const { engine, target } = locate(url);
  // On the disk of the database, so that it can be renamed.
  const beside = dirname(engine === 'sqlite' ? target : file);
  mkdirSync(beside, { recursive: true, mode: 0o700 });
  const folder = await disk.mkdtemp(join(beside, '.restore-'));
  steps.cleanUp(folder);
  const copy = join(folder, 'adjutant.db');
  copyFileSync(file, copy);
  await unsealBackup(copy);
  const from = createStore(copy);
  try {
    // Opening it updates the schema of an earlier version.
    await from.read(async () => {});
    if (engine === 'postgres') {
      const to = createStore(url);
      try {
        await moveStore(from, to, { intoOther: replaces, replaces });
      } finally {
        await to.close();
      }
    }
  } finally {
    await from.close();
  }
  if (engine === 'sqlite') await steps.swapDatabase(copy, target);
}

/** Renames that can be undone. */
class Steps {
  readonly #undo: (() => Promise<void>)[] = [];
  readonly #waste: string[] = [];
  /** What was set aside and stays. */
  readonly kept: string[] = [];
  readonly #keeps: boolean;

  /** `keeps` what is set aside. */
  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  /** Removes the path at the end, whatever happens. */
  cleanUp(path: string): void {
    this.#waste.push(path);
  }

  async setAside(target: string): Promise<void> {
    const aside = `${target}${replaced}`;
    await disk.rm(aside, { recursive: true, force: true });
    await disk.rename(target, aside);
    if (this.#keeps) this.kept.push(aside);
    else this.cleanUp(aside);
    this.#undo.push(() => disk.rename(aside, target));
  }

  async swap(from: string, target: string): Promise<void> {
    if (existsSync(target)) await this.setAside(target);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    await disk.rename(from, target);
    this.#undo.push(() => disk.rm(target, { recursive: true, force: true }));
  }

  /** SQLite would apply the log of the present file to the new one. A server that was killed leaves such a log. */
  async swapDatabase(from: string, target: string): Promise<void> {
    for (const suffix of ['-wal', '-shm', '-journal'])
      if (existsSync(`${target}${suffix}`)) await this.setAside(`${target}${suffix}`);
    await this.swap(from, target);
  }

  async undo(): Promise<void> {
    for (const step of this.#undo.reverse())
      await step().catch((error: unknown) => log('error', 'a step of restore could not be undone', error));
    await this.finish();
  }

  async finish(): Promise<void> {
    for (const path of this.#waste) await disk.rm(path, { recursive: true, force: true });
  }
}
