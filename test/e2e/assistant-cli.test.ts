import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { announceSender } from '../../src/assistant/delivery/heartbeat.ts';
import { createStore } from '../../src/store/store.ts';
import { bundle, Program } from '../program.ts';

const root = mkdtempSync(join(tmpdir(), 'adjutant-cli-'));
let homes = 0;
let home = '';
beforeEach(() => {
  home = join(root, String(++homes));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs the built program with these arguments, on a machine in Berlin. */
function adjutant(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return adjutantIn('Europe/Berlin', ...args);
}

function adjutantIn(zone: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env['PATH'], HOME: home, TZ: zone };
  return new Promise((resolve) =>
    execFile(process.execPath, [bundle, ...args, '--home', home], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    ),
  );
}

const json = async (...args: string[]) => JSON.parse((await adjutant(...args, '--json')).out);
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

it('status says whether something is running that sends reminders, and by which channels', async () => {
  const line = async () => /^. Reminders: .*$/m.exec((await adjutant('status')).out)?.[0];
  expect(await line()).toBe('! Reminders: nothing is running that sends them');
  await adjutant('users', 'create', '--id', 'ada', '--name', 'Ada');
  const store = createStore(join(home, 'adjutant.db'));
  onTestFinished(() => store.close());
  const announce = async (channels?: readonly string[]) => {
    const announced = announceSender({ store, clock: Date.now }, 'a worker', channels);
    const known = async () => (await json('notifications', 'channels')).channels as { running: boolean }[];
    await vi.waitFor(async () => expect((await known()).some(({ running }) => running)).toBe(true), 20_000);
    const said = await line();
    await announced.end();
    return said;
  };
  expect(await announce(['desktop'])).toBe('✓ Reminders: are sent, but only by Desktop');
  expect(await announce()).toBe('✓ Reminders: are sent');
  expect(await json('status')).toMatchObject({ reminders: [] });
});

describe('a new user without a time zone', () => {
  it('gets the one of the machine, which is stored and said', async () => {
    const zone = 'America/New_York';
    const created = await adjutantIn(zone, 'users', 'create', '--id', 'ada', '--name', 'Ada');
    expect(created.out).toMatch(/^timezone +America\/New_York$/m);
    expect(created.out).toMatch(/^note +No time zone was given.*"adjutant users update".*$/m);
    const event = ['events', 'create', 'ada', '--title', 'Standup', '--start', 'tomorrow 09:00', '--json'];
    const { start_local } = JSON.parse((await adjutantIn(zone, ...event)).out) as { start_local: string };
    expect(start_local).toMatch(/ 09:00 America\/New_York/);
    // It stays when the machine moves.
    expect(await json('users', 'show', 'ada')).toEqual({ id: 'ada', name: 'Ada', timezone: zone });
    expect(await json('users', 'update', 'ada', '--unset', 'timezone')).toMatchObject({
      timezone: 'Europe/Berlin',
    });
  });

  it('is told nothing if the time zone is given', async () => {
    const created = await json('users', 'create', '--name', 'Ada', '--timezone', 'Asia/Tokyo');
    expect(created).toEqual({ id: expect.any(String), name: 'Ada', timezone: 'Asia/Tokyo' });
  });

  it('keeps UTC if it was created by an earlier version, and doctor mentions it', async () => {
    for (const id of ['ada', 'bob', 'eve']) await adjutant('users', 'create', '--id', id, '--name', id);
    const database = new DatabaseSync(join(home, 'adjutant.db'));
    database.exec("update users set timezone = null where id != 'eve'");
    database.close();
    const event = await json('events', 'create', 'ada', '--title', 'x', '--start', 'tomorrow 09:00');
    expect(event.start_local).toMatch(/ 09:00 UTC/);
    const { findings } = await json('doctor');
    expect(findings).toContainEqual({
      title: 'Prompts and data',
      state: 'warning',
      detail: expect.stringMatching(/: 2 people have no time zone and use UTC: ada, bob$/),
      remedy: 'Set their time zone, e.g.: adjutant users update ada --timezone Europe/Berlin',
    });
  });
});

describe('a reminder whose time stands before its text', () => {
  it.each([
    [['me', 'tomorrow', '9am', 'call the dentist'], 'call the dentist'],
    [['me', 'tomorrow', '9am', 'call', 'the', 'dentist'], 'call the dentist'],
    [['tomorrow', '9am', 'call', 'the', 'dentist'], 'call the dentist'],
    [['me', 'tomorrow', '9am', 'go', 'to', 'the', 'gym'], 'go to the gym'],
    [['me', 'monday', 'meeting', 'tomorrow', '9:00'], 'monday meeting'],
  ])('%j', async (words, text) => {
    const reminder = await json('remind', ...words);
    expect(reminder).toMatchObject({ text, when: expect.stringMatching(/ 09:00 Europe\/Berlin/) });
  });
});

it('sends a message to somebody', async () => {
  await adjutant('users', 'create', '--id', 'ada', '--name', 'Ada', '--email', 'ada@example.org');
  expect((await adjutant('send', 'Ada', 'Build', 'finished')).out).toMatch(/^✓ ada: by email, /);
  expect((await adjutant('send', 'Bob', 'hello')).err).toContain('nobody is called "Bob"');
});

describe('the commands for users, events and notifications', () => {
  it.each([
    [['users', 'frobnicate'], 2, /there is no "users frobnicate"\n {2}adjutant users --help lists/],
    [['users', 'update', 'ada'], 2, /say what to change with a flag/],
    [['users', 'creat'], 2, /Did you mean: adjutant users create/],
    [['events', 'show'], 2, /events show needs EVENT/],
    [['users', 'list', 'ada'], 2, /users list does not take "ada"/],
    [['users', 'list', '--title', 'x'], 2, /unknown flag --title/],
    [['events', 'list', '--title', 'x'], 2, /--title cannot be used with events list/],
    [['users', 'rule', 'ada', '--rule-json', 'x'], 2, /must be JSON/],
    [['users', 'show', 'nobody'], 1, /User not found/],
    [['users', 'create', '--email', 'x@example.com'], 2, /name is required/],
    [
      ['users', 'create', '--name', 'Ada', '--timezone', 'Moon/Base'],
      2,
      /--timezone is not a time zone \(Moon\/Base\)/,
    ],
    [['events', 'create', 'nobody', '--title', 'x', '--start', '2030-01-01'], 1, /User not found/],
    [['notifications', 'cancel', 'none'], 1, /Notification not found: none/],
    [['notifications', 'plan', 'nobody', '--event-id', 'e'], 1, /User not found: nobody/],
    [['calendars', 'add', 'x.ics', '--user', 'nobody'], 1, /User not found: nobody/],
  ])('%j fails with a clear message', async (args, code, message) => {
    const done = await adjutant(...args);
    expect(done).toMatchObject({ code, out: '' });
    expect(done.err).toMatch(message);
    expect(done.err).not.toMatch(/\n\s+at /);
  });

  it('manage a user, an event and its notifications', { timeout: 120_000 }, async () => {
    expect((await adjutant('users')).out).toContain('There are no people yet');
    await adjutant(
      'users',
      'create',
      '--id',
      'ada',
      '--name',
      'Ada',
      '--email',
      'ada@example.com',
      '--timezone',
      'Europe/Berlin',
    );
    expect((await adjutant('users', 'list')).out).toBe('ada  Ada  ada@example.com  Europe/Berlin\n');
    expect(
      await json('users', 'update', 'ada', '--phone', '+4930123456', '--max-call-attempts', '1'),
    ).toMatchObject({
      phone_e164: '+4930123456',
      max_call_attempts: 1,
    });
    const start = `${inDays(3)}T14:00`;
    await adjutant(
      'events',
      'create',
      'ada',
      '--id',
      'haircut',
      '--title',
      'Haircut',
      '--start',
      start,
      '--attendees',
      'a@example.com',
      '--attendees',
      'b@example.com',
    );
    expect(await json('events', 'show', 'haircut')).toMatchObject({
      attendees: ['a@example.com', 'b@example.com'],
    });
    expect((await adjutant('events', 'list', 'ada')).out).toMatch(
      /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w{3}(?: \d{4})? 14:00 {2}Haircut/m,
    );
    const dry = await adjutant('notifications', 'plan', 'ada', '--dry-run');
    expect(dry.out).toMatch(/keep .* email +haircut .*\nDry run: nothing was changed/);
    await adjutant('notifications', 'plan', 'ada');
    const { notifications } = await json('notifications', 'list', 'ada');
    expect(notifications).toMatchObject([{ event_id: 'haircut', status: 'planned' }]);
    expect((await adjutant('notifications', 'cancel', notifications[0].id)).out).toContain(
      'cancelled on request',
    );
    await adjutant('users', 'rule', 'ada', '--rule-type', 'travel_buffer', '--rule-json', '{"minutes": 20}');
    expect((await adjutant('users', 'rules', 'ada')).out).toContain('travel_buffer  {"minutes":20}');
    expect((await adjutant('events', 'delete', 'haircut')).out).toBe('✓ Deleted haircut\n');
    const series = ['--title', 'Choir', '--start', start, '--rrule', 'FREQ=WEEKLY;COUNT=5'];
    await adjutant('events', 'create', 'ada', '--id', 'choir', ...series);
    const whole = await adjutant('events', 'delete', 'choir');
    expect(whole).toMatchObject({ code: 2, out: '' });
    expect(whole.err).toMatch(/^adjutant: Choir is a series\. Delete all its dates\?\n.*--yes/);
    const [, second] = (await json('events', 'list', 'ada', '--days-forward', '60')).events;
    const date = String(second.occurrence);
    const later = await adjutant('events', 'delete', 'choir', '--occurrence', date, '--following');
    expect(later).toMatchObject({ code: 2, out: '' });
    expect(later.err).toMatch(/^adjutant: Choir is a series\. Delete \S+ and all its later dates\?\n/);
    const one = await adjutant('events', 'delete', 'choir', '--occurrence', date);
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining('✓ Deleted choir ') });
    expect((await adjutant('events', 'delete', 'choir', '--yes')).out).toBe('✓ Deleted choir\n');
    const asked = await adjutant('users', 'delete', 'ada');
    expect(asked).toMatchObject({ code: 2, out: '' });
    expect(asked.err).toMatch(
      /^adjutant: Ada has \d+ events?, \d+ planned reminders? and 1 rule\. Delete all of it\?\n.*--yes/,
    );
    expect((await adjutant('users', 'delete', 'ada', '--yes')).out).toBe('✓ Deleted ada\n');
    expect(await json('users')).toEqual({ users: [], count: 0 });
  });

  it('plan with a sub-agent', async () => {
    const plan = {
      notify: true,
      reasoning: 'A long way.',
      plan: [{ offset_minutes: -120, channel: 'email' }],
    };
    const steps = [{ begin: true }, { answer: { summary: JSON.stringify(plan) } }];
    const title = `Fair <<steps ${Buffer.from(JSON.stringify(steps)).toString('base64url')}>>`;
    await adjutant('users', 'create', '--id', 'ada', '--name', 'Ada', '--email', 'ada@example.com');
    await adjutant('events', 'create', 'ada', '--title', title, '--start', `${inDays(3)}T14:00`);
    const agent = ['--delegate-command', resolve('test/fixtures/agent/codex.mjs')];
    const policy = ['--assistant-policy', 'delegate', '--assistant-model-timeout-ms', '30000'];
    const planned = await json('notifications', 'plan', 'ada', ...policy, ...agent);
    expect(planned).toMatchObject({
      policies: [{ policy: 'delegate', reason: 'A long way.', events: 1 }],
      changes: [{ action: 'move', reason: '2 hours before' }],
    });
    const absent = await json(
      'notifications',
      'plan',
      'ada',
      '--force-replan',
      ...policy,
      '--delegate-command',
      '/nowhere',
    );
    expect(absent.policies).toMatchObject([
      { policy: 'rules', reason: expect.stringContaining('delegate:') },
    ]);
  });

  it('share one database with a running server', async () => {
    await using program = new Program(['serve', '--contract', 'assistant']);
    home = program.home;
    await adjutant('users', 'create', '--id', 'ada', '--name', 'Ada');
    const reply = await program.request('tools/call', { name: 'getUser', arguments: { user_id: 'ada' } });
    expect(JSON.stringify(reply)).toContain('Ada');
  });
});
