import { expect, it } from 'vitest';
import { loadColours } from '../../src/web/page/runs/code-colours.ts';
import type { CodePart } from '../../src/web/page/shared/diff-line.ts';

const textOf = (parts: readonly CodePart[]) => parts.map(({ text }) => text).join('');

it('colours of code › words, texts and notes of a language are told apart, over several lines', async () => {
  const colour = await loadColours('src/tides.ts');
  const lines = colour!(["const tide = 'high'; // now", '/* a note', 'ends */ return 1;']);
  const kinds = (at: number, kind: string) =>
    lines[at]!.filter((part) => part.kind === kind).map(({ text }) => text);
  expect(kinds(0, 'word')).toEqual(['const']);
  expect(kinds(0, 'text')).toEqual(["'high'"]);
  expect(kinds(0, 'note')).toEqual(['// now']);
  expect(textOf(lines[1]!.filter(({ kind }) => kind === 'note'))).toContain('a note');
  expect(kinds(2, 'word')).toEqual(['return']);
});

it.each([
  'a.py',
  'a.rs',
  'a.go',
  'a.html',
  'a.css',
  'a.sh',
  'a.yaml',
  'a.sql',
  'a.java',
  'a.rb',
  'Dockerfile',
  'a.toml',
  'a.json',
])('colours of code › %s › hostile text keeps every character', async (path) => {
  const lines = [
    '',
    '   ',
    '"'.repeat(300),
    '{'.repeat(300),
    '/*',
    '\\'.repeat(99),
    '<!-- ${`',
    'x'.repeat(5000),
    '𝒳\u0000\u202E',
  ];
  const colour = await loadColours(path);
  expect(colour!(lines).map(textOf)).toEqual(lines);
});

it.each(['a', 'a.unknown', 'a.constructor', '__proto__'])('colours of code › %s › has none', async (path) => {
  expect(await loadColours(path)).toBeUndefined();
});
