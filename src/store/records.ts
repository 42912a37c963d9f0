import { existsSync } from 'node:fs';
import type { Kysely, Transaction } from 'kysely';
import type { JsonObject } from '../json.ts';
import { followChangesSoon } from './change-follower.ts';
import type { Tables } from './schema.ts';
import { createStore } from './store.ts';

/**
 * Small documents with their history, shared by every process and machine on one database. Each kind is a separate
 * collection. Reading does not create a SQLite file.
 */
export interface Records {
  /** Address of the database, without its password. */
  readonly place: string;
  /** Increases with every change of the kind. */
  version(kind: string): Promise<number>;
  /** Documents in the order in which they were created. */
  list(kind: string): Promise<readonly JsonObject[]>;
  find(kind: string, key: string): Promise<JsonObject | undefined>;
  /** Documents in descending order of their keys, optionally only those before a key. */
  last(kind: string, limit: number, before?: string): Promise<readonly JsonObject[]>;
  keys(kind: string): Promise<readonly string[]>;
  /** Every history entry of a key, oldest first. */
  history(kind: string, key: string): Promise<readonly JsonObject[]>;
  /** Histories of all keys, including those whose document was deleted. */
  histories(kind: string): Promise<ReadonlyMap<string, readonly JsonObject[]>>;
  /** Changes one document. Changes of a kind run one at a time across machines. The edit may be retried; it throws to abort. */
  change(kind: string, key: string, edit: RecordEdit): Promise<void>;
  /** Applies up to a few hundred edits in order, all or none of them. */
  changeMany(kind: string, edits: readonly KeyedEdit[]): Promise<void>;
  /** Calls the listener with the kind after every change, on this machine or another. */
  subscribe(listener: (kind: string) => void): () => void;
  close(): Promise<void>;
}

/**
 * Receives the document of a key and the number of its history entries. Returns the new document (`undefined` deletes it)
 * with the next history entry, if its kind has a history, or `undefined` to change nothing.
 */
export type RecordEdit = (
  current: JsonObject | undefined,
  entries: number,
) => { readonly next: JsonObject | undefined; readonly entry?: JsonObject } | undefined;

export interface KeyedEdit {
  readonly key: string;
  readonly edit: RecordEdit;
}

export function createRecords(databaseUrl: string): Records {
  const store = createStore(databaseUrl);
  const read = async <Row>(work: (db: Kysely<Tables>) => Promise<Row[]>): Promise<readonly Row[]> =>
    store.engine === 'sqlite' && !existsSync(store.place) ? [] : store.read(work);
  let stopFollowing: (() => Promise<void>) | undefined;
  const changeMany: Records['changeMany'] = (kind, edits) =>
    store.write(async ({ db, changed }) => {
      if (store.engine === 'postgres') {
        const { sql } = await import('kysely');
        await sql`select pg_advisory_xact_lock(hashtext(${`records ${kind}`}))`.execute(db);
      }
      if (await editRecords(db, kind, edits)) changed({ kind: 'record', id: kind, userId: '' });
    });
  /** Documents of a kind, refined to some of them or to an order. */
  const documents = async (kind: string, refine: (all: Values) => Values) =>
    (await read((db) => refine(selectValues(db, kind)).execute())).map(({ value }) => parse(value));
  const entriesOf = (kind: string, key?: string) =>
    read((db) =>
      db
        .selectFrom('record_entries')
        .select(['key', 'entry'])
        .where('kind', '=', kind)
        .$if(key !== undefined, (all) => all.where('key', '=', key!))
        .orderBy('sequence')
        .execute(),
    );
  return {
    place: store.place,
    version: async (kind) => (await read(async (db) => [await lastSequence(db, kind)]))[0] ?? 0,
    list: (kind) => documents(kind, (all) => all.orderBy('position')),
    find: async (kind, key) => (await documents(kind, (all) => all.where('key', '=', key)))[0],
    last: (kind, limit, before) =>
      documents(kind, (all) =>
        (before === undefined ? all : all.where('key', '<', before)).orderBy('key', 'desc').limit(limit),
      ),
    async keys(kind) {
      const rows = await read((db) =>
        db.selectFrom('records').select('key').where('kind', '=', kind).execute(),
      );
      return rows.map(({ key }) => key);
    },
    history: async (kind, key) => (await entriesOf(kind, key)).map(({ entry }) => parse(entry)),
    async histories(kind) {
      const byKey = Map.groupBy(await entriesOf(kind), ({ key }) => key);
      return new Map([...byKey].map(([key, own]) => [key, own.map(({ entry }) => parse(entry))]));
    },
    change: (kind, key, edit) => changeMany(kind, [{ key, edit }]),
    changeMany,
    subscribe(listener) {
      stopFollowing ??= followChangesSoon(store, databaseUrl);
      return store.subscribe((changes) => {
        const kinds = new Set(changes.flatMap(({ kind, id }) => (kind === 'record' ? [id] : [])));
        for (const kind of kinds) listener(kind);
      });
    },
    async close() {
      await stopFollowing?.();
      stopFollowing = undefined;
      await store.close();
    },
  };
}

