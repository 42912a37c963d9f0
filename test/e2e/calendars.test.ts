import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer as createAdjutant } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { JsonObject } from '../../src/json.ts';
import { connectMemory, type MemoryClient } from '../../src/transports/memory.ts';
import { bundle, Program } from '../program.ts';

const home = mkdtempSync(join(tmpdir(), 'adjutant-calendars-'));
const event = (uid: string, ...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `SUMMARY:${uid}`,
  ...lines,
  'END:VEVENT',
];
const calendar = (...lines: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'X-WR-CALNAME:My work', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const soon = (hours: number) =>
  `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
const work = join(home, 'work.ics');
const twoEvents = calendar(
  ...event('standup', `DTSTART:${soon(30)}`, 'RRULE:FREQ=DAILY;COUNT=3'),
  ...event('broken', 'DTSTART:soon'),
);

let web: Server;
let address: string;
let adjutant: ReturnType<typeof createAdjutant>;
let client: MemoryClient;
const progress: JsonObject[] = [];

beforeAll(async () => {
  writeFileSync(work, twoEvents);
  web = createServer((_, response) => response.end(calendar(...event('web', `DTSTART:${soon(48)}`))));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/a.ics`;
  const { config } = await loadConfig({ argv: ['--home', home], env: {}, cwd: home });
  adjutant = createAdjutant('standard', config);
  client = connectMemory(adjutant, {
    onNotification: (method, params) => {
      if (method === 'notifications/progress') progress.push(params);
    },
  });
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  await call('create_user', { id: 'ann', name: 'Ann', email: 'ann@example.com', timezone: 'Europe/Berlin' });
});
afterAll(async () => {
  web.close();
  await adjutant.close();
  rmSync(home, { recursive: true, force: true });
});

async function call(name: string, args: JsonObject): Promise<JsonObject> {
  const result = await client.request('tools/call', {
    name,
    arguments: args,
    _meta: { progressToken: 'p' },
  });
  const [{ text }] = result['content'] as unknown as [{ text: string }];
  if (result['isError'] === true) throw new Error(text);
  return result['structuredContent'] as JsonObject;
}

