import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fill, minute, noon, person } from '../../../test/assistant-rows.ts';
import { channelConfig } from '../../../test/channel-config.ts';
import { createStore } from '../../store/store.ts';
import { addCalendar } from '../calendar/calendars.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import { createDelivery } from './delivery.ts';

let folder: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-once-'));
  now = noon;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const utc = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');

function writeCalendar(...startsMs: readonly number[]): string {
  const file = join(folder, 'work.ics');
  const events = startsMs.map(
    (ms, index) => `BEGIN:VEVENT\nUID:${index}\nSUMMARY:Meeting ${index}\nDTSTART:${utc(ms)}\nEND:VEVENT\n`,
  );
  writeFileSync(file, `BEGIN:VCALENDAR\n${events.join('')}END:VCALENDAR\n`);
  return file;
}

const calendars = () => ({
  privateHosts: [],
  passwordsFile: join(folder, 'passwords'),
  maxBytes: 1_000_000,
  intervalMs: 15 * minute,
});

/** Runs a worker for one round and stops it. */
async function once(): Promise<number> {
  const delivery = createDelivery({
    databaseUrl: join(folder, 'adjutant.db'),
    policy: { name: 'rules', timeoutMs: 1000 },
    calendars: calendars(),
    channels: channelConfig(join(folder, 'outbox')),
    slots: 4,
    leaseMs: 60_000,
    clock: () => now,
  });
  try {
    return await delivery.once();
  } finally {
    await delivery.stop();
  }
}

describe('one round of a worker', () => {
  it('syncs a calendar that has changed, plans for its events and delivers what is due', async () => {
    const store = createStore(join(folder, 'adjutant.db'));
    await fill(store, { users: [person('ada', { channel_pref: 'email' })] });
    const data = { store, clock: () => now, occurrences: expandEvent };
    const source = writeCalendar();
    await addCalendar({ data, options: calendars() }, { userId: 'ada', source }, true);
    mkdirSync(join(folder, 'outbox'));

    now += minute;
    writeCalendar(noon + 90 * minute);
    expect(await once()).toBe(0);
    const planned = await store.read((db) => db.selectFrom('notifications').selectAll().execute());
    expect(planned).toMatchObject([{ status: 'planned', plan_ms: noon + 30 * minute }]);

    now = noon + 30 * minute;
    expect(await once()).toBe(1);
    expect(readdirSync(join(folder, 'outbox'))).toEqual([`${planned[0]!.id}.eml`]);
    await store.close();
  });
});
