import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { measureSearch } from '../../../bench/search.ts';
import { openPrompts, record, structured } from '../../../test/prompts/open-prompts.ts';
import { plantTree } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { UserSource } from '../jsonl/user-source.ts';
import { MountSource } from '../mounts/mount.ts';
import { Catalog } from './catalog.ts';
import { PromptSearch } from './search.ts';

it('returns a suitable prompt among the first three results for nine of ten everyday queries', async () => {
  const { queries, missed } = await measureSearch();
  expect(queries).toBeGreaterThanOrEqual(150);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(queries / 10);
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
