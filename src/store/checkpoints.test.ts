import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStore } from './store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-checkpoints-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the write-ahead log is moved into the database outside of the transactions, again and again', async () => {
  const file = join(folder, 'adjutant.db');
  const store = createStore(file);
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const write = (key: string) => {
    const value = JSON.stringify(randomBytes(500_000).toString('base64'));
    return store.run(sql`insert into records (kind, key, value, position) values ('x', ${key}, ${value}, 1)`);
  };
  try {
    for (let round = 1; round <= 2; round++) {
      for (let count = 0; count < 8; count++) await write(`${round}-${count}`);
      // One checkpoint follows another after a pause, at the next write.
      const writeAgain = (path: string) => async () => {
        await write(`${round}-${Math.random()}`);
        return sizeOf(path);
      };
      const options = { timeout: 20_000, interval: 300 };
      // What was written must be in the database itself before the store is closed, and the log must begin again.
      await expect.poll(writeAgain(file), options).toBeGreaterThan(round * 3_000_000);
      await expect.poll(writeAgain(`${file}-wal`), options).toBeLessThan(4_000_000);
    }
  } finally {
    await store.close();
  }
  const database = new DatabaseSync(file, { readOnly: true });
  const [check] = database.prepare('pragma integrity_check').all();
  database.close();
  expect(check).toEqual({ integrity_check: 'ok' });
});
