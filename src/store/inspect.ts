import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { isInIndexes, refuseLost } from './damage.ts';
import { showSchema } from './earlier-process.ts';
import { migrations } from './migrations.ts';
import { SqliteFile } from './sqlite-file.ts';
import { locate, refuseUnsupported, type Store } from './store.ts';
import { unavailable } from './unavailable.ts';

/** Result of a read-only check of a database. */
export interface Inspection extends Pick<Store, 'engine' | 'place'> {
  /** Engine name and version. */
  readonly program: string;
  /** State of our tables compared with the schema this program writes; `none` if they do not exist yet. */
  readonly schema: 'none' | 'older' | 'current' | 'newer';
  /** Version of the existing tables. */
  readonly version?: number;
}

/** Checks a database without creating or migrating anything. Throws a `Failure` that says why it is unusable. */
export async function inspectDatabase(url: string, timeoutMs = 5000): Promise<Inspection> {
  const { engine, place, target } = locate(url);
  try {
    return engine === 'postgres'
      ? { engine, place, ...(await inspectPostgres(target, place, timeoutMs)) }
      : { engine, place, ...(await inspectFile(target, place)) };
  } catch (error) {
    throw unavailable(error, place, { hint: '' });
  }
}

export interface Damage {
  /** What is wrong in the whole file. */
  readonly lines: readonly string[];
  /** True if nothing but indexes is damaged, which a server rebuilds. */
  readonly isInIndexes: boolean;
}

/** `undefined` if the file is undamaged, and for PostgreSQL, which checks its pages itself. */
export async function findDamage(url: string): Promise<Damage | undefined> {
  const { engine, target } = locate(url);
  if (engine === 'postgres' || !existsSync(target)) return undefined;
  const file = await SqliteFile.open(target, 2000);
  try {
    const lines = file.findDamage();
    return lines.length === 0 ? undefined : { lines, isInIndexes: isInIndexes(file, lines) };
  } finally {
    file.close();
  }
}

type Details = Omit<Inspection, 'engine' | 'place'>;

function compareSchema(version: number | undefined): Pick<Details, 'schema' | 'version'> {
  if (version === undefined) return { schema: 'none' };
  const known = migrations.length;
  return { schema: version === known ? 'current' : version < known ? 'older' : 'newer', version };
}

async function inspectFile(file: string, place: string): Promise<Details> {
  refuseUnsupported(file, place);
  refuseLost(file);
  const { DatabaseSync } = await import('node:sqlite');
  if (!existsSync(file)) {
    refuseUnwritable(file);
    return { program: `SQLite ${process.versions['sqlite']}`, schema: 'none' };
  }
  showSchema();
  const database = new DatabaseSync(file, { timeout: 2000 });
  try {
    const exists = database.prepare("select 1 from sqlite_master where name = 'schema_version'").get();
    const row = exists && database.prepare('select version from schema_version').get();
    // Starting a write transaction fails if the file is read-only.
    database.exec('begin immediate');
    database.exec('rollback');
    return {
      program: `SQLite ${process.versions['sqlite']}`,
      ...compareSchema(row && Number(row['version'])),
    };
  } finally {
    database.close();
  }
}

/** Throws unless the nearest existing parent folder is writable, so that the file can be created. */
function refuseUnwritable(file: string): void {
  let folder = dirname(file);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failure('unavailable', `The database ${file} cannot be created: ${folder} is not writable.`, {
      cause: error,
    });
  }
}

async function inspectPostgres(url: string, place: string, timeoutMs: number): Promise<Details> {
  const [{ default: pg }, { poolOptions }] = await Promise.all([import('pg'), import('./postgres.ts')]);
  const client = new pg.Client({
    ...poolOptions(url),
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('server_version') as server, current_setting('transaction_read_only') = 'on' as read_only,
         to_regclass('adjutant.schema_version') is not null as exists,
         has_database_privilege(current_database(), 'create') as may_create`,
    );
    const { server, read_only: readOnly, exists, may_create: mayCreate } = rows[0];
    if (readOnly) throw new Failure('unavailable', `The database ${place} is read-only.`);
    const version = exists
      ? (await client.query('select version from adjutant.schema_version')).rows[0]?.version
      : undefined;
    const allowed =
      version === undefined
        ? mayCreate
        : (await client.query("select has_table_privilege('adjutant.audit', 'insert') as allowed")).rows[0]
            .allowed;
    if (!allowed)
      throw new Failure(
        'unavailable',
        version === undefined
          ? `The database ${place} does not let this user create a schema; grant it CREATE on the database.`
          : `The database ${place} does not let this user write to the schema adjutant; grant it write access.`,
      );
    return { program: `PostgreSQL ${server}`, ...compareSchema(version) };
  } finally {
    await client.end().catch(() => undefined);
  }
}
