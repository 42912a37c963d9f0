import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPrompts, placesIn, record, structured } from '../../../test/prompts/open-prompts.ts';
import { plantTree } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { createRecords } from '../../store/records.ts';
import { Usage } from './usage.ts';

it('uses are counted per prompt, client and day, across processes', async () => {
  const home = plantTree();
  let now = Date.parse('2026-03-01T12:00:00Z');
  const [one, other] = [0, 1].map(() => {
    const documents = createRecords(join(home, 'adjutant.db'));
    onTestFinished(() => documents.close());
    return new Usage(documents, join(home, 'usage'), () => now);
  }) as [Usage, Usage];
  one.record('greet', 'codex');
  one.record('greet', 'codex');
  other.record('greet', 'claude');
  await Promise.all([one.flush(), other.flush()]);
  now += 86_400_000;
  one.record('plan', 'codex');
  expect(await one.uses()).toEqual([
    { day: '2026-03-02', prompt: 'plan', client: 'codex', count: 1 },
    { day: '2026-03-01', prompt: 'greet', client: 'codex', count: 2 },
    { day: '2026-03-01', prompt: 'greet', client: 'claude', count: 1 },
  ]);
  now += 100 * 86_400_000;
  one.record('plan', 'codex');
  await one.flush();
  const days = await createRecords(join(home, 'adjutant.db')).list('prompt_usage');
  expect(days).toEqual([{ day: '2026-06-10', prompt: 'plan', client: 'codex', count: 1 }]);
});

it('the counts of an earlier version are added once, also those of one that is still running', async () => {
  const day = new Date().toISOString().slice(0, 10);
  const use = (count: number) => `${JSON.stringify({ day, prompt: 'greet', client: 'codex', count })}\n`;
  const files = {
    'prompts/user.jsonl': record('greet', 'Hello'),
    [`prompts/usage/${day}.jsonl`]: use(2) + use(3),
  };
  const { home, call, server } = openPrompts(files);
  const count = async (of: typeof call) =>
    (structured(await of('prompt_usage', { name: 'greet' }))['prompts'] as JsonObject[])[0]?.['count'];
  expect(await count(call)).toBe(5);
  await call('expand_prompt', { command: 'greet', input: '' });
  await server.close();
  appendFileSync(join(home, 'prompts', 'usage', `${day}.jsonl`), use(4));
  expect(await count(openPrompts(undefined, {}, {}, 'tester', placesIn(home)).call)).toBe(10);
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
  expect(readFileSync(join(home, 'adjutant.db'), 'latin1')).not.toContain('secret');
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
