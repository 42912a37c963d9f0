import { copyFileSync, promises as disk, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { sql } from 'kysely';
import { Failure } from '../failure.ts';
import { log } from '../log.ts';
import { maxFileBytes, readRegularBytesSync, readRegularFileSync } from '../regular-file.ts';
import { noteBackup } from '../store/damage.ts';
import { refuseInUse } from '../store/in-use.ts';
import { findDamage, inspectDatabase } from '../store/inspect.ts';
import { moveStore } from '../store/move.ts';
import { createStore, locate } from '../store/store.ts';
import { type BackupFile, type Manifest, openBackup, type Root, unsealBackup } from './archive.ts';
import { type BackupPlaces, datedBackup, filesBelow, writeBackup } from './backup.ts';
import { keepSecretRecords, type LeftOut } from './secrets.ts';

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
  /** The secrets that the backup left out and the home does not have. */
  readonly missing: readonly LeftOut[];
  /** Tokens of the backup that the home had revoked or replaced. */
  readonly revoked: readonly string[];
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
  const { manifest, files: stored } = await openBackup(file);
  const leftOut = manifest.secrets_left_out ?? [];
  const { files, missing } = await withPresentSettings(stored, places, leftOut);
  const planned = planFiles(files, places, replace ? (manifest.folders ?? []) : []);
  const { present, isReadable, isUsed } = await findPresent(places, planned);
  if (present.length > 0 && !replace)
    throw new Failure(
      'refused',
      `There is data already (${present.slice(0, 3).join(', ')}). Restore into an empty home, or add --replace, which makes a backup of the present data first.`,
    );
  const { plans, revoked } =
    present.length > 0 ? withoutRevoked(planned, places) : { plans: planned, revoked: [] };
  if (isReadable) await refuseInUse(places.databaseUrl);
  // A damaged database cannot be copied, so that its file is kept.
  const copy = present.length > 0 && isReadable ? datedBackup(copies) : undefined;
  if (copy !== undefined) {
    show('copying the present data');
    await writeBackup(places, copy, { withSecrets: true, beforeReplacing: true });
  }
  const steps = new Steps(!isReadable);
  try {
    for (const plan of plans) await stage(plan, steps);
    const records = leftOut.filter(({ kind }) => kind !== 'setting' && kind !== 'file');
    const staging = { steps, keep: isUsed ? records : [] };
    const { copy: database, kept } = await stageDatabase(file, places.databaseUrl, staging);
    missing.push(...records.filter((one) => !kept.includes(one)));
    show('restoring prompts and settings');
    for (const { target, isDatabase } of plans)
      await steps[isDatabase ? 'swapDatabase' : 'swap'](`${target}${staged}`, target);
    show('restoring the database');
    // The last step, because the transaction of PostgreSQL cannot be undone.
    await replaceDatabase(database, places.databaseUrl, replace, steps);
  } catch (error) {
    await steps.undo();
    throw error;
  }
  await steps.finish();
  const { engine, target } = locate(places.databaseUrl);
  if (engine === 'sqlite') await noteBackup(target, resolve(file)).catch(() => {});
  return { manifest, kept: steps.kept, missing, revoked, ...(copy !== undefined && { copy }) };
}

