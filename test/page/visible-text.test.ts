import { expect, it } from 'vitest';
import { visibleText } from '../../src/web/page/shared/visible-text.ts';

it.each([
  ['\tplain äöü 日本 👩‍👧 שלום\r\n', '\tplain äöü 日本 👩‍👧 שלום\r\n'],
  ['if (a\u202E /* nimda */\u2066) {', 'if (a⟨U+202E⟩ /* nimda */⟨U+2066⟩) {'],
  ['a\u0000b\u001b[2J', 'a⟨U+0000⟩b⟨U+001B⟩[2J'],
  ['pass\u200Bword', 'pass⟨U+200B⟩word'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});
