import { expect, it } from 'vitest';
import { printable } from './printable.ts';

it.each([
  ['plain text, tabs\tand\r\nlines\n', 'plain text, tabs\tand\r\nlines\n'],
  ['\u001b[1mbold\u001b[0m \u001b[38;5;1mred\u001b[0m', '\u001b[1mbold\u001b[0m \u001b[38;5;1mred\u001b[0m'],
  ['\u001b[2Jcleared', '\uFFFD[2Jcleared'],
  ['\u001b]0;title\u0007', '\uFFFD]0;title\uFFFD'],
  ['\u009b2J', '\uFFFD2J'],
  ['harmless\rharmful', 'harmless\uFFFDharmful'],
  ['a\u0008b\u0000c\u007f', 'a\uFFFDb\uFFFDc\uFFFD'],
  ['äöü 日本 🎉', 'äöü 日本 🎉'],
])('%j is shown as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
