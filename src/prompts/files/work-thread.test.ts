import { expect, it } from 'vitest';
import { ThreadLimit } from '../../threads/work-threads.ts';
import { CompiledTemplates } from '../rendering/template-set.ts';
import { areLong, runInThread } from './work-thread.ts';

const slowMatch = { pattern: '^(\\w+\\s?)+$#', text: 'word '.repeat(50) };

it('runs a task in a thread, also more tasks at once than there are threads', async () => {
  const matches = ['a', 'b', 'c', 'd', 'e', 'f', 'x'].map((pattern) =>
    runInThread('match', { pattern, text: 'abcdef' }),
  );
  expect(await Promise.all(matches)).toEqual([true, true, true, true, true, true, false]);
});

it('ends a thread at its time limit, and later tasks get another one', async () => {
  await expect(runInThread('match', slowMatch, { timeoutMs: 300 })).rejects.toThrow(ThreadLimit);
  expect(await runInThread('match', { pattern: 'a', text: 'a' })).toBe(true);
});

it('reports the line of an invalid file', async () => {
  const bytes = Buffer.from('[prompts.a]\n= 1\n');
  await expect(runInThread('manifest', { bytes, file: 'twig.toml' })).rejects.toMatchObject({ line: 2 });
});

it('counts texts that are long together as long', () => {
  expect(areLong(['a'.repeat(20_000)])).toBe(false);
  expect(areLong(['a'.repeat(40_000)])).toBe(true);
  expect(areLong(Array.from({ length: 20 }, () => 'a'.repeat(20_000)))).toBe(true);
});

it('renders a long template like a short one, and names the line of an error', async () => {
  const files = { load: async () => undefined, names: () => [] };
  const padding = '{# a comment #}\n'.repeat(4_000);
  const templates = await CompiledTemplates.compile([['a.md', `${padding}Hello {{ name|upper }}`]], files);
  expect((await templates.render('a.md', { name: 'Ada' })).trim()).toBe('Hello ADA');
  const failing = CompiledTemplates.compile([['a.md', `${padding}{% if %}`]], files);
  await expect(failing).rejects.toMatchObject({ template: 'a.md', line: 4_001 });
});

it('renders a short template that is slow in a thread, which ends it', { timeout: 60_000 }, async () => {
  const files = { load: async () => undefined, names: () => [] };
  const source =
    "{% set n = namespace(a='aaaaaaaa') %}{% for i in range(19) %}{% set n.a = n.a ~ n.a %}{% endfor %}{% for i in range(9999) %}{% set q = n.a ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' ~ 'x' %}{% endfor %}";
  const templates = await CompiledTemplates.compile([['a.md', source]], files);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await expect(templates.render('a.md', {})).rejects.toThrow('the template took longer than 2 s');
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});
