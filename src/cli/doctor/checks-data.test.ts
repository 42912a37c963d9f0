import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Checkup, createCheckup } from '../../../test/checkup.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { createStore } from '../../store/store.ts';
import { checkData } from './checks-data.ts';

let home: Checkup;
beforeEach(() => {
  home = createCheckup();
});
afterEach(() => home[Symbol.asyncDispose]());

describe('the database in a file', () => {
  const check = async (env: Readonly<Record<string, string>> = {}) =>
    (await checkData(await home.load(env))).filter(({ title }) => title === 'Database');
  const file = () => join(home.folder, 'adjutant.db');
  const createDatabase = async () => {
    const store = createStore(file());
    await store.read((db) => db.selectFrom('users').selectAll().execute());
    await store.close();
  };
  const setVersion = (version: number) => {
    const database = new DatabaseSync(file());
    database.exec(`update schema_version set version = ${version}`);
    database.close();
  };
  const version = () => {
    const database = new DatabaseSync(file(), { readOnly: true });
    const row = database.prepare('select version from schema_version').get();
    database.close();
    return row?.['version'];
  };

  it('is not created by the check', async () => {
    expect(await check()).toMatchObject([{ state: 'good', detail: expect.stringContaining('first use') }]);
    expect(readdirSync(home.folder)).toEqual([]);
  });

  it.each([
    ['missing', (path: string) => rmSync(path)],
    ['empty', (path: string) => truncateSync(path)],
  ])('is reported as %s if there was one, also the one of this machine', async (state, lose) => {
    const local = join(home.folder, 'local.db');
    for (const path of [file(), local]) {
      const store = createStore(path);
      await store.read((db) => db.selectFrom('users').selectAll().execute());
      await store.close();
    }
    lose(file());
    lose(local);
    const findings = await checkData(await home.load({}));
    for (const path of [file(), local])
      expect(findings).toContainEqual(
        expect.objectContaining({ state: 'bad', detail: expect.stringContaining(`${path} is ${state}`) }),
      );
  });

  it('is reported as damaged if it is the one of this machine', async () => {
    const local = join(home.folder, 'local.db');
    writeFileSync(local, 'not a database, but longer than the header of one'.repeat(20));
    expect(await checkData(await home.load({}))).toContainEqual(
      expect.objectContaining({ state: 'bad', detail: expect.stringContaining(`${local} is damaged`) }),
    );
  });

  it('is reported as writable, older or newer, and is not changed', async () => {
    await createDatabase();
    expect(await check()).toMatchObject([{ state: 'good', detail: expect.stringContaining('is writable') }]);
    setVersion(1);
    expect(await check()).toMatchObject([{ state: 'warning', remedy: expect.stringContaining('copy') }]);
    expect(version()).toBe(1);
    setVersion(99);
    expect(await check()).toMatchObject([{ state: 'bad', remedy: expect.stringContaining('update') }]);
    expect(version()).toBe(99);
  });

  it('is reported as invalid, as a folder or as locked', async () => {
    writeFileSync(file(), 'not a database, but longer than the header of one'.repeat(20));
    expect(await check()).toMatchObject([
      { state: 'bad', detail: expect.stringContaining('not an Adjutant database') },
    ]);
    expect(await check({ DATABASE_URL: home.folder })).toMatchObject([
      { state: 'bad', remedy: expect.stringContaining('variable DATABASE_URL') },
    ]);
    expect(await check({ DATABASE_URL: 'mysql://me:hunter2@db/calendar' })).toMatchObject([
      {
        state: 'bad',
        detail: expect.stringContaining('mysql://me:(secret)@db/calendar is not a supported database'),
      },
    ]);
    rmSync(file());
    await createDatabase();
    const other = new DatabaseSync(file());
    other.exec('begin immediate');
    expect(await check()).toMatchObject([{ state: 'bad', detail: expect.stringContaining('is locked') }]);
    other.close();
  });
});

describe('the database on PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());

  const check = async (url: string) =>
    (await checkData(await home.load({ DATABASE_URL: url }))).filter(({ title }) => title === 'Database');
  async function query(url: string, text: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  }

  it('is not created by the check, and its schema version is reported', async () => {
    const url = await postgres.createDatabase('fresh');
    expect(await check(url)).toMatchObject([{ state: 'good', detail: expect.stringContaining('first use') }]);
    expect(await query(url, "select 1 from pg_namespace where nspname = 'adjutant'")).toEqual([]);
    const store = createStore(url);
    await store.read((db) => db.selectFrom('users').selectAll().execute());
    await store.close();
    expect(await check(url)).toMatchObject([
      { state: 'good', detail: expect.stringMatching(/is writable \(PostgreSQL \d+.*, schema \d+\)/) },
    ]);
    await query(url, 'update adjutant.schema_version set version = 1');
    expect(await check(url)).toMatchObject([{ state: 'warning' }]);
    expect(await query(url, 'select version from adjutant.schema_version')).toEqual([{ version: 1 }]);
    await query(url, 'update adjutant.schema_version set version = 99');
    expect(await check(url)).toMatchObject([{ state: 'bad', remedy: expect.stringContaining('update') }]);
  });

  it('is reported if it is read-only or the user lacks permission', async () => {
    const url = await postgres.createDatabase('sealed');
    await query(url, "create role guest login password 'hunter2'");
    const guest = url.replace('postgres@', 'guest:hunter2@');
    const [denied] = await check(guest);
    expect(denied).toMatchObject({ state: 'bad', detail: expect.stringContaining('create a schema') });
    expect(JSON.stringify(denied)).not.toContain('hunter2');
    await query(url, 'alter database sealed set default_transaction_read_only = on');
    expect(await check(url)).toMatchObject([{ state: 'bad', detail: expect.stringContaining('read-only') }]);
  });

  it('is reported at once if it does not exist or cannot be reached', async () => {
    const url = await postgres.createDatabase('here');
    expect(await check(url.replace('/here', '/nowhere'))).toMatchObject([
      { state: 'bad', detail: expect.stringContaining('does not exist') },
    ]);
    const dead = `postgres://me:hunter2@127.0.0.1:${await home.deadPort()}/x`;
    const findings = await check(dead);
    expect(findings).toMatchObject([
      {
        state: 'bad',
        detail: expect.stringContaining('cannot be reached'),
        remedy: expect.stringContaining('DATABASE_URL'),
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
    expect(existsSync(join(home.folder, 'adjutant.db'))).toBe(false);
  });
});
