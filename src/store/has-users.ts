import { DatabaseSync } from 'node:sqlite';

/** True if a SQLite file has users. Reads only the file, and throws if it is no database of ours: the start must not wait for a store. */
export function hasUsers(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('select 1 from users limit 1').get() !== undefined;
  } finally {
    database.close();
  }
}
