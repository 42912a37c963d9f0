import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, story } from '../../test/guards.ts';
import { playStored } from '../../test/stored-story.ts';
import { createStore } from './store/store.ts';

describe('the guards', () => {
  it('hold for any user, event, zone, clock and answer of a model', () => {
    fc.assert(
      fc.property(story, (told) => {
        expect(play(told)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  }, 120_000);

  it('hold for everything that is stored, through changes of the event, sending, cancelling and planning again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-guards-'));
    const store = createStore(join(folder, 'guards.db'));
    let number = 0;
    try {
      await fc.assert(
        fc.asyncProperty(story, async (told) => {
          expect(await playStored(store, told, ++number)).toEqual([]);
        }),
        { numRuns: 20, endOnFailure: true },
      );
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
});
