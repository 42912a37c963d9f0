import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { migrations } from '../store/migrations.ts';
import { digestFile, isSame, type Moved } from '../store/move.ts';
import { SqliteFile } from '../store/sqlite-file.ts';
import type { Store } from '../store/store.ts';
import { type LeftOut, removeSecretRecords } from './secrets.ts';

/**
 * A backup is a SQLite file: a copy of the database, whatever engine it came from, with two more tables. `backup_files` holds the
 * files of the home, and `backup_manifest` a JSON text with the checksums of everything.
 */
const applicationId = 0x41_44_4a_42;
const format = 1;
const busyMs = 5_000;

/** What a group of files in a backup is for. Each has its own place in a home. */
export const roots = ['prompts', 'commands', 'libraries', 'tokens', 'settings', 'local', 'secrets'] as const;
export type Root = (typeof roots)[number];

export interface BackupFile {
  readonly root: Root;
  /** Relative to the place of the root, with slashes. */
  readonly path: string;
  readonly content: Uint8Array;
}

export interface Manifest {
  readonly format: number;
  /** The version of Adjutant that wrote the backup. */
  readonly version: string;
  readonly created_at: string;
  /** The engine that the database came from. */
  readonly engine: Store['engine'];
  readonly schema: number;
  readonly tables: readonly Moved[];
  readonly files: readonly { readonly root: Root; readonly path: string; readonly sha256: string }[];
  readonly with_secrets: boolean;
  /** The folders that were copied, also those without files. Backups of earlier versions do not say it. */
  readonly folders?: readonly Root[];
  /** What was there and is not in the backup. Backups of earlier versions do not say it. */
  readonly secrets_left_out?: readonly LeftOut[];
}

export interface SealOptions {
  /** The database that was copied. */
  readonly place: string;
  readonly secretKinds: readonly string[];
  /** The settings and files that were left out. */
  readonly leftOut: readonly LeftOut[];
}

const hashOf = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');

/** Turns a copy of a database into a backup, without the records of these kinds. Throws if the copy is damaged. */
export async function sealBackup(
  path: string,
  files: readonly BackupFile[],
  facts: Pick<Manifest, 'version' | 'created_at' | 'engine' | 'folders' | 'with_secrets'>,
  { place, secretKinds, leftOut }: SealOptions,
): Promise<Manifest> {
  const file = await SqliteFile.open(path, busyMs);
  try {
    // Without a write-ahead log, the backup is one file.
    file.exec(`pragma journal_mode = delete; pragma application_id = ${applicationId}`);
    const [damage] = file.findDamage();
    if (damage !== undefined)
      throw new Failure('unavailable', `${place} is damaged, so no backup was made: ${damage}`);
    const records = secretKinds.length === 0 ? [] : removeSecretRecords(file, secretKinds);
    const manifest: Manifest = {
      format,
      ...facts,
      secrets_left_out: [...leftOut, ...records],
      schema: schemaOf(file),
      tables: await digestFile(file, tableNames(file)),
      files: files.map(({ root, path: name, content }) => ({ root, path: name, sha256: hashOf(content) })),
    };
    const text = JSON.stringify(manifest);
    file.exec(`begin immediate;
      create table backup_files (root text not null, path text not null, content blob not null, primary key (root, path));
      create table backup_manifest (value text not null, sha256 text not null)`);
    for (const { root, path: name, content } of files)
      file.run('insert into backup_files values (?, ?, ?)', root, name, content);
    file.run('insert into backup_manifest values (?, ?)', text, hashOf(text));
    file.exec('commit');
    return manifest;
  } finally {
    file.close();
  }
}

/** A backup whose content was compared with its checksums. */
export interface OpenBackup {
  readonly manifest: Manifest;
  readonly files: readonly BackupFile[];
}

/** Throws unless the file is a complete backup that this version can restore. Changes nothing. */
export async function openBackup(path: string): Promise<OpenBackup> {
  let file: SqliteFile | undefined;
  try {
    file = await SqliteFile.open(path, busyMs, 'read');
    return await verified(file, path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'invalid-params',
      `${path} is not a usable backup: ${existsSync(path) ? messageOf(error) : 'there is no such file'}`,
      {
        cause: error,
      },
    );
  } finally {
    file?.close();
  }
}

async function verified(file: SqliteFile, path: string): Promise<OpenBackup> {
  const refuse = (why: string) => new Failure('invalid-params', `${path} ${why}`);
  if (file.all('pragma application_id')[0]?.['application_id'] !== applicationId)
    throw refuse('is not a backup of Adjutant.');
  const [damage] = file.findDamage();
  if (damage !== undefined) throw refuse(`is damaged: ${damage}`);
  const [row] = file.all('select value, sha256 from backup_manifest');
  const text = String(row?.['value']);
  if (hashOf(text) !== row?.['sha256'])
    throw refuse('is damaged: its list of contents has another checksum.');
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format > format || manifest.schema > migrations.length)
    throw refuse(
      `was written by a newer version of Adjutant (${manifest.version}); update Adjutant to restore it.`,
    );
  const files = file
    .all('select root, path, content from backup_files order by root, path')
    .map((one) => one as unknown as BackupFile);
  const expected = new Map(manifest.files.map((one) => [`${one.root}/${one.path}`, one.sha256]));
  const wrong = files.find((one) => expected.get(`${one.root}/${one.path}`) !== hashOf(one.content));
  if (wrong !== undefined) throw refuse(`is damaged: ${wrong.root}/${wrong.path} has another checksum.`);
  if (files.length !== expected.size) throw refuse('is damaged: files are missing.');
  if (schemaOf(file) !== manifest.schema) throw refuse('is damaged: its database has another schema.');
  if (!isSame(manifest.tables, await digestFile(file, tableNames(file))))
    throw refuse('is damaged: rows of its database have another checksum.');
  return { manifest, files };
}

/** Removes what turns a database into a backup. */
export async function unsealBackup(path: string): Promise<void> {
  const file = await SqliteFile.open(path, busyMs);
  try {
    file.exec('drop table backup_files; drop table backup_manifest; pragma application_id = 0; vacuum');
  } finally {
    file.close();
  }
}

function tableNames(file: SqliteFile): readonly string[] {
  return file.all("select name from sqlite_master where type = 'table'").map((row) => String(row['name']));
}

/** 0 if the database has no tables yet. */
function schemaOf(file: SqliteFile): number {
  if (!tableNames(file).includes('schema_version')) return 0;
  return Number(file.all('select version from schema_version')[0]?.['version'] ?? 0);
}
