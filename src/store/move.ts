import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { Failure } from '../failure.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { SqliteFile } from './sqlite-file.ts';
import type { Store } from './store.ts';

/** Tables to copy, parents first, with the columns of their primary keys. */
const tables = {
  users: ['id'],
  calendars: ['id'],
  events: ['id'],
  plans: ['event_id', 'occurrence'],
  notifications: ['id'],
  answer_links: ['hash'],
  rules: ['id'],
  audit: ['id'],
  records: ['kind', 'key'],
  record_entries: ['kind', 'sequence'],
  firings: ['id'],
  activity_logs: ['log'],
  activity: ['log', 'number'],
} as const satisfies Partial<Record<keyof Tables, readonly string[]>>;
type TableName = keyof typeof tables;
const names = Object.keys(tables) as TableName[];
const pageSize = 500;

type Row = Readonly<Record<string, string | number | null>>;

export interface Moved {
  readonly table: TableName;
  readonly rows: number;
  /** Hash over all rows, independent of their order. */
  readonly hash: string;
}

export interface MoveOptions {
  /** Allows a target that already has data; rows with the same primary key are replaced. */
  readonly intoOther: boolean;
  /** Removes all rows of the target first. */
  readonly replaces?: boolean;
  /** When the move begins. It is refused while notifications are being sent, unless this is absent. */
  readonly nowMs?: number;
  /** Called after every page with the current step and the number of rows done, and the total if it is known. */
  readonly show?: (message: string, done?: number, total?: number) => void;
  /** Aborts the move and leaves the target unchanged. */
  readonly signal?: AbortSignal;
}

/** Called after every page of a table. */
type Pace = (table: TableName, rows: number) => Promise<void>;

export interface MoveReport {
  readonly tables: readonly Moved[];
  /** True if the target already held the same data. */
  readonly already: boolean;
}

/**
 * Copies everything from one store to another, in one transaction per store. Compares row counts and hashes before it
 * commits. The source is not changed.
 */
export async function moveStore(from: Store, to: Store, options: MoveOptions): Promise<MoveReport> {
  const [here, there] = [from, to].map(({ engine, place }) => (engine === 'sqlite' ? resolve(place) : place));
  if (here === there)
    throw new Failure('refused', `${to.place} is the current database; name a different one with --to.`);
  return asOfOneMoment(from, async (source) => {
    if (options.nowMs !== undefined) await refuseWhileSending(source, from.place, options.nowMs);
    const original = await digestAll(source, createPace('reading', options));
    const total = original.reduce((sum, { rows }) => sum + rows, 0);
    return to.write(async ({ db }) => {
      const target = db as unknown as Kysely<Tables>;
      if (options.replaces)
        for (const name of names.toReversed()) await sql`delete from ${sql.table(name)}`.execute(target);
      const found = await digestAll(target, createPace('checking', options));
      if (isSame(withoutLog(original), withoutLog(found))) {
        // The security log of the original goes on after the first move, which it records.
        for (const name of log) await copyTable(source, target, name, createPace('copying', options));
        return { tables: original, already: true };
      }
      if (!options.intoOther && found.some(({ rows }) => rows > 0))
        throw new Failure(
          'refused',
          `${to.place} is not empty (${summarize(found)}); choose another database, or add to this one with --into-other.`,
        );
      const copying = createPace('copying', options, total);
      for (const name of names) await copyTable(source, target, name, copying);
      const copied = options.intoOther
        ? await digestAll(target, createPace('comparing', options), source)
        : await digestAll(target, createPace('comparing', options, total));
      const broken = original.filter((one, index) => !isSame([one], [copied[index]!]));
      if (broken.length > 0)
        throw new Failure(
          'internal',
          `The copy differs from the original in ${broken.map(({ table }) => table).join(', ')}; the move was rolled back.`,
        );
      return { tables: original, already: false };
    });
  });
}

/** Counts and hashes of the rows of these tables of a file that nobody changes. Other tables are not counted. */
export async function digestFile(file: SqliteFile, only: readonly string[]): Promise<readonly Moved[]> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file, 0) });
  const wanted = names.filter((name) => only.includes(name));
  return digestAll(db, async () => {}, undefined, wanted);
}

