import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, story } from '../../test/guards.ts';

describe('the guards', () => {
  it('hold for any user, event, zone, clock and answer of a model', () => {
    fc.assert(
      fc.property(story, (told) => {
        expect(play(told)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  }, 120_000);
});
