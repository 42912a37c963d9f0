// Compares list_events for 30 days, as a client calls it, in a store with few events and one with very many; calls alternate.
// The user has the same events in these 30 days in both stores; all other events are other users' or far away in time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { createStore } from '../src/store/store.ts';
import { fill, person } from '../test/assistant-rows.ts';
import { openAssistant } from '../test/open-assistant.ts';
import { median } from './parts/figures.ts';

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '1000' },
    many: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '200' },
  },
});
const [hour, day] = [3_600_000, 86_400_000];
const now = Date.UTC(2026, 10, 16, 8);
const shown = 100;
const folder = mkdtempSync(join(tmpdir(), 'adjutant-list-events-'));

async function createStoreWith(events: number) {
  const file = join(folder, `${events}.db`);
  const store = createStore(file);
  const others = Array.from({ length: 200 }, (_, index) => person(`other-${index}`));
  await fill(store, { users: [person('ada'), ...others] });
  await store.close();
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    `insert into events (id, user_id, provider, provider_event_id, title, start_ms, end_ms, timezone, description, status,
     series, first_ms, last_ms, revision, created_ms, updated_ms)
     values (?, ?, 'ics', ?, ?, ?, ?, 'UTC', ?, 'confirmed', ?, ?, ?, 'r', 0, 0)`,
  );
  const add = (index: number, user: string, startMs: number, series: string | null, lastMs: number) => {
    const text = `A description of event ${index} with the length of a typical invitation.`;
    insert.run(
      `e${index}`,
      user,
      `uid-${index}`,
      `Event ${index}`,
      startMs,
      startMs + hour,
      text,
      series,
      startMs,
      lastMs,
    );
  };
  const weekly = (startMs: number, rule: string) =>
    JSON.stringify({
      start: { wall: new Date(startMs).toISOString().slice(0, 19), zone: 'UTC' },
      duration: { days: 0, seconds: 3600 },
      rules: [rule],
    });
  database.exec('begin');
  for (let index = 0; index < shown; index++)
    add(index, 'ada', now + index * 7 * hour, null, now + index * 7 * hour);
  for (let index = shown; index < shown + 10; index++) {
    const start = now - 300 * day + index * hour;
    add(index, 'ada', start, weekly(start, 'FREQ=WEEKLY'), 8.64e15);
  }
  for (let index = shown + 10; index < events; index++) {
    const mine = index % 10 === 0;
    // Other users have events in these days too; the user's own additional events are years before or after.
    const away = ((index % 3650) - 1825) * day;
    const start = now + (mine && Math.abs(away) < 40 * day ? away + 400 * day : away) + (index % 24) * hour;
    const ended = mine && index % 50 === 0;
    const series = ended ? weekly(start, 'FREQ=WEEKLY;COUNT=5') : null;
    const past = ended ? Math.min(start, now - 100 * day) : start;
    add(index, mine ? 'ada' : `other-${index % 200}`, past, series, ended ? past + 36 * day : past);
  }
  database.exec('commit');
  database.close();
  const assistant = openAssistant({ file });
  assistant.now = now;
  return {
    async call(): Promise<number> {
      const began = performance.now();
      const result = await assistant.client.request('tools/call', {
        name: 'list_events',
        arguments: { user_id: 'ada', days_back: 0, days_forward: 30 },
      });
      const took = performance.now() - began;
      const { count } = result['structuredContent'] as { count: number };
      if (count < shown || count > shown + 60) throw new Error(`listed ${count} events`);
      return took;
    },
    close: () => assistant[Symbol.asyncDispose](),
  };
}

try {
  const [few, many] = [await createStoreWith(Number(values.few)), await createStoreWith(Number(values.many))];
  for (let index = 0; index < 20; index++) for (const store of [few, many]) await store.call();
  const times: [number[], number[]] = [[], []];
  for (let index = 0; index < Number(values.calls); index++) {
    times[0].push(await few.call());
    times[1].push(await many.call());
  }
  await few.close();
  await many.close();
  const [fast, slow] = times.map(median) as [number, number];
  console.log(
    `list_events of 30 days with ${values.few} events: ${fast.toFixed(2)} ms (median of ${values.calls})`,
  );
  console.log(
    `list_events of 30 days with ${values.many} events: ${slow.toFixed(2)} ms, ${(slow / fast).toFixed(2)} times`,
  );
  if (slow > 2 * fast) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
