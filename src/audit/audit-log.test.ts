import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startPostgres } from '../../test/postgres.ts';
import { owner } from '../context.ts';
import { createStore, type Store } from '../store/store.ts';
import { createAudit } from './audit.ts';
import type { AuditedCall, AuditOptions, AuditRow, CallOutcome } from './audit-entry.ts';
import { AuditLog } from './audit-log.ts';

let folder: string;
let database: string;
let options: AuditOptions;
let log: AuditLog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-audit-'));
  database = join(folder, 'adjutant.db');
  options = { databaseUrl: database, localUrl: database, oldFolder: join(folder, 'audit'), days: 30 };
  log = new AuditLog(options);
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

const change: AuditedCall = { actor: owner, action: 'update_user', args: { user_id: 'ada' } };
const denied = (actor: string, reason = 'no'): AuditedCall & CallOutcome => ({
  actor: { name: actor },
  action: 'list_users',
  args: {},
  outcome: 'denied',
  reason,
});
const done = { work: async () => {}, outcome: () => ({ outcome: 'done' as const }) };
const failed = (reason: string) => ({
  work: async () => {},
  outcome: () => ({ outcome: 'failed' as const, reason }),
});
const all = { daysBack: 3650 };

function rows<Row>(query: string): Row[] {
  const file = new DatabaseSync(database);
  try {
    return file.prepare(query).all() as Row[];
  } finally {
    file.close();
  }
}
const stored = () =>
  rows<{ number: number; entry: string }>('select number, entry from activity order by number').map(
    ({ number, entry }) => [number, JSON.parse(entry).outcome] as const,
  );
const addUser = (store: Store, id: string) =>
  store.write(async ({ db, changed }) => {
    await db.insertInto('users').values({ id, name: id, created_ms: 0, updated_ms: 0 }).execute();
    changed({ kind: 'user', id, userId: id });
  });

