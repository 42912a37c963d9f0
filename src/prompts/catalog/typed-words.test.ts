import { expect, it } from 'vitest';
import type { PromptDefinition } from '../definition/definition.ts';
import { argumentsForWords, argumentsFromWords, dropsWords } from './typed-words.ts';

const prompt = (names: readonly string[], whole?: string): PromptDefinition => ({
  name: 'note',
  arguments: names.map((name) => ({ name })),
  messages: [{ role: 'user', content: { type: 'text', text: 'Note.' } }],
  tags: [],
  template: 'braces',
  file: 'note.md',
  line: 1,
  ...(whole !== undefined && { typed: { positions: ['argument_1'], whole } }),
});

/** What Claude Code sends: one word for each argument that it knows, and nothing of the words that are left. */
function sent(definition: PromptDefinition, text: string): Record<string, string> {
  const words = text.split(' ');
  const known = argumentsForWords(definition, definition.arguments);
  return Object.fromEntries(
    known.flatMap(({ name }, index) => (index < words.length ? [[name, words[index]!]] : [])),
  );
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');

it.each([
  ['claude-code', true],
  ['codex', false],
  [undefined, false],
])('the client %s drops words: %s', (client, drops) => {
  expect(dropsWords(client)).toBe(drops);
});

it.each<[kind: string, definition: PromptDefinition, typed: string, args: object, rest: string]>([
  ['one argument takes all words', prompt(['topic']), 'low and high', { topic: 'low and high' }, ''],
  ['one argument takes a hundred words', prompt(['topic']), words(100), { topic: words(100) }, ''],
  ['the last argument takes the rest', prompt(['a', 'b']), 'x "y z" w', { a: 'x', b: '"y z" w' }, ''],
  ['a quoted phrase is one value', prompt(['a', 'b']), '"x y" z', { a: 'x y', b: 'z' }, ''],
  ['an open quote is a word', prompt(['a', 'b']), "it's 'x y", { a: "it's", b: "'x y" }, ''],
  ['without arguments, all words are the rest', prompt([]), words(100), {}, words(100)],
  ['a command gets its whole text', prompt(['argument_1'], 'all'), 'x y z', { all: 'x y z' }, ''],
  ['a single plain word stays as it is', prompt(['a', 'b']), 'x', { a: 'x' }, ''],
])('%s', (_, definition, typed, args, rest) => {
  expect(argumentsFromWords(definition, sent(definition, typed))).toEqual({ args, rest });
});

it('arguments with white space in them were not typed, and stay as they are', () => {
  const given = { a: 'x y', '+1': 'z' };
  expect(argumentsFromWords(prompt(['a']), given)).toEqual({ args: given, rest: '' });
});

it.each([
  ['with an argument', prompt(['topic']), 121],
  ['without arguments', prompt([]), 120],
])('%s, more words than Claude Code passes are reported', (_, definition, most) => {
  const fewer = argumentsFromWords(definition, sent(definition, words(most - 1)));
  expect(fewer.rest).not.toContain('may be missing');
  const { args, rest } = argumentsFromWords(definition, sent(definition, words(most + 80)));
  expect(Object.values(args).join(' ') + rest).toContain(words(most));
  expect(rest).toContain(`at most ${most} words`);
  expect(rest).toContain('":note" followed by the text passes all of it');
});
