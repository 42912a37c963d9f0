import { beforeAll, describe, expect, it } from 'vitest';
import { standardFeatures } from '../../scripts/reference-pages.ts';
import { isObject } from '../json.ts';
import { commandHelp, programHelp } from './help.ts';
import { commands } from './program.ts';
import type { Command } from './terminal/command.ts';

let all: readonly Command[];
let toolWords: ReadonlySet<string>;
beforeAll(async () => {
  all = await Promise.all(Object.values(commands).map((load) => load()));
  const tools = (await standardFeatures()).flatMap(({ tools: own }) => own ?? []);
  const properties = tools.flatMap(({ inputSchema }) =>
    isObject(inputSchema['properties']) ? Object.keys(inputSchema['properties']) : [],
  );
  toolWords = new Set([...tools.map(({ name }) => name), ...properties].filter((word) => word.includes('_')));
}, 120_000);

/** The help of the program, of every command and of every action. */
const pages = (width: number): readonly (readonly [string, string])[] => [
  ['adjutant', programHelp(all, width)],
  ...all.flatMap((command) => [
    [command.name, commandHelp(command, undefined, width)] as const,
    ...Object.keys(command.actions).map(
      (word) => [`${command.name} ${word}`, commandHelp(command, word, width)] as const,
    ),
  ]),
];

describe.each([60, 80, 120])('help at %i columns', (width) => {
  it('fits the terminal and breaks no word', () => {
    const whole = new Map(pages(1000));
    const broken = pages(width).flatMap(([name, text]) => {
      const words = new Set(whole.get(name)!.split(/\s+/));
      const parts = text.split(/\s+/).filter((word) => !words.has(word));
      // A single word can be longer than a narrow column.
      const long = text.split('\n').filter((line) => line.length > width && line.trim().includes(' '));
      return [...parts, ...long].map((line) => `${name}: ${line}`);
    });
    expect(broken).toEqual([]);
  });

  it('names no tool and no argument of a tool', () => {
    const named = pages(width)
      // Its examples call tools.
      .filter(([name]) => !name.startsWith('tools'))
      .flatMap(([name, text]) =>
        [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)]
          .filter(([word]) => toolWords.has(word))
          .map(([word]) => `${name}: ${word}`),
      );
    expect(named).toEqual([]);
  });
});

it('every action has a summary in one sentence and two examples that run it', () => {
  const wrong = all.flatMap(({ name, actions }) =>
    Object.entries(actions).flatMap(([word, { summary, examples }]) => [
      ...(/^[A-Z][^.]*$/.test(summary) ? [] : [`${name} ${word}: ${summary}`]),
      ...(examples.length >= 2 ? [] : [`${name} ${word} has ${examples.length} examples`]),
    ]),
  );
  expect(wrong).toEqual([]);
});