describe('the security log', () => {
  it('records a call before it runs, and its outcome after it, as numbered rows', async () => {
    const seen: unknown[] = [];
    await log.run(change, { ...done, work: async () => void seen.push(...stored()) });
    expect(seen).toEqual([[1, 'started']]);
    expect(stored()).toEqual([
      [1, 'started'],
      [2, 'done'],
    ]);
    expect(statSync(database).mode & 0o777).toBe(0o600);
  });

  it('lists each call once, newest first', async () => {
    await log.run(change, done);
    await log.run({ ...change, action: 'delete_user' }, failed('unavailable'));
    expect(
      (await log.list(all)).map(({ actor, action, target, outcome }) => [actor, action, target, outcome]),
    ).toEqual([
      ['owner', 'delete_user', 'user_id=ada', 'failed'],
      ['owner', 'update_user', 'user_id=ada', 'done'],
    ]);
  });

  it('records a change of the database in its transaction, and neither if one of them fails', async () => {
    const store = createStore(database);
    const create = (id: string, work: () => Promise<void>) =>
      log.run(
        { actor: owner, action: 'create_user', args: {} },
        { ...done, inDatabase: true, work: () => addUser(store, id).then(work) },
      );
    try {
      const seen: unknown[] = [];
      await create('ada', async () => void seen.push(...stored()));
      expect(seen).toEqual([[1, 'done']]);
      expect(stored()).toEqual(seen);
      expect(await log.list(all)).toMatchObject([{ action: 'create_user', target: 'id=ada' }]);
      await expect(create('ada', async () => {})).rejects.toThrow('already exists');
      await log.close();
      rows('drop table activity');
      await expect(create('bob', async () => {})).rejects.toThrow('activity');
      expect(rows('select id from users')).toEqual([{ id: 'ada' }]);
    } finally {
      await store.close();
    }
  });

  it('does not run a call that it cannot record', async () => {
    writeFileSync(database, 'not a database, but long enough to be read as one');
    let ran = false;
    const work = async () => {
      ran = true;
    };
    await expect(log.run(change, { ...done, work })).rejects.toThrow(
      'update_user was not run, because the security log cannot record it: The database',
    );
    expect(ran).toBe(false);
  });

  it('does not list a call that was withdrawn', async () => {
    await log.run(change, { ...done, outcome: () => ({ outcome: 'withdrawn' }) });
    expect(await log.list(all)).toEqual([]);
  });

  it('keeps the changed fields of people, but neither secrets nor private texts', async () => {
    const before = { id: 'ada', name: 'Ada', locale: 'en', webhook_url: 'https://example.com/secret-1' };
    const after = {
      id: 'ada',
      name: 'Ada',
      locale: 'de',
      webhook_url: 'https://example.com/secret-2',
      ntfy_topic: 'secret-3',
    };
    const args = {
      user_id: 'ada',
      task: 'secret-4',
      source: 'https://example.com/secret-5',
      name: 'secret-6',
      text: 'secret-7',
    };
    await log.run(
      { ...change, args },
      { ...done, outcome: () => ({ outcome: 'done', result: { change: { before, after } } }) },
    );
    expect(await log.list(all)).toMatchObject([
      {
        before: { locale: 'en', webhook_url: '(hidden)' },
        after: { locale: 'de', webhook_url: '(hidden)', ntfy_topic: '(hidden)' },
      },
    ]);
    expect(JSON.stringify(rows('select entry from activity'))).not.toContain('secret-');
  });

  it('merges equal denied calls, and stays small in a flood of different ones', async () => {
    for (let index = 0; index < 1000; index++) log.record(denied('token a'));
    for (let index = 0; index < 10_000; index++) log.record(denied(`oauth ${index}`));
    await log.close();
    expect(stored()).toHaveLength(2 + 99 + 1);
    const entries = await log.list(all);
    expect(entries.find(({ actor, count }) => actor === 'token a' && count !== undefined)?.count).toBe(999);
    expect(entries.find(({ actor }) => actor === 'several')?.count).toBe(10_000 - 99);
  });

  it('shows the denied calls of a token in a flood of requests without one', async () => {
    for (let index = 0; index < 10_000; index++)
      log.record({ ...denied('nobody'), action: `POST /mcp/${index}` });
    for (let index = 0; index < 30; index++) log.record({ ...denied('token a'), action: `tool_${index}` });
    await log.close();
    expect(await log.list({ ...all, actor: 'token a' })).toHaveLength(30);
    expect(await log.list({ ...all, actor: 'nobody' })).toHaveLength(10 + 1);
  });

  it('keeps a name from breaking a line', async () => {
    log.record({ ...denied('token a', 'x\n{"actor":"owner"}'), action: 'a\u2028b\r\nc', client: 'x\ny' });
    await log.close();
    expect(await log.list(all)).toMatchObject([{ actor: 'token a', action: 'a b c', client: 'x y' }]);
  });

  it('removes the oldest entries only, and notes the number of the first that it keeps', async () => {
    for (let index = 0; index < 3; index++) await log.run(change, done);
    await log.close();
    rows('update activity set at_ms = 0 where number in (1, 2, 5)');
    const newer = new AuditLog(options);
    await newer.run(change, done);
    await newer.close();
    expect(stored().map(([number]) => number)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(rows('select first, last from activity_logs')).toEqual([{ first: 3, last: 8 }]);
  });

  it.each([
    ['delete from activity where number in (2, 3)', ['entries 2 to 3 are missing']],
    ['delete from activity where number = 1', ['entry 1 is missing']],
    ['delete from activity where number = 4', ['entry 4 is missing']],
    ['update activity_logs set last = 3', ['entry 4 does not belong to the log']],
    ['delete from activity_logs', ['entry 1 does not belong to the log']],
    ["update activity set entry = '{' where number = 2", ['entry 2 is not valid JSON']],
    ['update activity set at_ms = 0 where number < 3', []],
  ])('verify › after "%s" › finds %j', async (statement, problems) => {
    for (let index = 0; index < 2; index++) await log.run(change, done);
    await log.close();
    rows(statement);
    const later = new AuditLog(options);
    const [verified] = await later.verify();
    expect(verified?.problems).toEqual(problems);
    await later.close();
  });

  it('export › has every row with its number and call', async () => {
    await log.run(change, done);
    log.record(denied('token a'));
    const exported: AuditRow[] = [];
    for await (const row of log.rows()) exported.push(row);
    expect(exported.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'started'],
      [2, 'done'],
      [3, 'denied'],
    ]);
    expect(exported[0]?.call).toBe(exported[1]?.call);
    expect(await log.verify()).toEqual([{ database, entries: 3, problems: [] }]);
  });

  it('goes on counting after all entries were removed', async () => {
    await log.run(change, done);
    await log.close();
    rows('update activity set at_ms = 0');
    const newer = new AuditLog(options);
    await newer.run(change, done);
    await newer.close();
    expect(stored().map(([number]) => number)).toEqual([3, 4]);
  });

  it('finds entries by actor, action and outcome', async () => {
    await log.run(change, done);
    log.record(denied('token a'));
    for (const filter of [{ actor: 'token a' }, { action: 'list_users' }, { outcome: 'denied' }])
      expect(await log.list({ ...all, ...filter })).toMatchObject([{ actor: 'token a' }]);
  });

  it('creates no database to list entries, and records nothing with 0 days', async () => {
    const none = createAudit({ ...options, days: 0 });
    none.record(denied('token a'));
    await none.run(change, done);
    expect(await none.list(all)).toEqual([]);
    await none.close();
    expect(existsSync(database)).toBe(false);
  });
});

