import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fill, meeting, noon, person } from '../../../test/assistant-rows.ts';
import { createStore } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import { listOccurrences } from './occurrence-list.ts';

const dayMs = 86_400_000;

function openStore() {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-series-'));
  const store = createStore(join(folder, 'adjutant.db'));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

const series = (start: string) =>
  JSON.stringify({
    start: { wall: start, zone: 'UTC' },
    duration: { days: 0, seconds: 60 },
    rules: ['FREQ=YEARLY'],
  });

it('finds the occurrences of every series, however many series a user has', async () => {
  const store = openStore();
  const startMs = noon - 400 * dayMs;
  const others = Array.from({ length: 2500 }, (_, index) =>
    meeting(`e${index}`, 'ada', startMs, { series: series('2025-06-01T12:00:00'), last_ms: 8.64e15 }),
  );
  const last = meeting('z', 'ada', startMs, { series: series('2025-03-03T12:00:00'), last_ms: 8.64e15 });
  await fill(store, { users: [person('ada')], events: [...others, last] });
  const window = { fromMs: noon, toMs: noon + 30 * dayMs };
  const { listed, truncated } = await store.read((db) =>
    listOccurrences({ occurrences: expandEvent }, db, window, 'ada'),
  );
  expect(listed.map(({ event }) => event.id)).toEqual(['z']);
  expect(truncated).toBe(false);
});

it('says that a list is cut off', async () => {
  const store = openStore();
  const events = Array.from({ length: 2001 }, (_, index) => meeting(`e${index}`, 'ada', noon + index));
  await fill(store, { users: [person('ada')], events });
  const window = { fromMs: noon, toMs: noon + dayMs };
  const { listed, truncated } = await store.read((db) =>
    listOccurrences({ occurrences: expandEvent }, db, window, 'ada'),
  );
  expect([listed.length, truncated]).toEqual([2000, true]);
});
