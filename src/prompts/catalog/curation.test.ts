import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  command,
  namesOf,
  openPrompts,
  record,
  resultText,
  structured,
  textOf,
} from '../../../test/prompts/open-prompts.ts';
import { plantTree, until, write } from '../../../test/tree.ts';
import type { Context } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource } from '../definition/source.ts';
import { Catalog } from './catalog.ts';
import { LastListed } from './last-listed.ts';
import { CatalogProvider } from './provider.ts';

const patterns = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${name}/system.md`, `Text of ${name}.\n{{input}}`]));
const numbered = (letter: string) => Array.from({ length: 30 }, (_, at) => `${letter}${at + 10}`);

function open(limit: number, rules = ['own', 'favourites', 'used', 'others']) {
  const one = plantTree(patterns(['summarize', 'rate', ...numbered('a')]));
  const two = plantTree(patterns(['rate', ...numbered('b')]));
  const server = openPrompts(
    {
      'commands/mine.md': command('Mine {{input}}'),
      'prompts/user.jsonl': record('release-notes', 'Write them'),
    },
    {},
    {},
    'tester',
    {
      mounts: [
        { format: 'fabric', path: one, prefix: 'fabric' },
        { format: 'fabric', path: two, prefix: 'other' },
      ],
      expose: { rules, limit },
    },
  );
  const listed = async () => namesOf(await server.request('prompts/list'));
  return { ...server, one, two, listed };
}

describe('prompts/list of a large library', () => {
  it('shows own prompts and a part of every source, up to the limit', async () => {
    const { listed } = open(8);
    const names = await listed();
    expect(names).toHaveLength(8);
    expect(names).toContain('mine');
    expect(names).toContain('release-notes');
    expect(names.filter((name) => name.startsWith('fabric:'))).toHaveLength(2);
    expect(names.filter((name) => name.startsWith('other:'))).toHaveLength(2);
    expect(names).toEqual([...names].sort());
  });

  it('shows everything if the library is small, or with the rule all', async () => {
    expect(await open(200).listed()).toHaveLength(72);
    expect(await open(3, ['all']).listed()).toHaveLength(72);
  });

  it('shows only what the rules name', async () => {
    expect(await open(50, ['source:fabric']).listed()).toHaveLength(50);
    expect(await open(50, ['source:other']).listed()).toHaveLength(31);
    expect(await open(50, ['tag:none']).listed()).toEqual([]);
  });

  it('shows a favourite and a new own prompt at once, and keeps the others', async () => {
    const { call, listed, home } = open(8);
    const before = await listed();
    await call('organize_prompt', { name: 'other:b39', favourite: true });
    const after = await listed();
    expect(after).toContain('other:b39');
    expect(after.filter((name) => before.includes(name))).toHaveLength(7);
    write(home, { 'commands/new.md': command('New {{input}}') });
    expect(await listed()).toEqual(expect.arrayContaining(['new', 'mine', 'other:b39']));
  });

  it('does not change because prompts are used', async () => {
    const { call, listed } = open(8);
    const before = await listed();
    for (let count = 0; count < 3; count++) await call('expand_prompt', { command: 'other:b38', input: 'x' });
    expect(await listed()).toEqual(before);
  });

  it('notifies clients of a new favourite', async () => {
    const { call, server } = open(8);
    let changes = 0;
    for (const feature of server.features) feature.subscribe?.(() => changes++);
    await call('organize_prompt', { name: 'other:b39', favourite: true });
    expect(changes).toBe(1);
  });

  it('leaves every prompt usable by name and found by search', async () => {
    const { request, call } = open(3);
    expect(textOf(await request('prompts/get', { name: 'other:b39', arguments: { input: 'x' } }))).toBe(
      'Text of b39.\nx',
    );
    const { matches } = structured(await call('search_prompts', { query: 'b39' }));
    expect((matches as JsonObject[]).map(({ name }) => name)).toEqual(['other:b39']);
  });
});

describe('the name of a prompt', () => {
  const expand = async (command: string) =>
    resultText(await open(100).call('expand_prompt', { command, input: 'x' }));

  it.each(['summarize', ':summarize', '/summarize', 'fabric:summarize', '/fabric:summarize'])(
    'resolves %s',
    async (name) => expect(await expand(name)).toBe('Text of summarize.\nx'),
  );

  it('is asked for in full if several prompts end with it', async () => {
    expect(await expand('rate')).toBe(
      'Several prompts are called rate: fabric:rate, other:rate. Give the full name.',
    );
  });

  it('is suggested if it is misspelled', async () => {
    expect(await expand('fabric:summarise')).toBe(
      'Prompt not found: fabric:summarise; did you mean fabric:summarize?',
    );
  });

  it('resolves with a label', async () => {
    const { call } = open(100);
    await call('label_prompt', { name: 'fabric:summarize', label: 'stable' });
    expect(resultText(await call('expand_prompt', { command: 'summarize@stable', input: 'x' }))).toBe(
      'Text of summarize.\nx',
    );
  });
});

it('list_prompts finds a source by prefix, format and path, and prompts by folder and favourite', async () => {
  const { call, one } = open(100);
  const total = async (args: JsonObject) => structured(await call('list_prompts', args))['total'];
  expect(await total({ source: 'fabric' })).toBe(63);
  expect(await total({ source: 'other' })).toBe(31);
  expect(await total({ source: one })).toBe(32);
  expect(await total({ source: `${one}/` })).toBe(32);
  expect(await total({ source: 'Fabric' })).toBe(63);
  await call('organize_prompt', { name: 'mine', folder: 'work/mail', favourite: true });
  expect(await total({ folder: 'work' })).toBe(1);
  expect(await total({ folder: 'wor' })).toBe(0);
  expect(structured(await call('list_prompts', { favourite: true }))).toMatchObject({
    prompts: [{ name: 'mine', favourite: true, folder: 'work/mail' }],
  });
  await call('organize_prompt', { name: 'mine', folder: '', favourite: false });
  expect(await total({ folder: 'work' })).toBe(0);
  for (const folder of ['/a', 'a//b', 'a\nb'])
    expect(await call('organize_prompt', { name: 'mine', folder })).toMatchObject({ isError: true });
  expect(await call('organize_prompt', { name: 'none', favourite: true })).toMatchObject({ isError: true });
});

it.each([
  ['list_prompts', {}],
  ['search_prompts', { query: 'x' }],
  ['export_prompts', { format: 'commands' }],
])('%s refuses an unknown source and names the known ones', async (tool, args) => {
  const { call, one } = open(100);
  const result = await call(tool, { ...args, source: 'fabrik' });
  expect(result).toMatchObject({ isError: true });
  expect(resultText(result)).toMatch('There is no source "fabrik". The sources are: user, ');
  expect(resultText(result)).toMatch(`fabric ${one}`);
});

it('hidden prompts and failing tests name their source, so that reports have one line for each source', async () => {
  const path = plantTree({ 'mine.md': 'Other text.', 'second.md': 'Text.' });
  const { call } = openPrompts(
    {
      'commands/mine.md': command('Mine {{input}}'),
      'commands/second.md': command('Second {{input}}', 'tests: [{ contains: third }]\n'),
    },
    {},
    {},
    'tester',
    { mounts: [{ format: 'claude-code', path }] },
  );
  const { problems } = structured(await call('lint_prompts', {}));
  const found = (problems as JsonObject[]).map(({ rule, source }) => [rule, source]);
  expect(found.toSorted()).toEqual([
    ['duplicate-name', `claude-code ${path}`],
    ['duplicate-name', `claude-code ${path}`],
    ['test-failed', 'commands'],
  ]);
});

it('a client that does not wait gets what is read, and a notification of the rest', async () => {
  const [quick, slow] = [new BlockedSource('quick'), new BlockedSource('slow')];
  const catalog = new Catalog([quick, slow]);
  onTestFinished(() => catalog.close());
  const names = async () => (await catalog.listWithin(1)).entries.map(({ definition }) => definition.name);
  const changed = new Promise<void>((resolve) => catalog.subscribe(resolve));
  quick.unblock();
  expect(await names()).toEqual(['quick']);
  slow.unblock();
  await changed;
  expect(await names()).toEqual(['quick', 'slow']);
});

it('a client that does not wait gets the list of its last connection while files are read', async () => {
  const file = join(plantTree({}), 'listed.json');
  const client = { client: { name: 'claude-code', version: '1' } } as Context;
  const open = (sources: readonly PromptSource[]) => {
    const catalog = new Catalog(sources);
    onTestFinished(() => catalog.close());
    const provider = new CatalogProvider({ catalog, asks: false, derives: true, last: new LastListed(file) });
    return async () => (await provider.list(client)).map(({ name }) => name);
  };
  const [quick, slow] = [new BlockedSource('quick'), new BlockedSource('slow')];
  quick.unblock();
  expect(await open([quick, slow])()).toEqual(['quick']);
  slow.unblock();
  await until(() => existsSync(file));
  expect(await open([new BlockedSource('other')])()).toEqual(['quick', 'slow']);
  writeFileSync(file, '{');
  expect(await open([new BlockedSource('other')])()).toEqual([]);
});

it('a list that was kept is removed when the files are read in time again', async () => {
  const file = join(plantTree({ 'listed.json': '[{"name":"old","arguments":[]}]' }), 'listed.json');
  const source = new BlockedSource('new');
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const catalog = new Catalog([source]);
  onTestFinished(() => catalog.close());
  const provider = new CatalogProvider({ catalog, asks: false, derives: true, last: new LastListed(file) });
  const client = { client: { name: 'claude-code', version: '1' } } as Context;
  expect(await provider.list(client)).toMatchObject([{ name: 'old' }]);
  source.unblock();
  await until(() => !existsSync(file));
  expect(await provider.list(client)).toMatchObject([{ name: 'new' }]);
});

/** Has one prompt, which can be read only after `unblock`. */
class BlockedSource implements PromptSource {
  readonly name: string;
  readonly #prompts: Promise<readonly PromptDefinition[]>;
  unblock = () => {};

  constructor(name: string) {
    this.name = name;
    const prompt: PromptDefinition = {
      ...{ name, arguments: [], messages: [], tags: [], template: 'none', file: name, line: 1 },
    };
    this.#prompts = new Promise((resolve) => {
      this.unblock = () => resolve([prompt]);
    });
  }

  list = () => this.#prompts;
  get = async () => undefined;
  problems = async () => [];
}
