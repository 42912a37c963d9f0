import { describe, expect, it } from 'vitest';
import { measureToolChoice } from '../bench/tool-choice.ts';
import { measureWishes } from '../bench/wishes.ts';

describe('search_tools', () => {
  it('returns the right tool among the first three for nine of ten everyday tasks', async () => {
    const { tuning, 'held-out': heldOut, all } = await measureToolChoice();
    const percent = ({ hits, tasks }: typeof all) => Math.round((100 * hits) / tasks);
    console.log(`tuning ${percent(tuning)} %, held-out ${percent(heldOut)} %, all ${percent(all)} %`);
    expect(all.tasks).toBeGreaterThanOrEqual(60);
    expect(all.misses.map(({ task }) => task).length).toBeLessThanOrEqual(all.tasks / 10);
  });

  it('returns a right tool among the first three for 75 of the 80 wishes that its sentences were tuned with', async () => {
    const { tasks, hits, misses } = await measureWishes();
    expect(tasks).toBe(80);
    expect(hits, misses.map(({ task }) => task).join('\n')).toBeGreaterThanOrEqual(75);
  });
});
