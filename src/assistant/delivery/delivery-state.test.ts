import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plantTree } from '../../../test/tree.ts';
import { createStore } from '../../store/store.ts';
import { checkDelivery } from './delivery-state.ts';

it('a database that does not exist yet is good, and one that was lost is an error', async () => {
  const store = createStore(join(plantTree({}), 'adjutant.db'));
  try {
    expect(await checkDelivery(store, Date.now)).toMatchObject([
      { state: 'good', detail: expect.stringContaining('first use') },
    ]);
    await store.read((db) => db.selectFrom('users').selectAll().execute());
    expect(await checkDelivery(store, Date.now)).toMatchObject([
      { title: 'Database', state: 'good', detail: expect.stringContaining('answers') },
      { title: 'Worker' },
      { title: 'Last delivery' },
    ]);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${store.place}${suffix}`, { force: true });
    await expect(checkDelivery(store, Date.now)).rejects.toThrow('is missing, although there was one');
  } finally {
    await store.close();
  }
});
