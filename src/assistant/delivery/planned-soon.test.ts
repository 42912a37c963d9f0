import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { fill, meeting, minute, noon, person } from '../../../test/assistant-rows.ts';
import { channelConfig } from '../../../test/channel-config.ts';
import { createStore } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import { createEvent } from '../editing/events.ts';
import { createUser } from '../editing/users.ts';
import { createDelivery } from './delivery.ts';

function open(clock: () => number) {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-soon-'));
  const databaseUrl = join(folder, 'adjutant.db');
  const store = createStore(databaseUrl);
  const delivery = createDelivery({
    databaseUrl,
    policy: { name: 'rules', timeoutMs: 1000 },
    calendars: {
      privateHosts: [],
      passwordsFile: join(folder, 'passwords'),
      maxBytes: 1_000_000,
      intervalMs: 15 * minute,
    },
    channels: channelConfig(join(folder, 'outbox')),
    slots: 4,
    leaseMs: 60_000,
    clock,
  });
  onTestFinished(async () => {
    await delivery.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const rows = () =>
    store.read((db) => db.selectFrom('notifications').selectAll().orderBy('plan_ms').execute());
  return { store, delivery, rows, data: { store, clock, occurrences: expandEvent } };
}

it('plans and sends a reminder that is due less than a minute after its event was created by another process', async () => {
  const { delivery, rows, data } = open(Date.now);
  await createUser(data, {
    id: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    quiet_start: '00:00',
    quiet_end: '00:00',
  });
  delivery.start();
  // Once the worker has planned, its next turn without a change would be an hour away.
  const far = { title: 'Later', start_ts: new Date(Date.now() + 86_400_000).toISOString() };
  await createEvent(data, 'ada', far);
  await vi.waitFor(async () => expect(await rows()).toHaveLength(1), { timeout: 20_000 });
  const start_ts = new Date(Date.now() + 60 * minute + 6000).toISOString();
  await createEvent(data, 'ada', { title: 'Soon', start_ts });
  await vi.waitFor(async () => expect((await rows())[0]).toMatchObject({ status: 'sent' }), {
    timeout: 30_000,
  });
}, 60_000);

it('plans reminders again that a worker with a clock two days ahead marked as missed', async () => {
  let now = noon;
  const { store, delivery, rows } = open(() => now);
  await fill(store, { users: [person('ada')], events: [meeting('e', 'ada', noon + 300 * minute)] });
  await delivery.once();
  expect(await rows()).toMatchObject([{ status: 'planned' }]);
  now = noon + 2 * 1440 * minute;
  await delivery.once();
  expect((await rows()).map(({ event_id, status }) => [event_id, status])).toContainEqual(['e', 'missed']);
  now = noon + minute;
  await store.write(async ({ changed }) => changed({ kind: 'event', id: 'e', userId: 'ada' }));
  await delivery.once();
  expect((await rows()).filter(({ status }) => status === 'planned')).toMatchObject([{ event_id: 'e' }]);
  now = noon + 240 * minute;
  await delivery.once();
  expect(await rows()).toContainEqual(expect.objectContaining({ event_id: 'e', status: 'sent' }));
});
