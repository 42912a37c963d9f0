// Tests the guards with random users, events, time zones, times and model answers: in memory, then on a real store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createStore } from '../../src/store/store.ts';
import { anyStory } from '../stories/guard-stories.ts';
import { replay } from '../stories/guards.ts';
import { replayStored } from '../stories/stored-story.ts';

const cases = Number(process.argv[2] ?? 100_000);
const stored = Math.ceil(cases / 50);
const startMs = performance.now();
let turns = 0;
fc.assert(
  fc.property(anyStory, (story) => {
    turns += story.turns.length;
    const broken = replay(story);
    if (broken.length > 0) throw new Error(broken.join('; '));
  }),
  { numRuns: cases },
);
const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
console.log(`${cases} stories with ${turns} planning runs in memory: no guard broken (${seconds} s)`);

const folder = mkdtempSync(join(tmpdir(), 'adjutant-guards-'));
const store = createStore(join(folder, 'guards.db'));
try {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(anyStory, async (story) => {
      const broken = await replayStored(store, story, ++number);
      if (broken.length > 0) throw new Error(broken.join('; '));
    }),
    { numRuns: stored },
  );
  console.log(`${number} stories on a real store: no stored notification breaks a guard`);
} finally {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
