import { expect, it } from 'vitest';
import { liveThroughYear } from './year.ts';

it.each([
  ['spring', '2026-03-01'],
  ['autumn', '2026-09-28'],
])(
  'routines in three zones while the clocks change in %s › every due time has the row, run and message that the model expects',
  async (_, from) => {
    const { problems, ...counts } = await liveThroughYear(9, 40, from);
    expect(problems).toEqual([]);
    expect(counts.due).toBeGreaterThan(200);
    expect(counts.skipped).toBeGreaterThan(0);
    expect(counts.clock_changes).toBeGreaterThan(0);
  },
);
