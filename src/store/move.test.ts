import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../test/assistant-rows.ts';
import { type Postgres, startPostgres } from '../../test/postgres.ts';
import { audit } from '../assistant/entities/decision-log.ts';
import { appendActivity } from './activity.ts';
import { type MoveReport, moveStore } from './move.ts';
import { createStore, type Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-move-'));
let postgres: Postgres;
let databases = 0;
let stores: Store[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(async () => {
  for (const store of stores) await store.close();
  stores = [];
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

type Engine = Store['engine'];
async function open(engine: Engine): Promise<Store> {
  databases += 1;
  const store = createStore(
    engine === 'sqlite'
      ? join(folder, `${databases}.db`)
      : await postgres.createDatabase(`move_${databases}`),
  );
  stores.push(store);
  return store;
}

const options = { intoOther: false, nowMs: noon };

/** Adds more than one page of rows to the large tables, with text that databases sort differently. */
async function addRows(store: Store): Promise<void> {
  const users = ['Ångström', 'zoë', 'Zed', '_x', '10', '9', 'a'].map((id) =>
    person(id, { name: `„${id}“ 🗓`, email: `${encodeURIComponent(id)}@example.com` }),
  );
  const events = Array.from({ length: 603 }, (_, index) =>
    meeting(`${index}-é`, users[index % users.length]!.id, noon + index * minute, {
      description: 'a\u2028b\n"',
    }),
  );
  await fill(store, {
    users,
    events,
    notifications: events.map((event) => reminder(event, event.start_ms - minute)),
  });
  await store.write(async (writer) => {
    await writer.db
      .insertInto('plans')
      .values(
        events.slice(0, 550).map(({ id, user_id }) => ({
          event_id: id,
          occurrence: '',
          user_id,
          fingerprint: 'f',
          policy: 'rules',
          reason: 'r',
          planned_ms: noon,
        })),
      )
      .execute();
    await writer.db
      .insertInto('rules')
      .values({
        id: 'r1',
        user_id: 'zoë',
        rule_type: 'vip_organizer',
        config: '{}',
        enabled: 0,
        priority: 3,
        created_ms: 1,
        updated_ms: 2,
      })
      .execute();
    await writer.db
      .insertInto('answer_links')
      .values({ hash: 'h', subject: 'n1', user_id: 'zoë', expires_ms: noon })
      .execute();
    await writer.db
      .insertInto('records')
      .values({ kind: 'prompt', key: 'p', value: '{}', position: 1 })
      .execute();
    for (const sequence of [1, 2])
      await writer.db
        .insertInto('record_entries')
        .values({ kind: 'prompt', sequence, key: 'p', entry: '{}' })
        .execute();
    await writer.db
      .insertInto('firings')
      .values({
        ...{ id: 'f', routine_id: 'r', due_key: 'k', due_ms: noon, machine: 'm', source: 'clock' },
        ...{ status: 'due', next_ms: noon },
      })
      .execute();
    await audit(writer, noon, [{ action: 'user.created', userId: 'zoë', detail: { n: 1 } }]);
    for (const outcome of ['started', 'done']) await appendActivity(writer.db, 'call', { outcome });
  });
}

const digest = ({ tables }: MoveReport) => tables.map(({ table, rows, hash }) => [table, rows, hash]);

describe.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['postgres', 'postgres'],
] as const)('moving from %s to %s', (source, target) => {
  it('copies everything, can be repeated, and can be moved back', async () => {
    const [from, to, back] = [await open(source), await open(target), await open(source)];
    await addRows(from);
    const moved = await moveStore(from, to, options);
    expect(moved.already).toBe(false);
    expect(moved.tables.map(({ table, rows }) => [table, rows])).toEqual([
      ['users', 7],
      ['calendars', 0],
      ['events', 603],
      ['plans', 550],
      ['notifications', 603],
      ['answer_links', 1],
      ['rules', 1],
      ['audit', 1],
      ['records', 1],
      ['record_entries', 2],
      ['firings', 1],
      ['activity_logs', 1],
      ['activity', 2],
    ]);
    const again = await moveStore(from, to, options);
    expect(again.already).toBe(true);
    expect(digest(again)).toEqual(digest(moved));
    expect(digest(await moveStore(to, back, options))).toEqual(digest(moved));
  });
});

describe('a move', () => {
  it('rejects a target with other data unless intoOther is set', async () => {
    const [from, to] = [await open('sqlite'), await open('sqlite')];
    await fill(from, { users: [person('a'), person('b')] });
    await fill(to, { users: [person('b', { name: 'Other', email: 'other@example.com' }), person('c')] });
    await expect(moveStore(from, to, options)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('is not empty (2 users)'),
    });
    await moveStore(from, to, { ...options, intoOther: true });
    const users = await to.read((db) =>
      db.selectFrom('users').select(['id', 'name']).orderBy('id').execute(),
    );
    expect(users.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'Name of a'],
      ['b', 'Name of b'],
      ['c', 'Name of c'],
    ]);
  });

  it('leaves an empty target empty when it fails halfway', async () => {
    const [from, to] = [await open('sqlite'), await open('postgres')];
    await fill(from, { users: [person('a'), person('b', { name: 'no\u0000good' })] });
    await expect(moveStore(from, to, options)).rejects.toThrow();
    expect(await to.read((db) => db.selectFrom('users').selectAll().execute())).toEqual([]);
  });

  it('reports progress for every table and every page', async () => {
    const [from, to] = [await open('sqlite'), await open('sqlite')];
    await addRows(from);
    const reports: unknown[][] = [];
    await moveStore(from, to, { ...options, show: (...report) => reports.push(report) });
    const copying = reports.filter(([message]) => String(message).startsWith('copying'));
    expect(copying.slice(0, 3)).toEqual([
      ['copying users (7 of 1773 rows)', 7, 1773],
      ['copying events (507 of 1773 rows)', 507, 1773],
      ['copying events (610 of 1773 rows)', 610, 1773],
    ]);
    expect(copying.at(-1)).toEqual(['copying activity (1773 of 1773 rows)', 1773, 1773]);
    expect(reports[0]).toEqual(['reading users (7 rows)', 7, undefined]);
    expect(reports.at(-1)![0]).toBe('comparing activity (1773 of 1773 rows)');
  });

  it.each(['reading', 'copying', 'comparing'])(
    'can be aborted while %s and then leaves the target unchanged',
    async (step) => {
      const [from, to] = [await open('sqlite'), await open('sqlite')];
      await addRows(from);
      const controller = new AbortController();
      const show = (message: string) => {
        if (message.startsWith(`${step} events`)) controller.abort(new Error('enough'));
      };
      const moving = moveStore(from, to, { ...options, show, signal: controller.signal });
      await expect(moving).rejects.toThrow('enough');
      expect(await to.read((db) => db.selectFrom('users').selectAll().execute())).toEqual([]);
      expect(await moveStore(from, to, options)).toMatchObject({ already: false });
    },
  );

  it('rejects a source that sends notifications, and a target that is the source', async () => {
    const [from, to] = [await open('sqlite'), await open('sqlite')];
    const event = meeting('e', 'a', noon + minute);
    await fill(from, {
      users: [person('a')],
      events: [event],
      notifications: [
        reminder(event, noon, { status: 'sending', owner: 'w', lease_ms: noon + 1000, fence: 1 }),
      ],
    });
    await expect(moveStore(from, to, options)).rejects.toMatchObject({ kind: 'refused' });
    for (const place of [from.place, relative('.', from.place)])
      await expect(moveStore(from, createStore(place), options)).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('is the current database'),
      });
    expect(await moveStore(from, to, { ...options, nowMs: noon + 2000 })).toMatchObject({ already: false });
  });
});
