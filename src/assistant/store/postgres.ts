import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { log } from '../../log.ts';
import { isCurrent, migrate } from './migrate.ts';
import { callForPlanning } from './planning-turns.ts';
import type { Tables } from './schema.ts';
import { type ChangeMessage, changeChannel, type Engine, type Store, type StoreChange } from './store.ts';
import { unavailable } from './unavailable.ts';

/** Any number would do, as long as every Adjutant takes the same. */
const migrationLock = 7_323_000_001;
/** Deadlock and serialisation failure: the database asks to be asked again. */
const retried = new Set(['40001', '40P01']);
/** A payload of NOTIFY ends at 8000 bytes; a character has at most three for each of its code units. */
const payloadUnits = 2500;

/** Our tables have a schema of their own, so that the database may hold other things. */
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

/** Instants and counts fit a double; the driver would hand out 64-bit integers as text. */
function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

function parts(changes: readonly StoreChange[]): StoreChange[][] {
  const found: StoreChange[][] = [];
  let room = 0;
  for (const change of changes) {
    const units = JSON.stringify(change).length + 1;
    if (units > room) {
      found.push([]);
      room = payloadUnits;
    }
    found.at(-1)!.push(change);
    room -= units;
  }
  return found;
}

export async function openPostgres(url: string, store: Store): Promise<Engine> {
  const { place } = store;
  const pool = new pg.Pool(poolOptions(url));
  pool.on('error', (error) => log('debug', `lost an idle connection to ${place}`, error));
  // A connection in use may be lost between two statements; the next one fails, and that is enough.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    if (!(await isCurrent(db, place))) {
      await db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
        await sql`create schema if not exists adjutant`.execute(transaction);
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
      persist(place, async () => {
        const changes: StoreChange[] = [];
        const value = await db.transaction().execute(async (transaction) => {
          const result = await work({ db: transaction, changed: (change) => changes.push(change) });
          await callForPlanning(transaction, changes);
          for (const part of parts(changes)) {
            const message: ChangeMessage = { origin: store.origin, changes: part };
            await sql`select pg_notify(${changeChannel}, ${JSON.stringify(message)})`.execute(transaction);
          }
          return result;
        });
        store.dispatch(changes);
        return value;
      }),
    run: (statement) => persist(place, async () => (await statement.execute(db)).rows),
    close: () => db.destroy(),
  };
}

/** Does again what the database asks to be asked again. */
async function persist<Value>(place: string, work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt < 5 && retried.has(String((error as { code?: unknown }).code))) continue;
      throw unavailable(error, place);
    }
  }
}