/** A restore keeps the present secrets in place of those that the backup left out. */
async function withPresentSettings(
  files: readonly BackupFile[],
  { settingsFile, secretFiles, withSecretsOf }: BackupPlaces,
  leftOut: readonly LeftOut[],
): Promise<{ readonly files: readonly BackupFile[]; readonly missing: LeftOut[] }> {
  const missing = leftOut.filter(({ kind, name }) => kind === 'file' && !existsSync(secretFiles[name] ?? ''));
  const names = leftOut.flatMap(({ kind, name }) => (kind === 'setting' ? [name] : []));
  if (names.length === 0) return { files, missing };
  const present = existsSync(settingsFile) ? readRegularFileSync(settingsFile) : '';
  const withPresent = async (one: BackupFile) => {
    if (one.root !== 'settings') return one;
    const merged = await withSecretsOf(Buffer.from(one.content).toString('utf8'), present, names);
    missing.push(...merged.missing.map((name) => ({ kind: 'setting', name })));
    return { ...one, content: Buffer.from(merged.text) };
  };
  return { files: await Promise.all(files.map(withPresent)), missing };
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

/** Only some folders are `emptied` if the backup has no files for them: not those that were outside of the home. */
function planFiles(
  files: readonly BackupFile[],
  places: BackupPlaces,
  emptied: readonly Root[],
): readonly Plan[] {
  const of = (root: Root) => files.filter((one) => one.root === root);
  for (const { path } of files)
    if (isAbsolute(path) || normalize(path).startsWith('..'))
      throw new Failure('invalid-params', `The backup has a file with an invalid name: ${path}`);
  const folders = Object.entries(places.folders).map(([root, target]) => ({
    target: target!,
    files: of(root as Root),
    isFolder: true,
    isEmptied: emptied.includes(root as Root) && existsSync(target!),
  }));
  const single = (root: Root, target: (path: string) => string | undefined, isDatabase = false) =>
    of(root).flatMap((one) => {
      const path = target(one.path);
      return path === undefined ? [] : [{ target: path, files: [one], isFolder: false, isDatabase }];
    });
  return [
    ...folders.filter((one) => one.files.length > 0 || one.isEmptied),
    ...single('settings', () => places.settingsFile),
    ...single('local', () => places.localFile, true),
    ...single('secrets', (path) => places.secretFiles[path]),
  ];
}

/** A token that the home has revoked or replaced since the backup must not become valid again. */
function withoutRevoked(
  plans: readonly Plan[],
  { folders, secretFiles }: BackupPlaces,
): { readonly plans: readonly Plan[]; readonly revoked: readonly string[] } {
  const revoked: string[] = [];
  const isPresent = (path: string, content: Uint8Array) => existsSync(path) && isSameFile(path, content);
  return {
    plans: plans.flatMap((plan): readonly Plan[] => {
      const { target, files } = plan;
      if (!existsSync(target)) return [plan];
      if (target === secretFiles[ownToken] && !isPresent(target, files[0]!.content)) {
        revoked.push('the token of the owner');
        return [];
      }
      if (target !== folders.tokens) return [plan];
      const valid = files.filter(({ path, content }) => isPresent(join(target, path), content));
      const others = files.filter((one) => !valid.includes(one));
      revoked.push(...others.map(({ path }) => path.replace(/^token-|\.json$/g, '')));
      return [{ ...plan, files: valid }];
    }),
    revoked,
  };
}

interface Present {
  /** The database and the files that would be replaced. */
  readonly present: readonly string[];
  /** False if the database is a damaged file. */
  readonly isReadable: boolean;
  /** True if the database holds people or documents. */
  readonly isUsed: boolean;
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
    isUsed: state === 'used',
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

interface DatabaseOptions {
  readonly steps: Steps;
  /** Records of the present database to keep. */
  readonly keep: readonly LeftOut[];
}

/** Prepares the database of a backup beside the present one. Returns its path, and the records that it kept. */
async function stageDatabase(
  file: string,
  url: string,
  { steps, keep }: DatabaseOptions,
): Promise<{ readonly copy: string; readonly kept: readonly LeftOut[] }> {
  const { engine, target } = locate(url);
  // On the disk of the database, so that it can be renamed.
  const beside = dirname(engine === 'sqlite' ? target : file);
  mkdirSync(beside, { recursive: true, mode: 0o700 });
  const folder = await disk.mkdtemp(join(beside, '.restore-'));
  steps.cleanUp(folder);
  const copy = join(folder, 'adjutant.db');
  copyFileSync(file, copy);
  await unsealBackup(copy);
  const restored = createStore(copy);
  try {
    // Opening it updates the schema of an earlier version.
    await restored.read(async () => {});
    return { copy, kept: await keepSecretRecords(url, restored, keep) };
  } finally {
    await restored.close();
  }
}

async function replaceDatabase(copy: string, url: string, replaces: boolean, steps: Steps): Promise<void> {
  const { engine, target } = locate(url);
  if (engine === 'sqlite') return steps.swapDatabase(copy, target);
  const [from, to] = [createStore(copy), createStore(url)];
  try {
    await moveStore(from, to, { intoOther: replaces, replaces });
  } finally {
    await from.close();
    await to.close();
  }
}

/** Renames that can be undone. */
class Steps {
  readonly #undo: (() => Promise<void>)[] = [];
  readonly #waste: string[] = [];
  /** What was set aside and stays. */
  readonly kept: string[] = [];
  readonly #keeps: boolean;
  /** What an earlier restore has kept is never replaced. */
  readonly #aside = `.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;

  /** `keeps` what is set aside. */
  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  /** Removes the path at the end, whatever happens. */
  cleanUp(path: string): void {
    this.#waste.push(path);
  }

  async setAside(target: string): Promise<void> {
    const aside = `${target}${this.#aside}`;
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
    for (const path of this.#waste)
      await disk
        .rm(path, { recursive: true, force: true })
        .catch((error: unknown) => log('warning', `${path} could not be removed after the restore`, error));
  }
}
