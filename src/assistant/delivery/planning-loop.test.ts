import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fill, meeting, minute, noon, person } from '../../../test/assistant-rows.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { createStore } from '../../store/store.ts';
import { PlanningLoop } from './delivery.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-rounds-'));
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['sqlite', 'postgres'] as const)('the planning loop on %s', (engine) => {
  it('plans every user with future events once an hour in one process, and changed users in the next run', async () => {
    const url = engine === 'sqlite' ? join(folder, 'rounds.db') : await postgres.createDatabase('rounds');
    let now = noon;
    const [store, other] = [createStore(url), createStore(url)];
    const planned: string[] = [];
    const loops = [store, other].map(
      (one) =>
        new PlanningLoop({
          store: one,
          clock: () => now,
          plan: async (id) => {
            planned.push(id);
            if (id === 'bob') throw new Error('nobody plans for bob');
          },
        }),
    );
    const runAll = async () => {
      planned.length = 0;
      await Promise.all(loops.map((one) => one.runOnce()));
      return planned.toSorted();
    };
    await fill(store, {
      users: [person('ada'), person('bob'), person('eve')],
      events: [
        meeting('e1', 'ada', noon + 300 * minute),
        meeting('e2', 'bob', noon + 300 * minute),
        meeting('e3', 'eve', noon - 300 * minute),
      ],
    });
    expect(await runAll()).toEqual(['ada', 'bob']);
    now += 10 * minute;
    expect(await runAll()).toEqual([]);
    await store.write(async ({ db, changed }) => {
      await db.updateTable('events').set({ title: 'New' }).where('id', '=', 'e1').execute();
      changed({ kind: 'event', id: 'e1', userId: 'ada' });
    });
    expect(await runAll()).toEqual(['ada']);
    expect(await runAll()).toEqual([]);
    now += 51 * minute;
    expect(await runAll()).toEqual(['bob']);
    now += 10 * minute;
    expect(await runAll()).toEqual(['ada']);
    for (const one of loops) await one.close();
    await Promise.all([store.close(), other.close()]);
  });

  it('plans users whose data changed while no loop was running', async () => {
    const url = engine === 'sqlite' ? join(folder, 'alone.db') : await postgres.createDatabase('alone');
    let now = noon;
    const store = createStore(url);
    const planned: string[] = [];
    const createLoop = (plan: (id: string) => Promise<unknown>) =>
      new PlanningLoop({ store, clock: () => now, plan });
    const listed = async (id: string) => planned.push(id);
    await fill(store, {
      users: [person('ada'), person('bob'), person('eve')],
      events: ['ada', 'bob', 'eve'].map((id) => meeting(id, id, noon + 300 * minute)),
    });
    const first = createLoop(listed);
    await first.runOnce();
    await first.close();
    expect(planned.splice(0).toSorted()).toEqual(['ada', 'bob', 'eve']);
    now += minute;
    for (const [kind, userId] of [['event', 'ada'] as const, ['rule', 'bob'] as const])
      await store.write(async ({ changed }) => changed({ kind, id: 'x', userId }));
    // A loop that is closed during a run leaves the remaining users to the next loop.
    const second: PlanningLoop = createLoop(async (id) => {
      await listed(id);
      void second.close();
    });
    await second.runOnce();
    expect(planned).toHaveLength(1);
    const third = createLoop(listed);
    await third.runOnce();
    await third.close();
    expect(planned.toSorted()).toEqual(['ada', 'bob']);
    await store.close();
  });

  it('sleeps until a user is due, but one to five minutes', async () => {
    const url = engine === 'sqlite' ? join(folder, 'sleep.db') : await postgres.createDatabase('sleep');
    const store = createStore(url);
    await fill(store, { users: [person('ada')], events: [meeting('e', 'ada', noon + 300 * minute)] });
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => void vi.restoreAllMocks());
    const sleepAt = async (now: number) => {
      timers.mockClear();
      const loop = new PlanningLoop({ store, clock: () => now, plan: async () => undefined });
      loop.start();
      const longest = () => Math.max(...timers.mock.calls.map(([, ms = 0]) => ms));
      await vi.waitFor(() => expect(longest()).toBeGreaterThanOrEqual(minute), { timeout: 20_000 });
      await loop.close();
      return longest() / minute;
    };
    const sleeps = [await sleepAt(noon), await sleepAt(noon + 57 * minute)];
    expect([...sleeps, await sleepAt(noon + 59.5 * minute)]).toEqual([5, 3, 1]);
    await store.close();
  });
});
