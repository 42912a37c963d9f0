import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { senderPerChannel } from '../../test/channel-config.ts';
import { eventually } from '../../test/delegate/eventually.ts';
import { type Step, scriptedAgent, steps } from '../../test/delegate/scripted.ts';
import { type Connection, createWorkbench, type Workbench } from '../../test/delegate/workbench.ts';
import type { ToolAnswer } from '../api.ts';
import { Scheduler } from '../assistant/delivery/scheduler.ts';
import { Worker } from '../assistant/delivery/worker.ts';
import { createStore } from '../store/store.ts';
import { Access } from '../toolsets/access.ts';
import { actorWith } from '../toolsets/scopes.ts';

type Inbox = ToolAnswer<'list_inbox'>;

let bench: Workbench;
let server: Connection;
beforeEach(async () => {
  bench = createWorkbench();
  server = await bench.connect({ 'delegate-command': scriptedAgent });
});
afterEach(() => bench[Symbol.asyncDispose]());

const list = async (args: object = {}, of = server) =>
  (await of.call('list_inbox', args)).record as unknown as Inbox;
const facts = async (of = server) => (await list({}, of)).items.map(({ kind, title }) => [kind, title]);
const finish = async (...work: readonly Step[]) => {
  const { record } = await server.call('delegate_run', {
    task: steps(...work),
    cwd: bench.project,
    sandbox: 'workspace-write',
    apply: 'ask',
  });
  return record;
};
const answer = (more: object) => ({
  answer: { summary: 'Done.', deliverables: [], open_questions: [], next_actions: [], ...more },
});

const hourMs = 3_600_000;
const utc = (ms: number) => `${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
const event = (uid: string, title: string, startMs: number, more: readonly string[] = []) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `SUMMARY:${title}`,
  `DTSTART:${utc(startMs)}`,
  `DTEND:${utc(startMs + hourMs)}`,
  ...more,
  'END:VEVENT',
];
const importEvents = (...lines: readonly (readonly string[])[]) =>
  server.call('import_calendar', {
    user_id: 'ada',
    name: 'Work',
    content: ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines.flat(), 'END:VCALENDAR'].join('\r\n'),
  });
const createAda = (more: object = {}) =>
  server.call('create_user', { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'UTC', ...more });

it('is empty on a new machine, and creates no database', async () => {
  const { text, record } = await server.call('list_inbox', {});
  expect(text).toBe('Nothing waits for you.');
  expect(record).toEqual({ items: [], count: 0 });
});

it('says how many open tasks are due within seven days, if nothing waits', async () => {
  await createAda();
  const add = (title: string, days: number, more: object = {}) =>
    server.call('create_event', {
      ...{
        user_id: 'ada',
        title,
        task: 'open',
        start_ts: new Date(Date.now() + days * 24 * hourMs).toISOString(),
      },
      ...more,
    });
  await add('Passport', 9);
  await add('Taxes', 3, { task: 'done' });
  expect((await server.call('list_inbox', {})).text).toBe('Nothing waits for you.');
  await add('Invoice', 2);
  const one = await server.call('list_inbox', {});
  expect(one.text).toBe(
    'Nothing waits for you. 1 open task is due within seven days; list_events with tasks lists them.',
  );
  await add('Plants', 1, { rrule: 'FREQ=DAILY;COUNT=3' });
  const { text, record } = await server.call('list_inbox', {});
  const upcoming = '2 open tasks are due within seven days; list_events with tasks lists them.';
  expect([text, record]).toEqual([`Nothing waits for you. ${upcoming}`, { items: [], count: 0, upcoming }]);
  expect(await list({ kind: 'approval' })).not.toHaveProperty('upcoming');
  await importEvents(event('a', 'One', Date.now() + hourMs), event('b', 'Two', Date.now() + hourMs));
  expect(await list()).not.toHaveProperty('upcoming');
});

describe('runs', () => {
  it('wait until their changes are applied', async () => {
    const run = await finish({ file: { path: 'made.txt', text: 'one\ntwo\n' } }, answer({}));
    const [item] = (await list()).items;
    expect(item).toMatchObject({
      id: `changes/${run.run_id}`,
      kind: 'changes',
      detail: expect.stringMatching(/^1 file \+2 −0 · codex in /),
      page: `/#/runs/${run.run_id}`,
      actions: [{ label: 'Apply 1 file', tool: 'apply_run', arguments: { run_id: run.run_id } }],
    });
    await server.call(item!.actions[0]!.tool, item!.actions[0]!.arguments);
    expect((await list()).count).toBe(0);
  });

  it('wait for an answer to a question until their thread continues', async () => {
    await finish(answer({ open_questions: ['Which colour?', 'Which size?'] }));
    const [item] = (await list()).items;
    expect(item).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      questions: ['Which colour?', 'Which size?'],
      actions: [{ label: 'Answer', tool: 'delegate_resume', asks: 'task' }],
    });
    const { tool, arguments: args, asks } = item!.actions[0]!;
    await server.call(tool, { ...args, [asks!]: `Blue, large. ${steps(answer({}))}` });
    await eventually(async () => expect((await list()).count).toBe(0));
  });
});

