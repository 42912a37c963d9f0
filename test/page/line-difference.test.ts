import { describe, expect, it } from 'vitest';
import { lineDifference } from '../../src/web/page/shared/line-difference.ts';

const marks = { same: ' ', added: '+', removed: '-', note: '' } as const;
const difference = (before: string, after: string) =>
  lineDifference(before, after).map(({ kind, text }) => `${marks[kind]}${text}`);

describe('lineDifference', () => {
  it.each([
    ['a', 'a', [' a']],
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a\nb', 'a\nb\nb', [' a', ' b', '+b']],
    ['a\nb\nc\nd', 'b\nd\ne', ['-a', ' b', '-c', ' d', '+e']],
  ])('compares %j with %j', (before, after, lines) => {
    expect(difference(before, after)).toEqual(lines);
  });

  it('shows the whole old text and then the whole new text if too many lines changed', () => {
    const many = (word: string) => Array.from({ length: 30_000 }, (_, index) => `${word} ${index}`);
    const lines = difference(many('old').join('\n'), many('new').join('\n'));
    expect(lines.length).toBe(60_000);
    expect([lines[0], lines[29_999], lines[30_000]]).toEqual(['-old 0', '-old 29999', '+new 0']);
  });

  it('marks only the changed line in long texts', () => {
    const many = Array.from({ length: 30_000 }, (_, index) => `line ${index}`);
    const lines = difference(many.join('\n'), many.with(15_000, 'changed').join('\n'));
    expect(lines.length).toBe(30_001);
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual(['-line 15000', '+changed']);
  });
});
