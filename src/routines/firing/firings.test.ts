import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { createStore } from '../../store/store.ts';
import { Firings } from './firings.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-firings-'));
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(['sqlite', 'postgres'])('%s stores texts of requests and agents with U+0000', async (engine) => {
  const url = engine === 'sqlite' ? join(folder, 'adjutant.db') : await postgres.createDatabase('firings');
  const store = createStore(url);
  try {
    await store.read((db) => db.selectFrom('firings').select('id').execute());
    const firings = new Firings(store, () => 1);
    const due = { routineId: 'r', machine: 'm', key: 'k', dueMs: 1, source: 'webhook' } as const;
    await firings.add([{ ...due, input: 'a\0b' }]);
    const [added] = await firings.history('r', 1);
    const ended = { status: 'failed', result: 'c\0d', reason: 'e\0f', ended_ms: 2 } as const;
    expect(await firings.update(added!, ended)).toBe(true);
    const [stored] = await firings.history('r', 1);
    expect(stored).toMatchObject({ input: 'a\uFFFDb', result: 'c\uFFFDd', reason: 'e\uFFFDf', ended_ms: 2 });
  } finally {
    await store.close();
  }
});
