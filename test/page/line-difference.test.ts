import { describe, expect, it } from 'vitest';
import { lineDifference } from '../../src/web/page/line-difference.ts';

const marks = { same: ' ', added: '+', removed: '-' } as const;
const written = (before: string, after: string) =>
  lineDifference(before, after).map(({ kind, text }) => `${marks[kind]}${text}`);

describe('the difference of two texts', () => {
  it.each([
    ['a', 'a', [' a']],
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a\nb', 'a\nb\nb', [' a', ' b', '+b']],
    ['a\nb\nc\nd', 'b\nd\ne', ['-a', ' b', '-c', ' d', '+e']],
  ])('of %j and %j', (before, after, lines) => {
    expect(written(before, after)).toEqual(lines);
  });

  it('of texts too long to compare line by line is all that went and all that came', () => {
    const many = (word: string) => Array.from({ length: 30_000 }, (_, index) => `${word} ${index}`);
    const lines = written(
      ['head', ...many('old'), 'foot'].join('\n'),
      ['head', ...many('new'), 'foot'].join('\n'),
    );
    expect(lines.length).toBe(60_002);
    expect([lines[0], lines[1], lines[30_001], lines.at(-1)]).toEqual([' head', '-old 0', '+new 0', ' foot']);
  });
});
