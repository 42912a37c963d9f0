import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { plantTree } from '../../test/tree.ts';
import { noteBackup } from './damage.ts';
import { findDamage } from './inspect.ts';
import { createStore } from './store.ts';

async function createFilled(): Promise<string> {
  const file = join(plantTree({}), 'adjutant.db');
  const store = createStore(file);
  await store.write(async ({ db }) => {
    for (let count = 0; count < 300; count++)
      await db
        .insertInto('users')
        .values({
          id: `u${count}`,
          name: 'x'.repeat(50),
          email: `u${count}@example.com`,
          created_ms: 0,
          updated_ms: 0,
        })
        .execute();
    for (let count = 0; count < 300; count++)
      await db
        .insertInto('rules')
        .values({
          id: `r${count}`,
          user_id: `u${count}`,
          rule_type: 'quiet_hours' as never,
          config: '{}',
          created_ms: 0,
          updated_ms: 0,
        })
        .execute();
  });
  await store.close();
  return file;
}

/** Overwrites the first page of a table or an index. */
function spoil(file: string, name: string): void {
  const database = new DatabaseSync(file);
  const page = Number(
    database.prepare('select rootpage from sqlite_master where name = ?').get(name)!['rootpage'],
  );
  const size = Number(database.prepare('pragma page_size').get()!['page_size']);
  database.close();
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(size, 0x5a), 0, size, (page - 1) * size);
  closeSync(opened);
}

async function countRules(file: string): Promise<number> {
  const store = createStore(file);
  try {
    const rows = await store.read((db) =>
      db.selectFrom('rules').select('id').where('user_id', '>=', 'u').execute(),
    );
    return rows.length;
  } finally {
    await store.close();
  }
}

it('an undamaged database has no damage, and neither has a missing one', async () => {
  const file = await createFilled();
  expect(await findDamage(file)).toBeUndefined();
  expect(await findDamage(`${file}.missing`)).toBeUndefined();
});

/** Adds a row, while the index has another definition. */
function spoilIndex(file: string, definition: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  // Turns the index into one of another column for a moment, so that new rows are missing in it.
  database.exec('pragma writable_schema = on');
  const { sql } = database.prepare("select sql from sqlite_master where name = 'rules_user'").get() as {
    sql: string;
  };
  database.exec(
    `update sqlite_master set sql = replace(sql, '(user_id)', '${definition}') where name = 'rules_user'`,
  );
  database.close();
  const second = new DatabaseSync(file, { defensive: false });
  second.exec(
    "insert into rules (id, user_id, rule_type, config, created_ms, updated_ms) values ('late', 'u7', 'x', '{}', 0, 0)",
  );
  second.exec('pragma writable_schema = on');
  second.prepare("update sqlite_master set sql = ? where name = 'rules_user'").run(sql);
  second.close();
}

it('an index that lacks entries is rebuilt when the database is opened', async () => {
  const file = await createFilled();
  spoilIndex(file, '(user_id) where priority > 9');
  expect(await findDamage(file)).toMatchObject({ isInIndexes: true });
  expect(await countRules(file)).toBe(301);
  expect(await findDamage(file)).toBeUndefined();
});

it('an index of a large database with wrong entries is rebuilt after the start', async () => {
  const file = await createFilled();
  const database = new DatabaseSync(file);
  database.exec("insert into changes (origin, changes) values ('', hex(zeroblob(2000000)))");
  database.close();
  spoilIndex(file, '(rule_type)');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const store = createStore(file);
  await store.read((db) => db.selectFrom('users').select('id').execute());
  expect(await findDamage(file)).toMatchObject({ isInIndexes: true });
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  await vi.waitFor(async () => expect(await findDamage(file)).toBeUndefined(), { timeout: 20_000 });
  await store.close();
});

it('a database with a damaged table is refused, and the last backup is named', async () => {
  const file = await createFilled();
  spoil(file, 'rules');
  const backups = join(dirname(file), 'backups');
  mkdirSync(backups);
  writeFileSync(join(backups, 'adjutant-2031.backup'), '');
  expect((await findDamage(file))?.isInIndexes).toBe(false);
  await expect(countRules(file)).rejects.toThrow(/is damaged.+restore .+adjutant-2031\.backup --replace/);
});

it('a database that became empty is refused, but one that is being created is not', async () => {
  const file = await createFilled();
  truncateSync(file);
  await expect(countRules(file)).rejects.toThrow(
    /adjutant\.db is empty, although it exists.+remove .+adjutant\.db and .+adjutant\.db\.last-backup/,
  );
  rmSync(`${file}.last-backup`);
  const earlier = new Date(Date.now() - 3_600_000);
  utimesSync(file, earlier, earlier);
  await expect(countRules(file)).rejects.toThrow(/is empty, although it exists.+remove .+adjutant\.db\./);
  utimesSync(file, new Date(), new Date());
  expect(await countRules(file)).toBe(0);
});

it('a database that is missing where one was is refused, and its last backup is named', async () => {
  const file = await createFilled();
  rmSync(file);
  await expect(countRules(file)).rejects.toThrow(
    /adjutant\.db is missing, although there was one.+restore FILE --replace.+remove .+last-backup/,
  );
  const backup = join(dirname(file), 'monday.backup');
  writeFileSync(backup, '');
  await noteBackup(file, backup);
  await expect(countRules(file)).rejects.toThrow(
    /adjutant\.db is missing, although there was one.+restore .+monday\.backup --replace.+remove .+last-backup/,
  );
  rmSync(`${file}.last-backup`);
  writeFileSync(`${file}.schema-3`, '');
  await expect(countRules(file)).rejects.toThrow(/is missing, although there was one.+remove .+schema-3/);
  rmSync(`${file}.schema-3`);
  expect(await countRules(file)).toBe(0);
});

it('a database of a version that left no trace is opened, and its loss is noticed from then on', async () => {
  const file = await createFilled();
  rmSync(`${file}.last-backup`);
  expect(await countRules(file)).toBe(300);
  rmSync(file);
  await expect(countRules(file)).rejects.toThrow(/is missing, although there was one/);
});
