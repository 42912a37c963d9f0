import { expect, it, onTestFinished } from 'vitest';
import { measureSearch } from '../../../bench/search.ts';
import { openPrompts, record, structured } from '../../../test/prompts/open-prompts.ts';
import { plantTree } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { UserSource } from '../jsonl/user-source.ts';
import { Catalog } from './catalog.ts';
import { PromptSearch } from './search.ts';

it('returns a suitable prompt among the first three results for nine of ten everyday queries', async () => {
  const { queries, missed } = await measureSearch();
  expect(queries).toBeGreaterThanOrEqual(150);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(queries / 10);
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
