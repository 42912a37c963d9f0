import { sql } from 'kysely';
import type { SqliteFile } from '../store/sqlite-file.ts';
import { createStore, type Store } from '../store/store.ts';

/** A secret that a backup leaves out. */
export interface LeftOut {
  /** `setting`, `file`, or the kind of a record. */
  readonly kind: string;
  /** Name of the setting or the file, or key of the record. */
  readonly name: string;
}

/** Removes the records of these kinds from the copy of a database. Returns what it removed. */
export function removeSecretRecords(file: SqliteFile, kinds: readonly string[]): readonly LeftOut[] {
  const tables = ['records', 'record_entries'].filter(
    (table) => file.all('select 1 from sqlite_master where name = ?', table).length > 0,
  );
  // An empty database has no tables.
  if (tables.length === 0) return [];
  const isOfKind = `kind in (${kinds.map(() => '?').join(', ')})`;
  file.exec('pragma secure_delete = 1');
  const found = file.all(
    `select kind, key as name from records where ${isOfKind} order by kind, key`,
    ...kinds,
  );
  for (const table of tables) file.run(`delete from ${table} where ${isOfKind}`, ...kinds);
  // Unused parts of pages can still hold earlier values.
  file.exec('vacuum');
  return found as unknown as readonly LeftOut[];
}

/** Copies records that a backup left out from the present database into the restored one. Returns which it found. */
export async function keepSecretRecords(
  url: string,
  restored: Store,
  leftOut: readonly LeftOut[],
): Promise<readonly LeftOut[]> {
  if (leftOut.length === 0) return [];
  const present = createStore(url);
  try {
    const kept: LeftOut[] = [];
    for (const one of leftOut) {
      const row = await present.read((db) =>
        db
          .selectFrom('records')
          .selectAll()
          .where('kind', '=', one.kind)
          .where('key', '=', one.name)
          .executeTakeFirst(),
      );
      if (row === undefined) continue;
      const { kind, key, value, position } = row;
      await restored.run(sql`insert into records (kind, key, value, position)
        values (${kind}, ${key}, ${value}, ${position}) on conflict do nothing returning key`);
      kept.push(one);
    }
    return kept;
  } finally {
    await present.close();
  }
}