describe('the security log in two databases', () => {
  let local: string;
  let both: AuditLog;
  beforeEach(() => {
    local = join(folder, 'local.db');
    both = new AuditLog({ ...options, localUrl: local });
  });
  afterEach(() => both.close());

  it('removes the old entries of each of them, wherever the first change of the day is recorded', async () => {
    const change = async (audit: AuditLog, id: string) => {
      const store = createStore(database);
      const work = () => addUser(store, id);
      await audit.run({ actor: owner, action: 'delete_prompt', args: {} }, done);
      await audit.run({ actor: owner, action: 'create_user', args: {} }, { ...done, inDatabase: true, work });
      await audit.close();
      await store.close();
    };
    await change(both, 'ada');
    for (const path of [database, local]) {
      const file = new DatabaseSync(path);
      file.exec('update activity set at_ms = 0');
      file.close();
    }
    both = new AuditLog({ ...options, localUrl: local });
    await change(both, 'bob');
    for (const path of [database, local]) {
      const file = new DatabaseSync(path);
      expect(file.prepare('select count(*) as old from activity where at_ms = 0').get()).toEqual({ old: 0 });
      expect(file.prepare('select count(*) > 0 as found from activity').get()).toEqual({ found: 1 });
      file.close();
    }
  });

  it.each([
    ['missing', (file: string) => rmSync(file)],
    ['empty', (file: string) => truncateSync(file)],
  ])('verify › one of them is %s › finds that and names the file', async (state, lose) => {
    await both.run(change, done);
    await both.close();
    for (const suffix of ['-wal', '-shm']) rmSync(`${local}${suffix}`, { force: true });
    lose(local);
    const later = new AuditLog({ ...options, localUrl: local });
    expect(await later.verify()).toEqual([
      { database: local, entries: 0, problems: [expect.stringContaining(`${local} is ${state}`)] },
    ]);
    await expect(later.list(all)).rejects.toThrow(`${local} is ${state}`);
    await expect(later.run(change, done)).rejects.toThrow(`${local} is ${state}`);
    await later.close();
  });
});

describe('the security log beside PostgreSQL', () => {
  it('records a change there in its transaction, and everything else on this machine', async () => {
    const postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase('activity');
    const [store, both] = [createStore(databaseUrl), new AuditLog({ ...options, databaseUrl })];
    try {
      await both.run({ ...change, action: 'create_user' }, { ...done, work: () => addUser(store, 'ada') });
      await both.run({ ...change, action: 'delete_prompt' }, failed('refused'));
      const shared = await store.read((db) =>
        db.selectFrom('activity').select(['number', 'entry']).execute(),
      );
      expect(shared).toMatchObject([{ number: 1, entry: expect.stringContaining('"done"') }]);
      expect(stored()).toEqual([
        [1, 'started'],
        [2, 'started'],
        [3, 'failed'],
      ]);
      expect(await both.list(all)).toMatchObject([
        { action: 'delete_prompt', outcome: 'failed' },
        { action: 'create_user', outcome: 'done' },
      ]);
    } finally {
      await both.close();
      await store.close();
      await postgres.close();
    }
  });
});

describe('the files of earlier versions', () => {
  const today = new Date().toISOString();
  const line = (action: string) => JSON.stringify({ at: today, actor: 'owner', action, outcome: 'done' });
  beforeEach(() => mkdirSync(options.oldFolder));

  it('are listed with the new entries, without their damaged lines', async () => {
    const file = join(options.oldFolder, `${today.slice(0, 10)}.jsonl`);
    writeFileSync(file, `${line('create_user')}\n{"at":\n${line('delete_user')}\n{"at":"20`);
    await log.run(change, done);
    expect((await log.list(all)).map(({ action }) => action)).toEqual([
      'update_user',
      'delete_user',
      'create_user',
    ]);
  });

  it('are removed when they are too old, and no other files', async () => {
    for (const name of ['2020-01-01.jsonl', `${today.slice(0, 10)}.jsonl`, 'notes.txt'])
      writeFileSync(join(options.oldFolder, name), '');
    await log.run(change, done);
    await log.close();
    expect(readdirSync(options.oldFolder)).toEqual([`${today.slice(0, 10)}.jsonl`, 'notes.txt']);
  });
});
