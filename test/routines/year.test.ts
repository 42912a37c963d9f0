import { expect, it } from 'vitest';
import { liveThroughYear } from './year.ts';

it('some weeks of routines in three zones › every due time has the row, run and message that the model expects', async () => {
  const { problems, ...counts } = await liveThroughYear(9, 40);
  expect(problems).toEqual([]);
  expect(counts.due).toBeGreaterThan(200);
  expect(counts.skipped).toBeGreaterThan(0);
});
