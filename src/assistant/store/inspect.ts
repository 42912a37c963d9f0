import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../failure.ts';
import { migrations } from './schema.ts';
import { locate, refuseForeign, type Store } from './store.ts';
import { unavailable } from './unavailable.ts';

/** What a database is found to be by somebody who only looks. */
export interface Inspection extends Pick<Store, 'engine' | 'place'> {
  /** The engine and its version. */
  readonly program: string;
  /** What our tables are, compared with those this program writes; `none` where there are none yet. */
  readonly schema: 'none' | 'older' | 'current' | 'newer';
  /** The version of the tables that are there. */
  readonly version?: number;
}

/** Looks at a database without making or migrating anything. One that cannot be used is a `Failure` that says why. */
export async function inspectDatabase(url: string, timeoutMs = 5000): Promise<Inspection> {
  const { engine, place, target } = locate(url);
  try {
    return engine === 'postgres'
      ? { engine, place, ...(await lookAtPostgres(target, place, timeoutMs)) }
      : { engine, place, ...(await lookAtFile(target, place)) };
  } catch (error) {
    throw unavailable(error, place, { lookFurther: '' });
  }
}

type Look = Omit<Inspection, 'engine' | 'place'>;

function schemaOf(version: number | undefined): Pick<Look, 'schema' | 'version'> {
  if (version === undefined) return { schema: 'none' };
  const known = migrations.length;
  return { schema: version === known ? 'current' : version < known ? 'older' : 'newer', version };
}

async function lookAtFile(file: string, place: string): Promise<Look> {
  refuseForeign(file, place);
  const { DatabaseSync } = await import('node:sqlite');
  if (!existsSync(file)) {
    refuseUnwritable(file);
    return { program: `SQLite ${process.versions['sqlite']}`, schema: 'none' };
  }
  const database = new DatabaseSync(file, { timeout: 2000 });
  try {
    const begun = database.prepare("select 1 from sqlite_master where name = 'schema_version'").get();
    const row = begun && database.prepare('select version from schema_version').get();
    // Whoever may begin to write may write.
    database.exec('begin immediate');
    database.exec('rollback');
    return {
      program: `SQLite ${process.versions['sqlite']}`,
      ...schemaOf(row && Number(row['version'])),
    };
  } finally {
    database.close();
  }
}

/** The nearest folder that is there has to let the file, and the folders above it, be made. */
function refuseUnwritable(file: string): void {
  let folder = dirname(file);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failure('unavailable', `The database ${file} cannot be made: ${folder} may not be written.`, {
      cause: error,
    });
  }
}

async function lookAtPostgres(url: string, place: string, timeoutMs: number): Promise<Look> {
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
      `select current_setting('server_version') as server, current_setting('transaction_read_only') = 'on' as sealed,
         to_regclass('adjutant.schema_version') is not null as begun,
         has_database_privilege(current_database(), 'create') as may_begin`,
    );
    const { server, sealed, begun, may_begin: mayBegin } = rows[0];
    if (sealed) throw new Failure('unavailable', `The database ${place} takes no writes (read-only).`);
    const version = begun
      ? (await client.query('select version from adjutant.schema_version')).rows[0]?.version
      : undefined;
    const allowed =
      version === undefined
        ? mayBegin
        : (await client.query("select has_table_privilege('adjutant.audit', 'insert') as allowed")).rows[0]
            .allowed;
    if (!allowed)
      throw new Failure(
        'unavailable',
        version === undefined
          ? `The database ${place} does not let this user make a schema; grant it CREATE on the database.`
          : `The database ${place} does not let this user write to the schema adjutant; grant it that.`,
      );
    return { program: `PostgreSQL ${server}`, ...schemaOf(version) };
  } finally {
    await client.end().catch(() => undefined);
  }
}
