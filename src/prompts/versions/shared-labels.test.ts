import { expect, it } from 'vitest';
import { startPostgres } from '../../../test/postgres.ts';
import { createRecords } from '../../store/records.ts';
import { type LabelEntry, SharedLabelStore } from './label-store.ts';

it('labels in a database are shared by all machines, with every move', async () => {
  await using postgres = await startPostgres().then((server) =>
    Object.assign(server, { [Symbol.asyncDispose]: () => server.close() }),
  );
  const url = await postgres.createDatabase('labels');
  const [here, there] = [createRecords(url), createRecords(url)];
  const move = (label: string, revision: string, action: LabelEntry['action'] = 'set'): LabelEntry => ({
    ...{ prompt: 'greet', label, revision, action },
    time: new Date().toISOString(),
    client: { name: 'tester', version: '1' },
  });
  const [one, other] = [new SharedLabelStore(here), new SharedLabelStore(there)];
  await one.append(move('production', '1'));
  await other.append(move('production', '2'));
  await one.append(move('staging', '3'));
  await one.append(move('production', '2', 'remove'));
  expect((await other.entries()).map(({ label, revision, action }) => [label, revision, action])).toEqual([
    ['production', '1', 'set'],
    ['production', '2', 'set'],
    ['staging', '3', 'set'],
    ['production', '2', 'remove'],
  ]);
  await Promise.all([here.close(), there.close()]);
});
