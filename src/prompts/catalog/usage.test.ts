import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPrompts, record, structured } from '../../../test/prompts/open-prompts.ts';
import { plantTree } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { Usage } from './usage.ts';

it('uses are counted per prompt, client and day, across processes', () => {
  const folder = plantTree();
  let now = Date.parse('2026-03-01T12:00:00Z');
  const [one, other] = [new Usage(folder, () => now), new Usage(folder, () => now)];
  one.record('greet', 'codex');
  one.record('greet', 'codex');
  other.record('greet', 'claude');
  one.flush();
  other.flush();
  now += 86_400_000;
  one.record('plan', 'codex');
  expect(one.uses()).toEqual([
    { day: '2026-03-02', prompt: 'plan', client: 'codex', count: 1 },
    { day: '2026-03-01', prompt: 'greet', client: 'codex', count: 2 },
    { day: '2026-03-01', prompt: 'greet', client: 'claude', count: 1 },
  ]);
  now += 100 * 86_400_000;
  one.record('plan', 'codex');
  one.flush();
  expect(readdirSync(folder)).toEqual(['2026-06-10.jsonl']);
});

it('prompts/get and expand_prompt count, without arguments; a setting turns it off', async () => {
  const files = { 'prompts/user.jsonl': record('greet', 'Hello {{who}}', { arguments: [{ name: 'who' }] }) };
  const { home, request, call, server } = openPrompts(files);
  await request('prompts/get', { name: 'greet', arguments: { who: 'secret' } });
  await call('expand_prompt', { command: 'greet', input: 'secret' });
  expect(structured(await call('prompt_usage', { name: 'greet' }))).toMatchObject({
    counted: true,
    prompts: [{ name: 'greet', count: 2, clients: { tester: 2 } }],
  });
  await server.close();
  const [day] = readdirSync(join(home, 'prompts', 'usage'));
  expect(readFileSync(join(home, 'prompts', 'usage', day!), 'utf8')).not.toContain('secret');
  const off = openPrompts(files, {}, {}, 'tester', { countsUsage: false });
  await off.call('expand_prompt', { command: 'greet', input: 'x' });
  expect(structured(await off.call('prompt_usage'))).toEqual({ counted: false, prompts: [] });
});

it('a prompt that is used often ranks above an equal one, but not above a better match', async () => {
  const { call } = openPrompts({
    'prompts/user.jsonl': ['alpha', 'beta', 'gamma']
      .map((name) => record(`summary_${name}`, 'Summarize the article'))
      .concat(record('poem', 'Write a poem about an article'))
      .join(''),
  });
  for (let uses = 0; uses < 20; uses++) {
    await call('expand_prompt', { command: 'summary_gamma', input: '' });
    await call('expand_prompt', { command: 'poem', input: '' });
  }
  const { matches } = structured(await call('search_prompts', { query: 'summarize article' })) as {
    matches: JsonObject[];
  };
  expect(matches.map(({ name }) => name).slice(0, 3)).toEqual([
    'summary_gamma',
    'summary_alpha',
    'summary_beta',
  ]);
});
