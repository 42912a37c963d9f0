import { type Dirent, promises as disk, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { maxFileBytes, readRegularBytesSync } from '../regular-file.ts';
import { noteBackup, refuseLost } from '../store/damage.ts';
import { moveStore } from '../store/move.ts';
import type { SecretKind } from '../store/secret-kind.ts';
import { SqliteFile } from '../store/sqlite-file.ts';
import { createStore, locate } from '../store/store.ts';
import { version } from '../version.ts';
import { type BackupFile, type Manifest, openBackup, type Root, sealBackup } from './archive.ts';
import type { LeftOut } from './secrets.ts';

/** Where the parts of a backup are in a home. */
export interface BackupPlaces {
  readonly databaseUrl: string;
  /** The SQLite file with what belongs to this machine. */
  readonly localFile: string;
  /** Folders that are copied with everything in them. */
  readonly folders: Readonly<Partial<Record<Root, string>>>;
  readonly settingsFile: string;
  /** Files that hold secrets, by their names in the backup. */
  readonly secretFiles: Readonly<Record<string, string>>;
  /** Keeps writers of the prompts out while they are read. */
  lockPrompts<Value>(read: () => Value): Promise<Value>;
  /** A settings file without its secrets, and the names of the settings that lost a value. */
  withoutSecrets(settings: string): Promise<{ readonly text: string; readonly secrets: readonly string[] }>;
  /** A settings file with the secrets of another one, and the names of those that it does not have. */
  withSecretsOf(
    settings: string,
    other: string,
    names: readonly string[],
  ): Promise<{ readonly text: string; readonly missing: readonly string[] }>;
  /** The kinds of records that hold secrets. */
  secretKinds(): Promise<readonly SecretKind[]>;
}

export interface BackupOptions {
  /** Includes passwords, keys and the owner's token. */
  readonly withSecrets: boolean;
  /** The copy is made because the home is being replaced, perhaps because its database was lost. */
  readonly beforeReplacing?: boolean;
  readonly show?: (message: string) => void;
}

const busyMs = 10_000;

/**
 * Writes a backup while servers and workers use the home. It holds everything that was stored before it began. The file appears
 * under its name only when it is complete and was read again.
 */
export async function writeBackup(
  places: BackupPlaces,
  file: string,
  { withSecrets, beforeReplacing = false, show = () => {} }: BackupOptions,
): Promise<Manifest> {
  if (existsSync(file)) throw new Failure('refused', `${file} exists already; choose another name.`);
  const { engine, place, target } = locate(places.databaseUrl);
  // A backup of an empty database would take the place of the last good one.
  if (engine === 'sqlite' && !beforeReplacing) refuseEmpty(target);
  await disk.mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${process.pid}.unfinished`;
  try {
    show(`copying ${place}`);
    await copyDatabase(places.databaseUrl, unfinished);
    show('copying prompts and settings');
    const { files, leftOut } = await collectFiles(places, withSecrets, unfinished);
    const secretKinds = withSecrets ? [] : (await places.secretKinds()).map(({ kind }) => kind);
    const folders = Object.keys(places.folders) as Root[];
    const created_at = new Date().toISOString();
    const facts = { version, created_at, engine, folders, with_secrets: withSecrets };
    const manifest = await sealBackup(unfinished, files, facts, { place, secretKinds, leftOut });
    show('reading the backup again');
    await openBackup(unfinished);
    await flush(unfinished);
    await disk.rename(unfinished, file);
    // Best effort: errors about the database name its last backup.
    if (engine === 'sqlite' && !beforeReplacing && existsSync(target))
      await noteBackup(target, resolve(file)).catch(() => {});
    return manifest;
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal', '.last-backup', '.local'])
      await disk.rm(`${unfinished}${suffix}`, { force: true });
  }
}

function refuseEmpty(database: string): void {
  refuseLost(database);
  if (statSync(database, { throwIfNoEntry: false })?.size === 0)
    throw new Failure(
      'unavailable',
      `The database ${database} is empty: a server is creating it, or its content is lost. No backup was made; try again in a minute.`,
    );
}

async function copyDatabase(url: string, copy: string): Promise<void> {
  const { engine, target } = locate(url);
  // Backups of an empty database would replace the good ones.
  if (engine === 'sqlite') refuseLost(target);
  if (engine === 'sqlite' && existsSync(target)) return copySqlite(target, copy);
  const to = createStore(copy);
  try {
    // A home without a database gets an empty one.
    if (engine === 'sqlite') return await to.read(async () => {});
    const from = createStore(url);
    try {
      await moveStore(from, to, { intoOther: false });
    } finally {
      await from.close();
    }
  } finally {
    await to.close();
  }
}

async function copySqlite(source: string, copy: string): Promise<void> {
  const file = await SqliteFile.open(source, busyMs);
  try {
    await file.copyTo(copy);
  } finally {
    file.close();
  }
}

async function collectFiles(
  places: BackupPlaces,
  withSecrets: boolean,
  unfinished: string,
): Promise<{ readonly files: readonly BackupFile[]; readonly leftOut: readonly LeftOut[] }> {
  const files: BackupFile[] = [];
  const leftOut: LeftOut[] = [];
  for (const [root, folder] of Object.entries(places.folders) as [Root, string][]) {
    const read = () => filesBelow(folder).map((path) => readAs(root, nameIn(folder, path), path));
    // The prompts and their history are two files, which must be of one moment. Without a folder there is nothing to lock.
    files.push(...(root === 'prompts' && existsSync(folder) ? await places.lockPrompts(read) : read()));
  }
  if (existsSync(places.settingsFile)) {
    const { content } = readAs('settings', 'adjutant.toml', places.settingsFile);
    const text = Buffer.from(content).toString('utf8');
    const kept = withSecrets ? { text, secrets: [] } : await places.withoutSecrets(text);
    files.push({ root: 'settings', path: 'adjutant.toml', content: Buffer.from(kept.text) });
    leftOut.push(...kept.secrets.map((name) => ({ kind: 'setting', name })));
  }
  if (existsSync(places.localFile)) {
    const copy = `${unfinished}.local`;
    await copySqlite(places.localFile, copy);
    files.push(readAs('local', 'local.db', copy));
  }
  for (const [name, path] of Object.entries(places.secretFiles)) {
    if (!existsSync(path)) continue;
    if (withSecrets) files.push(readAs('secrets', name, path));
    else leftOut.push({ kind: 'file', name });
  }
  return { files, leftOut };
}

function readAs(root: Root, path: string, file: string): BackupFile {
  return { root, path, content: readRegularBytesSync(file, maxFileBytes) };
}

/** Regular files below a folder. Links are not followed, and locks and unfinished files of writers are left out. */
export function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const isOwn = ({ name }: Dirent) => !/^\.lock|^\..*\.new$/.test(name);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isOwn(entry))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function nameIn(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

async function flush(path: string): Promise<void> {
  const file = await disk.open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

const datedName = /^adjutant-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.backup$/;

/** The name of a backup in a folder of backups. */
export function datedBackup(folder: string, now = new Date()): string {
  return join(folder, `adjutant-${now.toISOString().replaceAll(/[:.]/g, '-')}.backup`);
}

/** The backups in a folder that have a name with their time, newest first. */
async function listBackups(folder: string): Promise<readonly string[]> {
  const names = await disk.readdir(folder).catch(() => []);
  return names
    .filter((name) => datedName.test(name))
    .sort()
    .reverse();
}

/** When the newest backup of a folder was written. A file without content is no backup. */
export async function lastBackupMs(folder: string): Promise<number | undefined> {
  for (const name of await listBackups(folder)) {
    // Another process may remove it at this moment.
    const found = await disk.stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined && found.size > 0) return found.mtimeMs;
  }
  return undefined;
}

/** Removes all but the newest backups of a folder. Returns the names of those that were removed. */
export async function keepBackups(folder: string, count: number): Promise<readonly string[]> {
  const old = (await listBackups(folder)).slice(count);
  for (const name of old) await disk.rm(join(folder, name), { force: true });
  return old;
}