function run(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: home, ADJUTANT_HOME: home };
    execFile(process.execPath, [bundle, 'calendars', ...args], { env, cwd: home }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

describe('the calendar tools', () => {
  it('reject invalid arguments without changing anything', async () => {
    await expect(call('import_calendar', { user_id: 'ann' })).rejects.toThrow();
    await expect(call('import_calendar', { user_id: 'ann', source: work, content: 'x' })).rejects.toThrow();
    await expect(call('add_calendar', { user_id: 'nobody', source: work })).rejects.toThrow('User not found');
    await expect(call('add_calendar', { user_id: 'ann', source: 'work.ics' })).rejects.toThrow(
      'absolute path',
    );
    await expect(call('import_calendar', { user_id: 'ann', content: 'hello' })).rejects.toThrow(
      'not a calendar',
    );
    await expect(call('sync_calendar', { calendar_id: 'nope' })).rejects.toThrow('Calendar not found');
    await expect(call('remove_calendar', { calendar_id: 'nope' })).rejects.toThrow('Calendar not found');
    await expect(call('add_calendar', { user_id: 'ann', source: address })).rejects.toThrow(
      'calendars.private_hosts',
    );
    expect(await call('list_calendars', {})).toEqual({ calendars: [], count: 0 });
  });

  it('import a calendar with progress, report the invalid event, and plan for the valid one', async () => {
    const { calendars } = await call('import_calendar', { user_id: 'ann', source: work });
    expect(calendars).toMatchObject([
      {
        name: 'My work',
        kind: 'file',
        kept_up_to_date: false,
        added: 1,
        problem_count: 1,
        problems: [
          {
            severity: 'error',
            uid: 'broken',
            message: 'This VEVENT was skipped: "soon" is not a date or a time.',
          },
        ],
      },
    ]);
    expect(progress.length).toBeGreaterThan(0);
    expect(await call('list_events', { user_id: 'ann' })).toMatchObject({ count: 3 });
    const planned = await call('plan_notifications', { user_id: 'ann' });
    expect(planned['notifications_planned']).toBeGreaterThan(0);
  });

  it('move and cancel planned notifications when the calendar changes', async () => {
    const before = await call('list_notifications', { user_id: 'ann', days_forward: 30 });
    writeFileSync(work, calendar(...event('standup', `DTSTART:${soon(54)}`, 'RRULE:FREQ=DAILY;COUNT=3')));
    const moved = await call('import_calendar', { user_id: 'ann', source: work });
    expect(moved['calendars']).toMatchObject([{ moved: 1, added: 0, problem_count: 0 }]);
    const after = await call('list_notifications', { user_id: 'ann', days_forward: 30, status: 'planned' });
    const times = ({ notifications }: JsonObject) =>
      (notifications as unknown as { plan_time: string }[]).map(({ plan_time }) => plan_time);
    expect(times(after)).not.toEqual(times(before));
    writeFileSync(work, calendar());
    await call('import_calendar', { user_id: 'ann', source: work });
    expect(
      await call('list_notifications', { user_id: 'ann', days_forward: 30, status: 'planned' }),
    ).toMatchObject({
      count: 0,
    });
    expect(await call('list_events', { user_id: 'ann' })).toMatchObject({ count: 0 });
  });

  it('hide the secret part of a private URL', async () => {
    const { config } = await loadConfig({
      argv: ['--home', join(home, 'other'), '--calendars-private-hosts', '127.0.0.1'],
      env: {},
      cwd: home,
    });
    const other = createAdjutant('standard', config);
    const [first, second] = [connectMemory(other), client];
    client = first;
    await first.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    try {
      await call('create_user', { id: 'ann', name: 'Ann' });
      const secret = `${address.replace('/a.ics', '')}/private-0123456789abcdef0123456789/basic.ics?token=geheim`;
      const added = await call('add_calendar', { user_id: 'ann', source: secret });
      const shown = JSON.stringify([
        added,
        await call('list_calendars', {}),
        await call('sync_calendar', {}),
      ]);
      expect(shown).toContain('/…/basic.ics?…');
      expect(shown).not.toMatch(/0123456789abcdef|geheim/);
    } finally {
      client = second;
      await other.close();
    }
  });
});

describe('adjutant calendars', () => {
  it('explains invalid arguments', async () => {
    expect(await run('imprt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean: adjutant calendars import'),
    });
    expect(await run('import')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('calendars import needs SOURCE'),
    });
    expect(await run('import', 'nowhere.ics')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not exist'),
    });
    expect(await run('remove', 'nope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Calendar not found'),
    });
  });

  it('imports files and folders, and lists, syncs and removes calendars', async () => {
    mkdirSync(join(home, 'many'));
    writeFileSync(work, twoEvents);
    writeFileSync(join(home, 'many', 'x.ics'), calendar(...event('x', `DTSTART:${soon(5)}`)));
    const imported = await run('import', 'work.ics', 'many');
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.stdout).toMatch(/^My work {2}\(file .*work\.ics, user ann, id /);
    expect(imported.stdout).toContain('UID broken: This VEVENT was skipped: "soon" is not a date or a time.');
    const listed = JSON.parse((await run('list', '--json')).stdout) as {
      calendars: { id: string; kind: string }[];
    };
    expect(listed.calendars.map(({ kind }) => kind)).toEqual(['file', 'folder']);
    expect((await run('sync', '--user', 'ann')).stdout).toContain('no changes');
    for (const { id } of listed.calendars) expect((await run('remove', id, '--yes')).code).toBe(0);
    expect((await run('list')).stdout).toBe('No calendars.\n');
  });

  it('fetches from a private address only if the settings allow it', async () => {
    expect(await run('add', address)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('calendars.private_hosts'),
    });
    const added = await run('add', address, '--calendars-private-hosts', '127.0.0.1');
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('1 added, kept up to date') });
  });
});

describe('adjutant worker', () => {
  it('imports new files in a folder while it runs', async () => {
    await using worker = new Program(['worker']);
    const { config } = await loadConfig({ argv: ['--home', worker.home], env: {}, cwd: home });
    const other = createAdjutant('standard', config);
    const before = client;
    client = connectMemory(other);
    try {
      await client.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      });
      const folder = join(worker.home, 'calendars');
      mkdirSync(folder);
      await call('create_user', { id: 'ann', name: 'Ann' });
      await call('add_calendar', { user_id: 'ann', source: folder });
      writeFileSync(join(folder, 'new.ics'), calendar(...event('new', `DTSTART:${soon(5)}`)));
      const deadline = Date.now() + 25_000;
      while ((await call('list_events', { user_id: 'ann' }))['count'] === 0) {
        if (Date.now() > deadline) throw new Error(`the event was not imported: ${worker.stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(await call('list_events', { user_id: 'ann' })).toMatchObject({
        count: 1,
        events: [{ title: 'new' }],
      });
    } finally {
      client = before;
      await other.close();
    }
  });
});
