import { join } from 'node:path';
import { expect, it } from 'vitest';
import { classifyGuesses, readGuesses } from './classify.ts';

it.each([
  ['guesses.txt', 100],
  ['habits.txt', 80],
  ['invented.txt', 70],
  ['outsiders.txt', 97],
])(
  '95 of 100 first guesses in %s work or name a right command',
  {
    timeout: 600_000,
  },
  (file, least) => {
    const guesses = classifyGuesses(readGuesses(join(import.meta.dirname, file)));
    const lost = guesses.filter(({ outcome }) => outcome === 'dead end');
    expect(guesses.length).toBeGreaterThanOrEqual(least);
    expect(lost.length, lost.map(({ line, output }) => `${line}\n${output}`).join('\n')).toBeLessThanOrEqual(
      Math.floor(guesses.length / 20),
    );
  },
);
