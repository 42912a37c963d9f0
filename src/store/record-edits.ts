import type { Kysely, Transaction } from 'kysely';
import type { JsonObject } from '../json.ts';
import type { KeyedEdit } from '../records.ts';
import type { Tables } from './schema.ts';

/** Current value of a key, its position in the list, and the number of history entries. */
interface KeyState {
  readonly value: JsonObject | undefined;
  readonly position: number | undefined;
  readonly entries: number;
}

/** Applies the edits in order with as few statements as possible. Returns whether anything changed. */
export async function editRecords(
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
    sequence += 1;
    changed.add(key);
    entries.push({ kind, sequence, key, entry: JSON.stringify(made.entry) });
    // A key that was deleted and added again goes to the end of the list.
    const position = made.next && (before.position ?? sequence);
    states.set(key, { value: made.next, position, entries: before.entries + 1 });
  }
  if (changed.size === 0) return false;
  await db.insertInto('record_entries').values(entries).execute();
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
      const value = row && (JSON.parse(row.value) as JsonObject);
      return [key, { value, position: row?.position, entries: entryCounts.get(key) ?? 0 }];
    }),
  );
}

export async function lastSequence(db: Kysely<Tables>, kind: string): Promise<number> {
  const { last } = await db
    .selectFrom('record_entries')
    .select(({ fn }) => fn.max('sequence').as('last'))
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return Number(last ?? 0);
}
