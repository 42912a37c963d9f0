// Proves on 1,000 random orders that an acknowledgement ends the reminders of a start, and that changes are still reported.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { anyOrder, openBench } from '../stories/acknowledgement-story.ts';

const orders = Number(process.argv[2] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), 'adjutant-orders-'));
const bench = openBench(folder);
let steps = 0;
try {
  await fc.assert(
    fc.asyncProperty(anyOrder, async (order) => {
      steps += order.steps.length;
      const broken = await bench.play(order);
      if (broken.length > 0) throw new Error(broken.join('; '));
    }),
    { numRuns: orders },
  );
  console.log(
    `${orders} orders with ${steps} steps: no reminder after an acknowledgement, no change unreported`,
  );
} finally {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
}
