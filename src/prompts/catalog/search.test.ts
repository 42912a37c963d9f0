import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { measureSearch } from '../../../bench/search.ts';
import { openPrompts, record, structured } from '../../../test/prompts/open-prompts.ts';
import { plantTree, write } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { shownDescription } from '../definition/shown-description.ts';
import type { PromptSource } from '../definition/source.ts';
import { UserSource } from '../jsonl/user-source.ts';
import { MountSource } from '../mounts/mount.ts';
import { Catalog } from './catalog.ts';
import { PromptSearch } from './search.ts';

it('returns a suitable prompt among the first three results for nine of ten everyday queries, and never fewer than plain BM25', async () => {
  const { queries, missed, comparisons } = await measureSearch();
  expect(queries).toBeGreaterThanOrEqual(150);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(queries / 10);
  for (const { ours, plain } of comparisons) expect(ours).toBeGreaterThanOrEqual(plain);
});

it.each([
  ['summary of a meeting', 'summarize_meeting'],
  ['summaries of meetings', 'summarize_meeting'],
  ['summarising meetings', 'summarize_meeting'],
  ['analysis of headers', 'analyze_headers'],
  ['analysing headers', 'analyze_headers'],
])('finds other forms of the words in a name: %s', async (query, name) => {
  const patterns = ['summarize_meeting', 'analyze_headers', 'meeting_agenda', 'page_headers'];
  const path = plantTree(Object.fromEntries(patterns.map((one) => [`${one}/system.md`, 'Do it.'])));
  const catalog = new Catalog([new MountSource({ format: 'fabric', path })]);
  onTestFinished(() => catalog.close());
  const { matches } = await new PromptSearch(catalog).find(query, () => true, 1);
  expect(matches[0]?.entry.definition.name).toBe(name);
});

it('ranks a prompt by its first sentence if it has no description', async () => {
  const filler = 'The town lies on a hill above the sea. '.repeat(30);
  const path = plantTree({
    'one/system.md': `# Task\n\nYou write letters to a landlord.\n\n${filler}`,
    'two/system.md': `# Task\n\nYou describe towns.\n\n${filler}A landlord, a landlord, a landlord owns it.`,
  });
  const catalog = new Catalog([new MountSource({ format: 'fabric', path })]);
  onTestFinished(() => catalog.close());
  const { matches } = await new PromptSearch(catalog).find('landlord', () => true, 2);
  expect(matches.map(({ entry }) => entry.definition.name)).toEqual(['one', 'two']);
});

it('updates the index when prompts are created, changed and deleted', async () => {
  const { call } = openPrompts({ 'prompts/user.jsonl': record('owl', 'about birds') });
  const found = async (query: string) => {
    const { matches } = structured(await call('search_prompts', { query }));
    return (matches as JsonObject[]).map(({ name }) => name);
  };
  const messages = (text: string) => [{ role: 'user', content: { type: 'text', text } }];
  expect(await found('birds')).toEqual(['owl']);
  await call('create_prompt', { name: 'wren', title: 'Wren', messages: messages('smallest of the birds') });
  expect((await found('bird')).toSorted()).toEqual(['owl', 'wren']);
  await call('update_prompt', { name: 'wren', messages: messages('it nests in hedges') });
  expect(await found('bird')).toEqual(['owl']);
  expect(await found('hedge')).toEqual(['wren']);
  await call('delete_prompt', { name: 'wren' });
  expect(await found('hedge')).toEqual([]);
});

it('yields to the event loop while it builds the index', async () => {
  const lines = Array.from({ length: 10_000 }, (_, index) => record(`p${index}`, `text number ${index}`));
  const catalog = new Catalog([
    new UserSource({ folder: `${plantTree({ 'prompts/user.jsonl': lines.join('') })}/prompts` }),
  ]);
  onTestFinished(() => catalog.close());
  await catalog.list();
  let turns = 0;
  let searching = true;
  const turn = () => {
    turns++;
    if (searching) setImmediate(turn);
  };
  setImmediate(turn);
  const { total } = await new PromptSearch(catalog).find('number', () => true, 1);
  searching = false;
  expect(total).toBe(10_000);
  expect(turns).toBeGreaterThan(3);
});

