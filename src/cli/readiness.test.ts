import { expect, it } from 'vitest';
import { createCheckup } from '../../test/checkup.ts';
import { createReadiness } from './readiness.ts';

it('readiness › a database that fails is a bad finding beside the disk, and is asked once for many probes', async () => {
  await using home = createCheckup();
  let asked = 0;
  const check = async () => {
    asked++;
    throw new Error('The database does not answer.');
  };
  const readiness = createReadiness((await home.load({})).config, { check });
  const [first] = await Promise.all(Array.from({ length: 20 }, () => readiness()));
  expect(first?.[0]).toEqual({ title: 'Database', state: 'bad', detail: 'The database does not answer.' });
  expect(first?.[1]).toMatchObject({ title: 'Disk' });
  expect(asked).toBe(1);
});
