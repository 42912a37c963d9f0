import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fill, meeting, minute, noon, person } from '../../../test/assistant-rows.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { createStore } from '../store/store.ts';
import { PlanningLoop } from './planning-loop.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-rounds-'));
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['sqlite', 'postgres'] as const)('planning rounds on %s', (engine) => {
  it('come to every user with events ahead once an hour, on one machine, and to who changed at once', async () => {
    const url = engine === 'sqlite' ? join(folder, 'rounds.db') : await postgres.createDatabase('rounds');
    let now = noon;
    const [store, other] = [createStore(url), createStore(url)];
    const planned: string[] = [];
    const rounds = [store, other].map(
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
    const turn = async () => {
      planned.length = 0;
      await Promise.all(rounds.map((one) => one.turn()));
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
    expect(await turn()).toEqual(['ada', 'bob']);
    now += 10 * minute;
    expect(await turn()).toEqual([]);
    await store.write(async ({ db, changed }) => {
      await db.updateTable('events').set({ title: 'New' }).where('id', '=', 'e1').execute();
      changed({ kind: 'event', id: 'e1', userId: 'ada' });
    });
    expect(await turn()).toEqual(['ada']);
    expect(await turn()).toEqual([]);
    now += 51 * minute;
    expect(await turn()).toEqual(['bob']);
    now += 10 * minute;
    expect(await turn()).toEqual(['ada']);
    for (const one of rounds) await one.close();
    await Promise.all([store.close(), other.close()]);
  });

  it('come also to who changed while nobody was there to hear of it', async () => {
    const url = engine === 'sqlite' ? join(folder, 'alone.db') : await postgres.createDatabase('alone');
    let now = noon;
    const store = createStore(url);
    const planned: string[] = [];
    const rounds = (plan: (id: string) => Promise<unknown>) =>
      new PlanningLoop({ store, clock: () => now, plan });
    const listed = async (id: string) => planned.push(id);
    await fill(store, {
      users: [person('ada'), person('bob'), person('eve')],
      events: ['ada', 'bob', 'eve'].map((id) => meeting(id, id, noon + 300 * minute)),
    });
    const first = rounds(listed);
    await first.turn();
    await first.close();
    expect(planned.splice(0).toSorted()).toEqual(['ada', 'bob', 'eve']);
    now += minute;
    for (const [kind, userId] of [['event', 'ada'] as const, ['rule', 'bob'] as const])
      await store.write(async ({ changed }) => changed({ kind, id: 'x', userId }));
    // One that ends on the way leaves the rest to the next.
    const second: PlanningLoop = rounds(async (id) => {
      await listed(id);
      void second.close();
    });
    await second.turn();
    expect(planned).toHaveLength(1);
    const third = rounds(listed);
    await third.turn();
    await third.close();
    expect(planned.toSorted()).toEqual(['ada', 'bob']);
    await store.close();
  });
});
