import type { Kysely } from 'kysely';
import type { JsonObject } from '../json.ts';
import type { Records } from '../records.ts';
import { followChangesSoon } from './change-follower.ts';
import { editRecords, lastSequence } from './record-edits.ts';
import type { Tables } from './schema.ts';
import { createStore } from './store.ts';

/** Stores documents in the assistant's database. */
export function createRecords(databaseUrl: string): Records {
  const store = createStore(databaseUrl);
  let stopFollowing: (() => Promise<void>) | undefined;
  const changeMany: Records['changeMany'] = (kind, edits) =>
    store.write(async ({ db, changed }) => {
      if (store.engine === 'postgres') {
        const { sql } = await import('kysely');
        await sql`select pg_advisory_xact_lock(hashtext(${`records ${kind}`}))`.execute(db);
      }
      if (await editRecords(db, kind, edits)) changed({ kind: 'record', id: kind, userId: '' });
    });
  return {
    place: store.place,
    version: (kind) => store.read((db) => lastSequence(db, kind)),
    async list(kind) {
      const rows = await store.read((db) => selectValues(db, kind).orderBy('position').execute());
      return rows.map(parseValue);
    },
    async find(kind, key) {
      const row = await store.read((db) => selectValues(db, kind).where('key', '=', key).executeTakeFirst());
      return row && parseValue(row);
    },
    async last(kind, limit, before) {
      const rows = await store.read((db) => {
        const values = selectValues(db, kind).orderBy('key', 'desc').limit(limit);
        return (before === undefined ? values : values.where('key', '<', before)).execute();
      });
      return rows.map(parseValue);
    },
    async keys(kind) {
      const rows = await store.read((db) =>
        db.selectFrom('records').select('key').where('kind', '=', kind).execute(),
      );
      return rows.map(({ key }) => key);
    },
    async history(kind, key) {
      const rows = await store.read((db) =>
        db
          .selectFrom('record_entries')
          .select('entry')
          .where('kind', '=', kind)
          .where('key', '=', key)
          .orderBy('sequence')
          .execute(),
      );
      return rows.map(({ entry }) => JSON.parse(entry) as JsonObject);
    },
    async histories(kind) {
      const rows = await store.read((db) =>
        db
          .selectFrom('record_entries')
          .select(['key', 'entry'])
          .where('kind', '=', kind)
          .orderBy('sequence')
          .execute(),
      );
      const byKey = Map.groupBy(rows, ({ key }) => key);
      return new Map(
        [...byKey].map(([key, own]) => [key, own.map(({ entry }) => JSON.parse(entry) as JsonObject)]),
      );
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

function parseValue({ value }: { readonly value: string }): JsonObject {
  return JSON.parse(value) as JsonObject;
}
