import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { channelConfig } from '../../../test/channel-config.ts';
import { createDesktopDelivery } from '../../app.ts';
import { loadConfig } from '../../config.ts';
import { runMarker } from '../../delegate/process/environment.ts';
import { createStore } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import { desktop } from '../channels/desktop.ts';
import { createEvent } from '../editing/events.ts';
import { createDelivery } from './delivery.ts';

const day = 1440 * minute;

/** A database, and the two kinds of processes that deliver from it: a worker, and a server on stdio. */
function open() {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-stdio-'));
  const databaseUrl = join(folder, 'adjutant.db');
  const store = createStore(databaseUrl);
  const clock = { now: noon };
  const create = (only?: readonly string[]) =>
    createDelivery({
      databaseUrl,
      policy: { name: 'rules', timeoutMs: 1000 },
      calendars: {
        privateHosts: [],
        passwordsFile: join(folder, 'passwords'),
        maxBytes: 1_000_000,
        intervalMs: 15 * minute,
      },
      // Messages to the desktop are written to the outbox.
      channels: channelConfig(join(folder, 'outbox'), { 'delivery.desktop': false }),
      slots: 4,
      leaseMs: 60_000,
      clock: () => clock.now,
      ...(only && { only }),
    });
  const [worker, stdio] = [create(), create(['desktop'])];
  onTestFinished(async () => {
    await Promise.all([worker.stop(), stdio.stop()]);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const rows = () =>
    store.read((db) => db.selectFrom('notifications').selectAll().orderBy('plan_ms').execute());
  return { store, clock, worker, stdio, rows };
}

const ada = person('ada', { email: null, phone_e164: null, channels: '["desktop:here"]' });
const ben = person('ben');

it('a server on stdio sends to the desktop what no worker has claimed for 30 seconds, and nothing else', async () => {
  const { store, clock, stdio, rows } = open();
  const [hers, his] = [meeting('hers', 'ada', noon + day), meeting('his', 'ben', noon + day)];
  await fill(store, {
    users: [ada, ben],
    events: [hers, his],
    notifications: [
      reminder(hers, noon, { id: 'to-desktop', channel: 'desktop' }),
      reminder(his, noon, { id: 'to-mail', channel: 'email' }),
    ],
  });
  const statusOf = async (id: string) => (await rows()).find((row) => row.id === id)?.status;
  clock.now = noon + 29_999;
  await stdio.once();
  expect(await statusOf('to-desktop')).toBe('planned');
  clock.now = noon + 30_000;
  await stdio.once();
  expect(await statusOf('to-desktop')).toBe('sent');
  clock.now = noon + 60 * minute;
  await stdio.once();
  expect(await statusOf('to-mail')).toBe('planned');
});

it('a server on stdio sends nothing that a worker has sent', async () => {
  const { store, clock, worker, stdio, rows } = open();
  const event = meeting('e', 'ada', noon + day);
  await fill(store, {
    users: [ada],
    events: [event],
    notifications: [reminder(event, noon, { id: 'due', channel: 'desktop' })],
  });
  expect(await worker.once()).toBe(1);
  clock.now = noon + minute;
  expect(await stdio.once()).toBe(0);
  expect((await rows()).find(({ id }) => id === 'due')).toMatchObject({ status: 'sent', attempts: 1 });
});

it('a server on stdio plans the later dates of a series, when it starts and a month later', async () => {
  const { store, clock, stdio, rows } = open();
  await fill(store, { users: [ada] });
  const data = { store, clock: () => clock.now, occurrences: expandEvent };
  const start_ts = new Date(noon + day).toISOString();
  await createEvent(data, 'ada', { title: 'Choir', start_ts, rrule: 'FREQ=WEEKLY' });
  stdio.start();
  await vi.waitFor(async () => expect((await rows()).length).toBeGreaterThan(0), { timeout: 20_000 });
  clock.now = noon + 45 * day;
  await stdio.once();
  const later = (await rows()).filter(({ plan_ms, status }) => plan_ms > clock.now && status === 'planned');
  expect(later.map(({ channel }) => channel)).toContain('desktop');
});

it('a server that a sub-agent has started delivers nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-stdio-'));
  vi.spyOn(desktop, 'connect').mockReturnValue({ deliver: async () => ({ kind: 'accepted', detail: '' }) });
  onTestFinished(() => {
    vi.restoreAllMocks();
    rmSync(home, { recursive: true, force: true });
  });
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  const own = await createDesktopDelivery(config, {});
  expect(own?.place).toBe(config['assistant.database_url']);
  await own?.stop();
  expect(await createDesktopDelivery(config, { [runMarker]: 'run-1' })).toBeUndefined();
  expect(await createDesktopDelivery({ ...config, read_only: true }, {})).toBeUndefined();
});
