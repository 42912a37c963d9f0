import { promises as disk, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { inMemory, type SqliteFile } from './sqlite-file.ts';
import { runInThread } from './sqlite-thread.ts';

/** Files up to this size are checked completely when they are opened, which takes milliseconds. */
const fullCheckBytes = 2 * 1024 * 1024;
/** Files up to this size are checked without comparing indexes with their tables. Larger ones are checked later. */
const quickCheckBytes = 32 * 1024 * 1024;
/** Programs that end before do not spend their time on a check of a large file. */
const laterMs = 60_000;
/** A process that creates the file needs less than this. */
const creationMs = 60_000;

/** Beside a database: the path of its last backup, or nothing if there is none yet. It also shows that there was a database. */
const noteOf = (path: string) => `${path}.last-backup`;

/** Remembers the last backup of a database. */
export async function noteBackup(path: string, backup: string): Promise<void> {
  await disk.writeFile(noteOf(path), `${backup}\n`, { mode: 0o600 });
}

/** Remembers that there is a database. Does nothing if the folder cannot be written: the database is what matters. */
export function noteDatabase(path: string): void {
  if (path === inMemory || existsSync(noteOf(path))) return;
  try {
    writeFileSync(noteOf(path), '', { flag: 'wx', mode: 0o600 });
  } catch {}
}

/** Throws if a database is gone or lost its content: nobody would notice that a new one takes its place. */
export function refuseLost(path: string): void {
  if (path === inMemory) return;
  // Checked before the file: a process that creates the database writes the note last.
  const isNoted = existsSync(noteOf(path));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && found.size > 0) return;
  const trace = isNoted ? noteOf(path) : copyOf(path);
  if (trace === undefined && (found === undefined || Date.now() - found.mtimeMs < creationMs)) return;
  const [what, removed] =
    found === undefined
      ? ['is missing, although there was one', []]
      : ['is empty, although it exists', [path]];
  throw new Failure(
    'unavailable',
    `The database ${path} ${what}. ${remedy(path)} To start with a new database, remove ${[...removed, trace].filter(Boolean).join(' and ')}.`,
  );
}

/** Checks a database that is being opened. Rebuilds its indexes if nothing else is damaged, and throws otherwise. */
export function refuseDamaged(file: SqliteFile): void {
  const { size } = statSync(file.path);
  if (size > quickCheckBytes) return;
  const damage = size <= fullCheckBytes ? file.findDamage() : file.findDamage('quick');
  if (damage.length === 0) return;
  if (isInIndexes(file, damage) && rebuildIndexes(file)) {
    log('warning', `${file.path} had damaged indexes (${damage[0]}); they were rebuilt`);
    return;
  }
  throw new Failure(
    'unavailable',
    `The database ${file.path} is damaged (${damage[0]}). ${remedy(file.path)}`,
  );
}

/** Checks a large database completely while it is used, and rebuilds its indexes if nothing else is damaged. Returns how to cancel it. */
export function checkLater(file: SqliteFile): () => void {
  if (file.path === inMemory || statSync(file.path).size <= fullCheckBytes) return () => {};
  const timer = setTimeout(() => {
    checkCompletely(file).catch((error: unknown) =>
      log('warning', `${file.path} could not be checked for damage: ${messageOf(error)}`),
    );
  }, laterMs).unref();
  return () => clearTimeout(timer);
}

async function checkCompletely(file: SqliteFile): Promise<void> {
  const { path } = file;
  const found = await runInThread(path, 'pragma integrity_check(20)');
  const damage = found.filter((line) => line !== 'ok');
  if (damage.length === 0) return;
  if (!isInIndexes(file, damage)) return log('error', `${path} is damaged (${damage[0]}). ${remedy(path)}`);
  await runInThread(path, 'reindex');
  log('warning', `${path} had damaged indexes (${damage[0]}); they were rebuilt`);
}

function remedy(path: string): string {
  const last = lastBackup(path);
  const which = last === undefined ? 'FILE --replace, with the last backup' : `${last} --replace`;
  return `Stop all servers and workers, then run "adjutant restore ${which}".`;
}

/** A copy that was made before an update of the database. */
function copyOf(path: string): string | undefined {
  const copy = `${basename(path)}.schema-`;
  try {
    const found = readdirSync(dirname(path)).find((name) => name.startsWith(copy) && /\d$/.test(name));
    return found && join(dirname(path), found);
  } catch {
    return undefined; // There is no folder yet.
  }
}

/** The last backup, or the newest one in the folder `backups` beside the database. */
function lastBackup(path: string): string | undefined {
  const folder = join(dirname(path), 'backups');
  try {
    const noted = readRegularFileSync(noteOf(path)).trim();
    if (existsSync(noted)) return noted;
  } catch {}
  try {
    const newest = readdirSync(folder)
      .filter((name) => name.endsWith('.backup'))
      .sort()
      .at(-1);
    return newest && join(folder, newest);
  } catch {
    return undefined;
  }
}

/** True if every line of the report is about an index, by its name or by its first page. */
export function isInIndexes(file: SqliteFile, damage: readonly string[]): boolean {
  if (!damage.every((line) => /index|^Tree|^\*\*\* in/.test(line))) return false;
  const indexes = file.all("select name, rootpage from sqlite_master where type = 'index'");
  const [names, pages] = ['name', 'rootpage'].map((key) => new Set(indexes.map((one) => String(one[key]))));
  return damage.every((line) => {
    const [, name] = /(?:missing from|entries in|entry in) index (\S+)/.exec(line) ?? [];
    const [, page] = /^(?:\*\*\* in database \w+ \*\*\*\s+)?Tree (\d+) /.exec(line) ?? [];
    return (name !== undefined && names!.has(name)) || (page !== undefined && pages!.has(page));
  });
}

function rebuildIndexes(file: SqliteFile): boolean {
  try {
    file.exec('reindex');
    return file.findDamage().length === 0;
  } catch {
    return false;
  }
}