describe('the index in a file', () => {
  const prompts = `${record('owl', 'about birds')}${record('wren', 'nests in hedges')}`;
  function openSearch(folder: string, file: string) {
    const catalog = new Catalog([new UserSource({ folder: join(folder, 'prompts') })]);
    const search = new PromptSearch(catalog, { file });
    onTestFinished(async () => {
      await search.close();
      catalog.close();
    });
    return async (query: string) =>
      (await search.find(query, () => true, 10)).matches.map(({ entry }) => entry.definition.name);
  }
  const rowsOf = (file: string) => {
    using database = new DatabaseSync(file, { readOnly: true });
    return database.prepare('select id, key from entries order by id').all();
  };

  it('serves a second server without new entries, and follows changes that the other one indexed', async () => {
    const folder = plantTree({ 'prompts/user.jsonl': prompts });
    const file = join(folder, 'state', 'search.db');
    const [one, other] = [openSearch(folder, file), openSearch(folder, file)];
    expect(await one('birds')).toEqual(['owl']);
    const rows = rowsOf(file);
    expect(await other('hedge')).toEqual(['wren']);
    expect(rowsOf(file)).toEqual(rows);
    writeFileSync(join(folder, 'prompts', 'user.jsonl'), prompts + record('kite', 'hovers'));
    expect(await one('hover')).toEqual(['kite']);
    expect(await other('hover')).toEqual(['kite']);
    expect(rowsOf(file)).toHaveLength(3);
  });

  describe('after a restart', () => {
    const files = {
      'patterns/tides/system.md': 'You read tables of the tide.',
      'patterns/owls/system.md': 'You tell owls apart.',
      'prompts/user.jsonl': prompts,
    };
    const sourcesIn = (folder: string, names = ['patterns']) => [
      new UserSource({ folder: join(folder, 'prompts') }),
      ...names.map((name) => new MountSource({ format: 'fabric', path: join(folder, name) })),
    ];
    const find = async (sources: readonly PromptSource[], file: string, query: string) => {
      const catalog = new Catalog(sources);
      const search = new PromptSearch(catalog, { file });
      const { matches } = await search.find(query, () => true, 10);
      return { matches, end: () => search.close().finally(() => catalog.close()) };
    };
    /** A folder and its index. All files are so old that a later change cannot have the same time. */
    async function indexed() {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
      onTestFinished(() => void vi.useRealTimers());
      const folder = plantTree(files);
      const file = join(folder, 'state', 'search.db');
      await (await find(sourcesIn(folder), file, 'any')).end();
      return { folder, file };
    }

    it('the first search does not wait until files are read, and finds the same', async () => {
      const { folder, file } = await indexed();
      const [user, mount] = sourcesIn(folder) as [UserSource, MountSource];
      const isRead = Promise.withResolvers<readonly PromptDefinition[]>();
      vi.spyOn(mount, 'list').mockReturnValue(isRead.promise);
      const { matches, end } = await find([user, mount], file, 'tide table');
      isRead.resolve([]);
      await end();
      const again = await find(sourcesIn(folder), join(folder, 'other.db'), 'tide table');
      await again.end();
      const shown = (all: typeof matches) =>
        all.map(({ entry: { definition, source }, ...found }) => ({
          ...found,
          ...{ name: definition.name, tags: definition.tags, source: source.name },
          description: shownDescription(definition),
        }));
      expect(shown(matches)).toEqual(shown(again.matches));
      expect(matches).toMatchObject([{ entry: { definition: { name: 'tides' } } }]);
    });

    it.each<
      [change: string, path: string, text: string | undefined, query: string, found: readonly string[]]
    >([
      ['a new file', 'patterns/boats/system.md', 'You build boats.', 'boat', ['boats']],
      ['a changed file', 'patterns/owls/system.md', 'You count boats.', 'boat', ['owls']],
      ['a removed file', 'patterns/tides/system.md', undefined, 'tide', []],
      ['a new prompt of the user', 'prompts/user.jsonl', prompts + record('b', 'boats'), 'boat', ['b']],
      ['a removed prompt of the user', 'prompts/user.jsonl', '', 'birds', []],
      ['a new source', 'more/boats/system.md', 'You build boats.', 'boat', ['boats']],
    ])('%s counts in the first search', async (_, path, text, query, found) => {
      const { folder, file } = await indexed();
      if (text === undefined) rmSync(dirname(join(folder, path)), { recursive: true });
      else write(folder, { [path]: text });
      const names = path.startsWith('more') ? ['patterns', 'more'] : ['patterns'];
      const { matches, end } = await find(sourcesIn(folder, names), file, query);
      await end();
      expect(matches.map(({ entry }) => entry.definition.name)).toEqual(found);
    });
  });

  it('removes entries of many changed prompts', async () => {
    const folder = plantTree({
      'prompts/user.jsonl': Array.from({ length: 150 }, (_, at) => record(`p${at}`, `sparrow ${at}`)).join(
        '',
      ),
    });
    const file = join(folder, 'search.db');
    const search = openSearch(folder, file);
    expect(await search('sparrow')).toHaveLength(10);
    writeFileSync(join(folder, 'prompts', 'user.jsonl'), prompts);
    expect(await search('sparrow')).toEqual([]);
    expect(rowsOf(file)).toHaveLength(2);
  });

  it.each([
    ['damaged', 'not a database'],
    ['of another version', ''],
  ])('is replaced if it is %s', async (_, content) => {
    const folder = plantTree({ 'prompts/user.jsonl': prompts, 'search.db': content });
    expect(await openSearch(folder, join(folder, 'search.db'))('bird')).toEqual(['owl']);
    expect(rowsOf(join(folder, 'search.db'))).toHaveLength(2);
  });

  it('is kept in memory if its folder cannot be created', async () => {
    const folder = plantTree({ 'prompts/user.jsonl': prompts, file: 'not a folder' });
    expect(await openSearch(folder, join(folder, 'file', 'search.db'))('bird')).toEqual(['owl']);
  });

  it.each(['"', "'; drop table heads", 'a* OR b', 'NEAR(a b)', '\0', '-', 'name:owl'])(
    'takes %j as words',
    async (query) => {
      const folder = plantTree({ 'prompts/user.jsonl': prompts });
      const search = openSearch(folder, join(folder, 'search.db'));
      expect(await search(query)).toEqual(query === 'name:owl' ? ['owl'] : []);
      expect(await search('bird')).toEqual(['owl']);
    },
  );
});