function selectValues(db: Kysely<Tables>, kind: string) {
  return db.selectFrom('records').select('value').where('kind', '=', kind);
}

type Values = ReturnType<typeof selectValues>;

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** Current value of a key, its position in the list, and the number of history entries. */
interface KeyState {
  readonly value: JsonObject | undefined;
  readonly position: number | undefined;
  readonly entries: number;
}

/** Applies the edits in order with as few statements as possible. Returns whether anything changed. */
async function editRecords(
  db: Transaction<Tables>,
  kind: string,
  edits: readonly KeyedEdit[],
): Promise<boolean> {
  const states = await loadStates(db, kind, [...new Set(edits.map(({ key }) => key))]);
  const changed = new Set<string>();
  const entries: Tables['record_entries'][] = [];
  let sequence = await lastSequence(db, kind);
  for (const { key, edit } of edits) {
    const before = states.get(key)!;
    const made = edit(before.value, before.entries);
    if (made === undefined) continue;
    changed.add(key);
    if (made.entry !== undefined) {
      sequence += 1;
      entries.push({ kind, sequence, key, entry: JSON.stringify(made.entry) });
    }
    // A key that was deleted and added again goes to the end of the list.
    const position = made.next && (before.position ?? sequence);
    states.set(key, { value: made.next, position, entries: before.entries + (made.entry ? 1 : 0) });
  }
  if (changed.size === 0) return false;
  if (entries.length > 0) await db.insertInto('record_entries').values(entries).execute();
  const rows = [...changed].flatMap((key) => {
    const { value, position } = states.get(key)!;
    return value && position !== undefined ? [{ kind, key, value: JSON.stringify(value), position }] : [];
  });
  const removed = [...changed].filter((key) => states.get(key)!.value === undefined);
  if (rows.length > 0)
    await db
      .insertInto('records')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['kind', 'key']).doUpdateSet(({ ref }) => ({
          value: ref('excluded.value'),
          position: ref('excluded.position'),
        })),
      )
      .execute();
  if (removed.length > 0)
    await db.deleteFrom('records').where('kind', '=', kind).where('key', 'in', removed).execute();
  return true;
}

async function loadStates(
  db: Kysely<Tables>,
  kind: string,
  keys: readonly string[],
): Promise<Map<string, KeyState>> {
  if (keys.length === 0) return new Map();
  const found = await db
    .selectFrom('records')
    .select(['key', 'value', 'position'])
    .where('kind', '=', kind)
    .where('key', 'in', keys)
    .execute();
  const rows = new Map(found.map((row) => [row.key, row]));
  const counts = await db
    .selectFrom('record_entries')
    .select(['key', ({ fn }) => fn.countAll<number>().as('entries')])
    .where('kind', '=', kind)
    .where('key', 'in', keys)
    .groupBy('key')
    .execute();
  const entryCounts = new Map(counts.map(({ key, entries }) => [key, Number(entries)]));
  return new Map(
    keys.map((key) => {
      const row = rows.get(key);
      const value = row && parse(row.value);
      return [key, { value, position: row?.position, entries: entryCounts.get(key) ?? 0 }];
    }),
  );
}

async function lastSequence(db: Kysely<Tables>, kind: string): Promise<number> {
  const { last } = await db
    .selectFrom('record_entries')
    .select(({ fn }) => fn.max('sequence').as('last'))
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return Number(last ?? 0);
}
