import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyOrder, openBench } from '../../../test/stories/acknowledgement-story.ts';

it('sends no reminder of an acknowledged start on any channel, and reports every later change', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-orders-'));
  const bench = openBench(folder);
  try {
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        expect(await bench.play(order)).toEqual([]);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
