import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../../test/postgres.ts';
import { plantTree } from '../../../test/tree.ts';
import { createRecords } from '../../store/records.ts';
import { type LabelEntry, LabelStore } from './label-store.ts';

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
  const [one, other] = [new LabelStore(here), new LabelStore(there)];
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

it('labels of an earlier version are taken over, also those of one that is still running', async () => {
  const line = (label: string, time: string, action = 'set') =>
    `${JSON.stringify({ prompt: 'greet', label, action, revision: time, time, client: { name: 't', version: '1' } })}\n`;
  const home = plantTree({ 'labels.jsonl': `${line('production', '1')}{"prompt":\n${line('staging', '2')}` });
  const documents = createRecords(join(home, 'adjutant.db'));
  onTestFinished(() => documents.close());
  const store = new LabelStore(documents, home);
  const labels = async (from = store) => (await from.entries()).map(({ label, time }) => label + time);
  expect(await labels()).toEqual(['production1', 'staging2']);
  appendFileSync(join(home, 'labels.jsonl'), `${line('staging', '3', 'remove')}{"prompt":"torn`);
  expect(await labels()).toEqual(['production1', 'staging2', 'staging3']);
  expect(await labels(new LabelStore(documents, home))).toHaveLength(3);
});