describe('a calendar', () => {
  it('adds conflicts, invitations and overdue tasks of the person', async () => {
    await createAda();
    const soon = Math.ceil(Date.now() / hourMs) * hourMs + 20 * hourMs;
    const asked = [
      'ORGANIZER:mailto:ben@example.com',
      'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.com',
    ];
    await importEvents(
      event('a', 'Review', soon),
      event('b', 'Budget', soon + hourMs / 2),
      event('copy', 'Review', soon),
      event('free', 'Fair', soon, ['TRANSP:TRANSPARENT']),
      event('c', 'Harbour', soon + 5 * hourMs, asked),
      event('d', 'Crane', soon + 5.5 * hourMs),
      ['BEGIN:VTODO', 'UID:t', 'SUMMARY:Tax', `DUE:${utc(Date.now() - 30 * hourMs)}`, 'END:VTODO'],
    );
    expect(await facts()).toEqual([
      ['invitation', 'ben@example.com invites you: Harbour'],
      ['conflict', 'Review and Budget overlap'],
      ['task', 'Tax'],
    ]);
    const { items } = await list();
    expect(items[0]).toMatchObject({ detail: expect.stringMatching(/ · overlaps Crane$/), actions: [] });
    const [done] = items.at(-1)!.actions;
    await server.call(done!.tool, done!.arguments);
    expect((await list({ kind: 'task' })).count).toBe(0);
  });
});

it('a message that reached its person on no channel › waits until the person has seen it', async () => {
  await createAda({ quiet_start: '00:00', quiet_end: '00:00' });
  await server.call('send_message', { who: 'ada', text: 'The harbour is closed' });
  const store = createStore(join(bench.home, 'adjutant.db'));
  const clock = Date.now;
  const senders = senderPerChannel(() => ({
    deliver: async () => ({ kind: 'permanent', detail: 'no such mailbox' }),
  }));
  const worker = new Worker({ store, senders, owner: 'worker', clock });
  await eventually(async () => {
    await new Scheduler({ store, worker, clock }).once();
    expect(await facts()).toEqual([['delivery', 'Not sent: The harbour is closed']]);
  });
  await store.close();
  const [item] = (await list()).items;
  expect(item).toMatchObject({ person: 'ada', detail: 'email: permanently refused: no such mailbox' });
  const [seen] = item!.actions;
  expect(seen!.label).toBe('Seen');
  await server.call(seen!.tool, seen!.arguments);
  expect((await list()).count).toBe(0);
});

it('shows what is added after it was first read', async () => {
  expect((await list()).count).toBe(0);
  await createAda();
  const due = new Date(Date.now() - 30 * hourMs).toISOString();
  await server.call('create_event', { user_id: 'ada', title: 'Tax', start_ts: due, task: 'open' });
  expect(await facts()).toEqual([['task', 'Tax']]);
});

describe('dismiss_inbox', () => {
  const conflicts = async (place: string) => {
    const soon = Math.ceil(Date.now() / hourMs) * hourMs + 20 * hourMs;
    await importEvents(event('a', 'Review', soon), event('b', place, soon));
  };

  it('hides a thing until it changes, and restore brings it back', async () => {
    await createAda();
    await conflicts('Budget');
    const [item] = (await list()).items;
    const dismissed = await server.call('dismiss_inbox', { ids: [item!.id, 'conflict/none'] });
    expect(dismissed.record).toEqual({ ids: [item!.id], gone: ['conflict/none'] });
    expect((await list()).count).toBe(0);
    await server.call('dismiss_inbox', { ids: [item!.id], restore: true });
    expect((await list()).count).toBe(1);
    await server.call('dismiss_inbox', { kind: 'conflict' });
    expect((await list()).count).toBe(0);
    await conflicts('Budget with Ben');
    expect(await facts()).toEqual([['conflict', expect.stringContaining('Budget with Ben')]]);
  });

  it('refuses a call that names nothing', async () => {
    expect((await server.call('dismiss_inbox', {})).text).toMatch(/needs ids from list_inbox, or a kind/);
  });
});

it('shows a token only what its scopes allow, and offers only actions that it may call', async () => {
  await createAda();
  await server.call('create_user', { id: 'ben', name: 'Ben', email: 'ben@example.com', timezone: 'UTC' });
  await finish({ file: { path: 'made.txt', text: 'made' } }, answer({}));
  const due = new Date(Date.now() - 5 * hourMs).toISOString();
  for (const user_id of ['ada', 'ben'])
    await server.call('create_event', { user_id, title: `Of ${user_id}`, start_ts: due, task: 'open' });
  const withScopes = (...scopes: readonly string[]) =>
    bench.connect({}, { access: new Access([], true, actorWith('token phone', scopes)) });
  expect(await facts(await withScopes('calendar:ada'))).toEqual([['task', 'Of ada']]);
  expect(await facts(await withScopes('calendar:*'))).toEqual([
    ['task', expect.stringMatching(/^Of /)],
    ['task', expect.stringMatching(/^Of /)],
  ]);
  expect(await facts(await withScopes('read'))).toEqual([]);
  bench.env['ADJUTANT_READ_ONLY'] = 'true';
  const reader = await bench.connect();
  expect((await list({}, reader)).items.map(({ actions }) => actions)).toEqual([[], [], []]);
});
