import { expect, it } from 'vitest';
import { measureToolChoice } from '../bench/tool-choice.ts';

it('search_tools returns a right tool among the first three for most everyday tasks and wishes', async () => {
  const measured = await measureToolChoice();
  const { tuning, 'held-out': heldOut, all, wishes, 'wishes never tuned': untuned } = measured;
  const percent = ({ hits, tasks }: typeof all) => Math.round((100 * hits) / tasks);
  console.log(`tuning ${percent(tuning)} %, held-out ${percent(heldOut)} %, all ${percent(all)} %`);
  expect(all.tasks).toBeGreaterThanOrEqual(60);
  expect(all.misses.map(({ task }) => task).length).toBeLessThanOrEqual(all.tasks / 10);
  expect(wishes.tasks).toBeGreaterThanOrEqual(170);
  expect(wishes.hits, wishes.misses.map(({ task }) => task).join('\n')).toBeGreaterThanOrEqual(
    wishes.tasks * 0.95,
  );
  expect(untuned.tasks).toBeGreaterThanOrEqual(80);
  expect(untuned.hits, untuned.misses.map(({ task }) => task).join('\n')).toBeGreaterThanOrEqual(
    untuned.tasks * 0.95,
  );
  const doubted = [...all.doubted, ...wishes.doubted].map(({ task }) => task);
  expect(doubted.length, doubted.join('\n')).toBeLessThanOrEqual((all.tasks + wishes.tasks) * 0.02);
});
