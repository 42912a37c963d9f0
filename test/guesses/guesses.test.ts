import { join } from 'node:path';
import { expect, it } from 'vitest';
import { classifyGuesses, readGuesses } from './classify.ts';

it('95 of 100 first guesses work or name the command', { timeout: 600_000 }, () => {
  const guesses = classifyGuesses(readGuesses(join(import.meta.dirname, 'guesses.txt')));
  const lost = guesses.filter(({ outcome }) => outcome === 'dead end');
  expect(guesses.length).toBeGreaterThanOrEqual(100);
  expect(lost.length, lost.map(({ line, output }) => `${line}\n${output}`).join('\n')).toBeLessThanOrEqual(
    Math.floor(guesses.length / 20),
  );
});
