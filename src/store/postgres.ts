import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { log } from '../log.ts';
import { recordChanges } from './activity.ts';
import { unrecordedCall } from './current-call.ts';
import { isCurrent, migrate } from './migrate.ts';
import { requestPlanning } from './planning-turns.ts';
import { copyBeforeUpdate } from './postgres-copy.ts';
import type { Tables } from './schema.ts';
import { type ChangeMessage, changeChannel, type Engine, type Store, type StoreChange } from './store.ts';
import { unavailable } from './unavailable.ts';

/** Arbitrary advisory lock key; all Adjutant processes must use the same one. */
const migrationLock = 7_323_000_001;
/** Serialization failure and deadlock: the transaction can be retried. */
const retryableCodes = new Set(['40001', '40P01']);
/** NOTIFY payloads are limited to 8000 bytes; a UTF-16 code unit takes at most three bytes in UTF-8. */
const maxPayloadUnits = 2500;

/** Our tables live in their own schema, so the database can be shared with other programs. */
export function poolOptions(url: string): pg.PoolConfig {
  return {
    connectionString: url,
    options: '-c search_path=adjutant',
    application_name: 'adjutant',
    max: 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  };
}

/** Parses 64-bit integers as numbers: our timestamps and counts fit, and the driver's default is strings. */
function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

function splitByPayloadSize(changes: readonly StoreChange[]): StoreChange[][] {
  const parts: StoreChange[][] = [];
  let room = 0;
  for (const change of changes) {
    const units = JSON.stringify(change).length + 1;
    if (units > room) {
      parts.push([]);
      room = maxPayloadUnits;
    }
    parts.at(-1)!.push(change);
    room -= units;
  }
  return parts;
}

export async function openPostgres(url: string, store: Store): Promise<Engine> {
  const { place } = store;
  const pool = new pg.Pool(poolOptions(url));
  pool.on('error', (error) => log('debug', `lost an idle connection to ${place}`, error));
  // If a connection is lost between two statements, the next statement reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    if (!(await isCurrent(db, place))) {
      await db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
        await sql`create schema if not exists adjutant`.execute(transaction);
        await copyBeforeUpdate(transaction, place);
        await migrate(transaction, place);
      });
    }
  } catch (error) {
    await db.destroy();
    throw unavailable(error, place);
  }
  return {
    async read(work) {
      try {
        return await work(db);
      } catch (error) {
        throw unavailable(error, place);
      }
    },
    write: (work) =>
      withRetries(place, async () => {
        const changes: StoreChange[] = [];
        const call = unrecordedCall(place);
        const value = await db.transaction().execute(async (transaction) => {
          const result = await work({ db: transaction, changed: (change) => changes.push(change) });
          await requestPlanning(transaction, changes);
          for (const part of splitByPayloadSize(changes)) {
            const message: ChangeMessage = { origin: store.origin, changes: part };
            await sql`select pg_notify(${changeChannel}, ${JSON.stringify(message)})`.execute(transaction);
          }
          await recordChanges(transaction, call, changes);
          return result;
        });
        call?.recordedIn.add(place);
        store.dispatch(changes);
        return value;
      }),
    run: (statement) => withRetries(place, async () => (await statement.execute(db)).rows),
    close: () => db.destroy(),
  };
}

/** Retries on deadlocks and serialization failures. */
async function withRetries<Value>(place: string, work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt < 5 && retryableCodes.has(String((error as { code?: unknown }).code))) continue;
      throw unavailable(error, place);
    }
  }
}
