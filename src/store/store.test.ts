import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../test/postgres.ts';
import { appendActivity } from './activity.ts';
import { newId } from './id.ts';
import { migrations } from './migrations.ts';
import type { NewUser } from './schema.ts';
import { createStore, type Store, type StoreChange } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-store-'));
let postgres: Postgres;
let files = 0;
const file = () => join(folder, `${++files}.db`);

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

function person(id: string, more: Partial<NewUser> = {}): NewUser {
  return { id, name: `Name of ${id}`, created_ms: 1, updated_ms: 1, ...more };
}

function add(store: Store, ...users: NewUser[]): Promise<void> {
  return store.write(async ({ db, changed }) => {
    for (const user of users) {
      await db.insertInto('users').values(user).execute();
      changed({ kind: 'user', id: user.id, userId: user.id });
    }
  });
}

async function openOnce<Value>(url: string, work: (store: Store) => Promise<Value>): Promise<Value> {
  const store = createStore(url);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const names = (store: Store) =>
  store.read(async (db) =>
    (await db.selectFrom('users').select('id').orderBy('id').execute()).map(({ id }) => id),
  );

it('overwrites deleted rows in the SQLite file', async () => {
  const path = file();
  const store = createStore(path);
  await add(store, ...Array.from({ length: 200 }, (_, index) => person(`u${index}`)));
  await store.write(({ db }) => db.deleteFrom('users').execute());
  await store.close();
  expect(readFileSync(path, 'latin1')).not.toContain('Name of u');
});

describe.each(['sqlite', 'postgres'] as const)('a store on %s', (engine) => {
  let databases = 0;
  const address = async () =>
    engine === 'sqlite' ? file() : await postgres.createDatabase(`store_${++databases}`);

  it('keeps committed rows and returns timestamps as numbers', async () => {
    const url = await address();
    const first = createStore(url);
    await add(first, person('u1', { created_ms: 8_640_000_000_000_000 }));
    await first.close();
    const second = createStore(url);
    const rows = await second.read((db) => db.selectFrom('users').selectAll().execute());
    expect(rows).toMatchObject([{ id: 'u1', created_ms: 8_640_000_000_000_000, email: null }]);
    await second.close();
  });

  it('rolls back a transaction that throws and does not notify subscribers', async () => {
    const store = createStore(await address());
    const received: StoreChange[] = [];
    store.subscribe((changes) => received.push(...changes));
    const broken = store.write(async ({ db, changed }) => {
      await db.insertInto('users').values(person('lost')).execute();
      changed({ kind: 'user', id: 'lost', userId: 'lost' });
      throw new RangeError('on purpose');
    });
    await expect(broken).rejects.toThrow('on purpose');
    await add(store, person('kept'));
    expect(await names(store)).toEqual(['kept']);
    expect(received.map(({ id }) => id)).toEqual(['kept']);
    await store.close();
  });

  it('reports a second user with the same email address as a conflict', async () => {
    const store = createStore(await address());
    await add(store, person('a', { email: 'a@example.com' }));
    await expect(add(store, person('b', { email: 'a@example.com' }))).rejects.toMatchObject({
      kind: 'conflict',
    });
    await store.close();
  });

  it("deletes a user's rows together with the user", async () => {
    const store = createStore(await address());
    await add(store, person('a'));
    await store.write(({ db }) =>
      db
        .insertInto('rules')
        .values({
          id: 'r',
          user_id: 'a',
          rule_type: 'vip_organizer',
          config: '{}',
          created_ms: 1,
          updated_ms: 1,
        })
        .execute(),
    );
    await store.write(({ db }) => db.deleteFrom('users').execute());
    expect(await store.read((db) => db.selectFrom('rules').selectAll().execute())).toEqual([]);
    await store.close();
  });

  it('is created once when ten stores open it at the same moment', async () => {
    const url = await address();
    const stores = Array.from({ length: 10 }, () => createStore(url));
    await Promise.all(stores.map((store, index) => add(store, person(`u${index}`))));
    expect(await names(stores[0]!)).toHaveLength(10);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('numbers the entries of the security log without gaps, also beside transactions that fail', async () => {
    const url = await address();
    const stores = [createStore(url), createStore(url)];
    const record = (index: number) =>
      stores[index % 2]!.write(async ({ db }) => {
        await appendActivity(db, null, { index });
        if (index % 3 === 0) throw new RangeError('on purpose');
      });
    const made = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => record(index)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const rows = await stores[0]!.read((db) =>
      db.selectFrom('activity').select('number').orderBy('number').execute(),
    );
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    for (const store of stores) await store.close();
  });

  it('is created while another store of the process reads and writes it', async () => {
    const url = await address();
    const [reader, writer] = [createStore(url), createStore(url)];
    await Promise.all([names(reader), add(writer, person('a')), add(reader, person('b'))]);
    expect(await names(writer)).toEqual(['a', 'b']);
    await Promise.all([reader.close(), writer.close()]);
  });

  it('rejects a database with a newer schema and does not change it', async () => {
    const url = await address();
    const store = createStore(url);
    await store.write(({ db }) => db.updateTable('schema_version').set({ version: 99 }).execute());
    await store.close();
    const again = createStore(url);
    await expect(names(again)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/newer version of Adjutant \(schema 99/),
    });
    await again.close();
  });
});

describe('a PostgreSQL store of an earlier version', () => {
  it('is copied before its schema is updated, and keeps three copies', async () => {
    const url = await postgres.createDatabase('earlier');
    const last = migrations.length - 1;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create schema adjutant; set search_path = adjutant');
    for (const version of [1, 2, 3]) await client.query(`create schema adjutant_schema_${version}`);
    await client.query('create schema adjutant_schema_of_mine');
    await client.query('create table schema_version (version integer not null)');
    for (const statement of migrations.slice(0, last).flat()) await client.query(statement);
    await client.query(`insert into schema_version (version) values (${last})`);
    await client.query(
      "insert into users (id, name, created_ms, updated_ms) values ('before', 'Someone', 1, 1)",
    );
    expect(await openOnce(url, names)).toEqual(['before']);
    await openOnce(url, (store) => add(store, person('after')));
    const { rows: schemas } = await client.query(
      "select nspname from pg_namespace where nspname like 'adjutant_schema%' order by 1",
    );
    const kept = ['2', '3', String(last), 'of_mine'].map((end) => `adjutant_schema_${end}`);
    expect(schemas.map(({ nspname }) => nspname).toSorted()).toEqual(kept.toSorted());

    // Going back is a change of names.
    await client.query(
      `drop schema adjutant cascade; alter schema adjutant_schema_${last} rename to adjutant`,
    );
    expect((await client.query('select version from schema_version')).rows).toEqual([{ version: last }]);
    await client.query(
      `insert into calendars (id, user_id, kind, name, location, created_ms, updated_ms)
       values ('c', 'before', 'file', 'Work', '', 1, 1)`,
    );
    await client.query("delete from users where id = 'before'");
    expect((await client.query('select id from calendars')).rows).toEqual([]);
    await client.end();
    expect(await openOnce(url, names)).toEqual([]);
  });
});

describe('a SQLite store', () => {
  it('names the database of another program as such, and does not change it', async () => {
    const path = file();
    const other = new DatabaseSync(path);
    other.exec('create table users (id text); create table events (id text)');
    other.close();
    const before = readFileSync(path);
    const store = createStore(path);
    await expect(store.read((db) => db.selectFrom('users').selectAll().execute())).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('a database of another program, with the tables users, events'),
    });
    await store.close();
    expect(readFileSync(path)).toEqual(before);
  });

  it('copies a file of an earlier version before it updates the schema, and keeps three copies', async () => {
    const path = file();
    // As the version before the last one has left it.
    const old = new DatabaseSync(path);
    old.exec('create table schema_version (version integer not null)');
    for (const statement of migrations.slice(0, -1).flat()) old.exec(statement);
    old.exec(`insert into schema_version (version) values (${migrations.length - 1})`);
    old.exec(
      "insert into users (id, name, created_ms, updated_ms) values ('before', 'Someone of before', 1, 1)",
    );
    old.close();
    for (const version of [1, 2, 3]) writeFileSync(`${path}.schema-${version}`, '');
    expect(await openOnce(path, names)).toEqual(['before']);
    await openOnce(path, (store) => add(store, person('after')));
    const kept = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.schema-`));
    expect(kept.sort()).toEqual(
      [2, 3, migrations.length - 1].map((one) => `${basename(path)}.schema-${one}`).sort(),
    );
    const copy = new DatabaseSync(`${path}.schema-${migrations.length - 1}`);
    expect(copy.prepare('select id from users').all()).toEqual([{ id: 'before' }]);
    copy.close();
    expect(statSync(`${path}.schema-${migrations.length - 1}`).mode & 0o777).toBe(0o600);
  });

  it('copies a file again if it went back to the earlier version after its first update', async () => {
    const path = file();
    const last = migrations.length - 1;
    const copied = () => {
      const copy = new DatabaseSync(`${path}.schema-${last}`);
      const rows = copy.prepare('select id from users order by id').all();
      copy.close();
      return rows.map(({ id }) => id);
    };
    for (const people of [['a'], ['a', 'b']]) {
      const old = new DatabaseSync(path);
      old.exec('pragma foreign_keys = off');
      for (const { name } of old.prepare("select name from sqlite_master where type = 'table'").all())
        old.exec(`drop table ${name}`);
      old.exec('create table schema_version (version integer not null)');
      for (const statement of migrations.slice(0, last).flat()) old.exec(statement);
      old.exec(`insert into schema_version (version) values (${last})`);
      for (const id of people)
        old.exec(`insert into users (id, name, created_ms, updated_ms) values ('${id}', '${id}', 1, 1)`);
      old.close();
      expect(await openOnce(path, names)).toEqual(people);
      expect(copied()).toEqual(people);
    }
  });

  it('is not changed if it cannot be copied before the update', async () => {
    const path = file();
    const store = createStore(path);
    await names(store);
    await store.close();
    const old = new DatabaseSync(path);
    old.exec('update schema_version set version = 1');
    mkdirSync(`${path}.schema-1.${process.pid}`);
    const again = createStore(path);
    await expect(names(again)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining(
        'is from an earlier version, and the copy that is made before its update failed',
      ),
    });
    expect(old.prepare('select version from schema_version').get()).toEqual({ version: 1 });
    old.close();
    await again.close();
  });

  it('creates no file or folder until it is used', async () => {
    const store = createStore(join(folder, 'never', 'made.db'));
    await store.close();
    expect(() => statSync(join(folder, 'never'))).toThrow();
  });

  it('creates a file that only its owner can read', async () => {
    const path = file();
    const store = createStore(path);
    await names(store);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('reports a file that is not a database', async () => {
    const path = file();
    writeFileSync(path, 'this is a letter, not a database'.repeat(100));
    await expect(names(createStore(path))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('is not an Adjutant database'),
    });
  });

  it('reports a parent path that is a file', async () => {
    const path = file();
    writeFileSync(path, '');
    await expect(names(createStore(join(path, 'inner', 'x.db')))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('cannot be opened because its parent path is a file'),
    });
  });

  it('reports a full disk and keeps its data', async () => {
    const store = createStore(file());
    await add(store, person('first'));
    await store.write(async ({ db }) => {
      const { sql } = await import('kysely');
      await sql`pragma max_page_count = 1`.execute(db);
    });
    await expect(add(store, person('big', { name: 'x'.repeat(200_000) }))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('the disk is full'),
    });
    expect(await names(store)).toEqual(['first']);
    await store.close();
  });

  it('reads while another process holds the lock, and writes once the lock is released', async () => {
    const path = file();
    const store = createStore(path);
    await add(store, person('first'));
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const waiting = add(store, person('second'));
    expect(await names(store)).toEqual(['first']);
    other.exec('commit');
    await waiting;
    expect(await names(store)).toEqual(['first', 'second']);
    other.close();
    await store.close();
  });

  it('does not write to a deleted file, and creates a new one if no trace of it is left', async () => {
    const path = file();
    const store = createStore(path);
    await add(store, person('first'));
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    await expect(add(store, person('lost'))).rejects.toThrow(`${path} is missing, although there was one`);
    rmSync(`${path}.last-backup`);
    await add(store, person('second'));
    const other = createStore(path);
    expect(await names(other)).toEqual(['second']);
    await store.close();
    await other.close();
  });

  it.each([
    ['reports a file of another user that it cannot read', 0o400, ''],
    ['reads a file of another user, and does not write to it', 0o444, '["first"]\n'],
  ])('%s', async (_, mode, read) => {
    const path = file();
    const store = createStore(path);
    await add(store, person('first'));
    await store.close();
    chmodSync(path, mode);
    const script = `
      const { createStore } = await import(${JSON.stringify(import.meta.resolve('./store.ts'))});
      const names = (store) => store.read((db) => db.selectFrom('users').select('id').execute());
      // Load all lazy modules now: after setuid, the process may not be allowed to read the sources.
      const another = createStore(${JSON.stringify(file())});
      await names(another);
      await another.close();
      if (process.getuid?.() === 0) process.setuid(65534);
      const store = createStore(${JSON.stringify(path)});
      await names(store).then((rows) => console.log(JSON.stringify(rows.map(({ id }) => id))), () => {});
      await store.write(({ db }) => db.deleteFrom('users').execute()).catch(({ kind, message }) => console.log(kind, message));
    `;
    // Root ignores file permissions, so the script switches to another user.
    chmodSync(folder, 0o755);
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.slice(0, read.length)).toBe(read);
    expect(stdout.slice(read.length)).toMatch(
      /^unavailable The database .* is not writable; check the permissions/,
    );
  });

  it('accepts sqlite URLs', () => {
    expect(createStore('sqlite:////var/lib/x.db').place).toBe('/var/lib/x.db');
    expect(createStore('sqlite:///var/lib/x.db').place).toBe('/var/lib/x.db');
    expect(createStore('sqlite+aiosqlite:///./x.db').place).toBe('./x.db');
  });

  it('rejects the URL of an unsupported database instead of creating a file of that name', async () => {
    const store = createStore('mysql://me:hunter2@db/x');
    await expect(names(store)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^mysql:\/\/me:\(secret\)@db\/x is not a supported database; /),
    });
    expect(existsSync('mysql:')).toBe(false);
  });
});

describe('a PostgreSQL store', () => {
  it('hides the password in its place', () => {
    expect(createStore('postgresql+asyncpg://me:secret@db/x').place).toBe(
      'postgresql+asyncpg://me:(secret)@db/x',
    );
  });

  it('reports a stopped server, and works again after the server restarts', async () => {
    const store = createStore(await postgres.createDatabase('comes_back'));
    await add(store, person('a'));
    await postgres.stop('fast');
    await expect(names(store)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.not.stringContaining('undefined'),
    });
    await postgres.start();
    await expect.poll(() => names(store).catch(() => []), { timeout: 20_000 }).toEqual(['a']);
    await store.close();
  });

  it('reports a database that does not exist', async () => {
    const url = (await postgres.createDatabase('somewhere')).replace(/somewhere$/, 'nowhere');
    await expect(names(createStore(url))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('nowhere does not exist'),
    });
  });

  it('notifies other processes of a committed change', async () => {
    const url = await postgres.createDatabase('notifies');
    const store = createStore(url);
    await names(store);
    const { default: pg } = await import('pg');
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('listen adjutant_changes');
    const notified = new Promise((resolve) => other.on('notification', ({ payload }) => resolve(payload)));
    await add(store, person('a'));
    expect(JSON.parse(String(await notified))).toEqual({
      origin: store.origin,
      changes: [{ kind: 'user', id: 'a', userId: 'a' }],
    });
    await other.end();
    await store.close();
  });
});

describe('a PostgreSQL store whose server terminates a connection', () => {
  it('fails only the transaction on that connection', async () => {
    const store = createStore(await postgres.createDatabase('cut'));
    await add(store, person('a'));
    const cut = store.write(async ({ db }) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await db.deleteFrom('users').execute();
    });
    await expect(cut).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await names(store)).toEqual(['a']);
    await store.close();
  });

  it('delivers many changes with long ids', async () => {
    const store = createStore(await postgres.createDatabase('many'));
    const received: StoreChange[] = [];
    store.subscribe((changes) => received.push(...changes));
    const ids = Array.from({ length: 120 }, (_, index) => `${index}-${'ü'.repeat(250)}`);
    await add(store, ...ids.map((id) => person(id)));
    expect(received.map(({ id }) => id)).toEqual(ids);
    await store.close();
  });
});

describe('newId', () => {
  it('returns UUIDs of version 7 that sort by time', () => {
    const [early, late] = [newId(1_700_000_000_000), newId(1_700_000_000_001)];
    expect(early).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(early < late).toBe(true);
  });
});
