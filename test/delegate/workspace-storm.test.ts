import { expect, it } from 'vitest';
import { startResponsesModel } from '../model/responses-model.ts';
import { createWorkbench, nativeCodex } from './workbench.ts';
import { storm } from './workspace-storm.ts';

it('reports for every writing job what is in the folder, also if servers are killed', {
  timeout: 120_000,
}, async () => {
  const model = await startResponsesModel();
  await using bench = createWorkbench(model.config);
  const settings = { 'delegate-command': await nativeCodex(), 'delegate-on-disconnect': 'finish' };
  const { problems } = await storm(bench, settings, { servers: 2, autopilots: 2, kills: 2 });
  expect(problems).toEqual([]);
  await model.close();
});
