import { describe, expect, it } from 'vitest';
import { hiddenCharacters } from './lint.ts';
import { lintFiles } from './lint-files.ts';

describe('hidden characters', () => {
  it.each<[string, string, string]>([
    ['a right-to-left override', 'a\u202Eb', 'U+202E changes the direction of text'],
    ['an isolate', 'x\u2066', 'U+2066 changes the direction of text'],
    ['a tag', 'x\u{E0041}', 'U+E0041 is an invisible tag'],
    ['a zero-width space', 'a\u200Bb', 'U+200B is invisible'],
    ['a joiner between Latin letters', 'a\u200Db', 'U+200D is invisible'],
    ['a byte order mark inside', 'a\uFEFFb', 'U+FEFF is invisible'],
    ['an escape', 'a\x1b[31m', 'U+001B is a control character'],
    ['a soft hyphen', 'a\u00ADb', 'U+00AD is invisible'],
    ['a variation selector on a letter', 'a\uFE0F', 'U+FE0F is invisible, and there is no emoji before it'],
  ])('include %s', (_, text, message) => {
    expect(hiddenCharacters(text).map((found) => found.message)).toEqual([message]);
  });

  it.each([
    'naïve café',
    'emoji 👩‍👩‍👧 ❤️ 🏳️‍🌈 1️⃣',
    'فارسی می‌خواهم',
    'हिन्दी क्‍ष',
    'tab\tand\r\nline',
    '漢字 עברית',
    'the separator `\u2063` marks it',
    'a fence in a fence:\n\u200B```',
  ])('are not reported in ordinary text: %s', (text) => {
    expect(hiddenCharacters(text)).toEqual([]);
  });

  it('are reported with their position in texts, and in the fields that lists show', async () => {
    const text = '---\ndescription: "d\u202E"\n---\nok\nab\u200Bc {{input}}';
    expect((await lintFiles([{ path: 'x.md', text }])).problems).toMatchObject([
      { line: 1, severity: 'error', message: 'description: U+202E changes the direction of text' },
      { line: 5, column: 3, severity: 'warning', message: 'U+200B is invisible' },
    ]);
  });

  it('are reported at most a hundred times per text', () => {
    expect(hiddenCharacters('\u200B'.repeat(100_000))).toHaveLength(100);
  });
});
