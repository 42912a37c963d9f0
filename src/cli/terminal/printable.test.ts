import { expect, it } from 'vitest';
import { printable } from './terminal.ts';

it.each([
  ['plain text, tabs\tand\r\nlines\n', 'plain text, tabs\tand\r\nlines\n'],
  ['\u001b[1mbold\u001b[0m \u001b[31mred\u001b[0m', '\u001b[1mbold\u001b[0m \u001b[31mred\u001b[0m'],
  ['\u001b[38;5;1mred\u001b[0m', 'red\u001b[0m'],
  ['\u001b[8mconcealed\u001b[30;40mblack on black\u001b[m', 'concealedblack on black'],
  // Removing an escape sequence must not create another one.
  ['\u001b[\u001b[8m8m', '\uFFFD[8m'],
  ['exe.\u202Egnp \u2066isolated', 'exe.\uFFFDgnp \uFFFDisolated'],
  ['\u05E9\u05DC\u05D5\u05DD \u200F', '\u05E9\u05DC\u05D5\u05DD \u200F'],
  ['\u001b[2Jcleared', '\uFFFD[2Jcleared'],
  ['\u001b]0;title\u0007', '\uFFFD]0;title\uFFFD'],
  ['\u009b2J', '\uFFFD2J'],
  ['harmless\rharmful', 'harmless\uFFFDharmful'],
  ['a\u0008b\u0000c\u007f', 'a\uFFFDb\uFFFDc\uFFFD'],
  ['äöü 日本 🎉', 'äöü 日本 🎉'],
])('%j is printed as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