function createPace(step: string, { show, signal }: MoveOptions, total?: number): Pace {
  let done = 0;
  return async (table, rows) => {
    done += rows;
    show?.(`${step} ${table} (${done}${total === undefined ? '' : ` of ${total}`} rows)`, done, total);
    // SQLite queries are synchronous, so without this pause an abort would never be noticed.
    await yieldToEventLoop();
    signal?.throwIfAborted();
  };
}

/** Reads the store as of one moment. */
function asOfOneMoment<Value>(store: Store, work: (db: Kysely<Tables>) => Promise<Value>): Promise<Value> {
  return store.write(async ({ db }) => {
    if (store.engine === 'postgres') await sql`set transaction isolation level repeatable read`.execute(db);
    return work(db as unknown as Kysely<Tables>);
  });
}

async function refuseWhileSending(db: Kysely<Tables>, place: string, nowMs: number): Promise<void> {
  const sending = await db
    .selectFrom('notifications')
    .select('id')
    .where('status', '=', 'sending')
    .where('lease_ms', '>', nowMs)
    .executeTakeFirst();
  if (sending !== undefined)
    throw new Failure(
      'refused',
      `Notifications are being sent from ${place}; stop its servers and workers, then move it.`,
    );
}

async function* pages(db: Kysely<Tables>, name: TableName): AsyncGenerator<readonly Row[]> {
  const keys = sql.join(tables[name].map((column) => sql.ref(column)));
  let after: readonly Row[string][] | undefined;
  for (;;) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}
      ${after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(after)})`} order by ${keys} limit ${pageSize}`.execute(
      db,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = tables[name].map((column) => rows.at(-1)![column]!);
  }
}

async function copyTable(
  source: Kysely<Tables>,
  target: Kysely<Tables>,
  name: TableName,
  pace: Pace,
): Promise<void> {
  for await (const rows of pages(source, name)) {
    const columns = Object.keys(rows[0]!);
    const rest = columns.filter((column) => !(tables[name] as readonly string[]).includes(column));
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(rows.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`))}
      on conflict (${sql.join(tables[name].map((column) => sql.ref(column)))}) do update set
      ${sql.join(rest.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`))}`.execute(
      target,
    );
    await pace(name, rows.length);
  }
}

/** With `like`, counts only rows whose primary key also exists there. */
async function digestAll(
  db: Kysely<Tables>,
  pace: Pace,
  like?: Kysely<Tables>,
  only: readonly TableName[] = names,
): Promise<Moved[]> {
  const digests: Moved[] = [];
  for (const name of only) {
    const keys = like && (await loadKeys(like, name));
    let sum = 0n;
    let count = 0;
    for await (const rows of pages(db, name)) {
      for (const row of rows) {
        if (keys && !keys.has(rowKey(name, row))) continue;
        count += 1;
        sum = (sum + hashRow(row)) % 2n ** 256n;
      }
      await pace(name, rows.length);
    }
    digests.push({ table: name, rows: count, hash: sum.toString(16).padStart(64, '0') });
  }
  return digests;
}

async function loadKeys(db: Kysely<Tables>, name: TableName): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const rows of pages(db, name)) for (const row of rows) keys.add(rowKey(name, row));
  return keys;
}

function rowKey(name: TableName, row: Row): string {
  return JSON.stringify(tables[name].map((column) => row[column]));
}

/** Row hashes are summed, because SQLite and PostgreSQL sort text differently. */
function hashRow(row: Row): bigint {
  const fields = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return BigInt(`0x${createHash('sha256').update(JSON.stringify(fields)).digest('hex')}`);
}

export function isSame(some: readonly Moved[], others: readonly Moved[]): boolean {
  return some.every(({ rows, hash }, index) => rows === others[index]?.rows && hash === others[index]?.hash);
}

const log = ['activity_logs', 'activity'] as const satisfies readonly TableName[];

function withoutLog(tables: readonly Moved[]): readonly Moved[] {
  return tables.filter(({ table }) => !(log as readonly string[]).includes(table));
}

function summarize(found: readonly Moved[]): string {
  return found
    .filter(({ rows }) => rows > 0)
    .map(({ table, rows }) => `${rows} ${table}`)
    .join(', ');
}
