import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  command,
  openPrompts,
  record,
  resultText,
  structured,
  textOf,
} from '../../../test/prompts/open-prompts.ts';
import { write } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';

const files = {
  'commands/plan.md': command(
    'Plan {{input}} first',
    'tests:\n  - arguments: {input: x}\n    contains: first\n',
  ),
  'prompts/user.jsonl': record('greet', 'Hello {{who}}', { arguments: [{ name: 'who', required: true }] }),
  'libraries/lib/twig.toml': '[prompts.p]\ndescription = "P"\narguments = [{ name = "x" }]\n',
  'libraries/lib/prompts/p.md': 'A {{ x }} {% include "part.md" %}',
  'libraries/lib/prompts/part.md': 'old part',
};
type Options = Parameters<typeof openPrompts>[4];

function open(options?: Options, more = {}, capabilities: JsonObject = {}) {
  const server = openPrompts(files, more, capabilities, 'tester', options);
  const get = async (name: string, args: JsonObject = {}) =>
    textOf(await server.request('prompts/get', { name, arguments: args }));
  return { ...server, get };
}

it('name@label keeps its text for a command, a library with includes and an edited prompt', async () => {
  const { home, call, get } = open();
  for (const name of ['plan', 'lib:p', 'greet']) await call('label_prompt', { name, label: 'production' });
  write(home, {
    'commands/plan.md': command('Changed {{input}}'),
    'libraries/lib/prompts/p.md': 'Changed {% include "part.md" %}',
    'libraries/lib/prompts/part.md': 'new part',
  });
  await call('update_prompt', { name: 'greet', text: 'Bye {{who}}' });
  expect(await get('plan', { input: 'x' })).toBe('Changed x');
  expect(await get('plan@production', { input: 'x' })).toBe('Plan x first');
  expect(await get('lib:p@production', { x: '1' })).toBe('A 1 old part');
  expect(await get('lib:p@latest')).toBe('Changed new part');
  expect(await get('greet@production', { who: 'Ann' })).toBe('Hello Ann');
  expect(await get('greet@1', { who: 'Ann' })).toBe('Hello Ann');
  expect(await get('greet@2', { who: 'Ann' })).toBe('Bye Ann');
  const expanded = await call('expand_prompt', { command: ':plan@production', input: 'all' });
  expect(resultText(expanded)).toBe('Plan all first');
});

it('labels move, are removed and recorded with their client; a removed prompt keeps them', async () => {
  const { call, get, request } = open();
  await call('label_prompt', { name: 'greet', label: 'staging' });
  await call('update_prompt', { name: 'greet', text: 'Bye {{who}}' });
  await call('label_prompt', { name: 'greet', label: 'staging' });
  await call('label_prompt', { name: 'greet', label: 'staging', revision: '1' });
  expect(await get('greet@staging', { who: 'A' })).toBe('Hello A');
  await call('delete_prompt', { name: 'greet' });
  expect(await get('greet@staging', { who: 'A' })).toBe('Hello A');
  await call('label_prompt', { name: 'greet', label: 'staging', remove: true });
  await expect(request('prompts/get', { name: 'greet@staging' })).rejects.toThrow('Prompt not found');
  expect(resultText(await call('expand_prompt', { command: 'greet@staging' }))).toContain('it has no labels');
  const { labels } = structured(await call('prompt_history', { name: 'greet' })) as { labels: JsonObject[] };
  expect(
    labels.map(({ action, revision, client }) => [action, revision, (client as JsonObject)['name']]),
  ).toEqual([
    ['set', expect.any(String), 'tester'],
    ['set', '2', 'tester'],
    ['set', '1', 'tester'],
    ['remove', '1', 'tester'],
  ]);
});

it.each(['9', 'a b', 'latest', ''])('%j is not a valid label', async (label) => {
  const { call } = open();
  expect(await call('label_prompt', { name: 'greet', label })).toMatchObject({ isError: true });
});

it('a prompt whose own name contains @ is found by its name', async () => {
  const { home, get } = open();
  write(home, { 'commands/a@b.md': command('At {{input}}') });
  expect(await get('a@b', { input: 'x' })).toBe('At x');
});

it('only a person may move a protected label', async () => {
  const options = { protectedLabels: ['production'] };
  const without = open(options);
  const move = { name: 'greet', label: 'production' };
  expect(resultText(await without.call('label_prompt', move))).toContain('only a person can move it');
  const answers = [false, true];
  const asked = open(
    options,
    { onRequest: async () => ({ action: 'accept', content: { move: answers.shift()! } }) },
    { elicitation: {} },
  );
  expect(await asked.call('label_prompt', move)).toMatchObject({ isError: true });
  expect(structured(await asked.call('label_prompt', move))).toMatchObject({ label: 'production' });
  expect(structured(await asked.call('label_prompt', { ...move, label: 'staging' }))).toMatchObject({
    label: 'staging',
  });
});

it('a label that follows its prompt is held back by a failing test', async () => {
  const { home, call, get } = open({ holdsLabels: true });
  const test = 'tests:\n  - arguments: {input: x}\n    contains: first\n';
  await call('label_prompt', { name: 'plan', label: 'stable', follow: true });
  write(home, { 'commands/plan.md': command('Plan {{input}} first of all', test) });
  expect(await get('plan@stable', { input: 'x' })).toBe('Plan x first of all');
  write(home, { 'commands/plan.md': command('Plan {{input}} last', test) });
  expect(await get('plan@stable', { input: 'x' })).toBe('Plan x first of all');
  expect(resultText(await call('label_prompt', { name: 'plan', label: 'other' }))).toContain(
    'The label was not moved',
  );
});

it('the history of a file comes from its git repository, which runs no program of the repository', async () => {
  const { Repository } = await import('../../delegate/workspace/git.ts');
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const { home, call } = open({
    openRepository: async (folder) => {
      const repository = await Repository.find(folder, env);
      return repository && { read: async (args) => (await repository.run(folder, args)).output.toString() };
    },
  });
  const folder = join(home, 'commands');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=a@b.c', ...args], { cwd: folder, env });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'Add the plan');
  write(home, { 'commands/plan.md': command('Plan {{input}} twice') });
  git('commit', '-qam', 'Plan twice');
  write(home, { 'commands/.gitattributes': '*.md diff=evil filter=evil\n' });
  for (const key of [
    'diff.evil.textconv',
    'filter.evil.smudge',
    'filter.evil.clean',
    'core.fsmonitor',
    'core.pager',
  ])
    git('config', key, `touch ${join(home, 'evil')}; cat`);
  const { commits } = structured(await call('prompt_history', { name: 'plan' })) as { commits: JsonObject[] };
  expect(commits.map(({ subject, author }) => [subject, author])).toEqual([
    ['Plan twice', 'Ann'],
    ['Add the plan', 'Ann'],
  ]);
  const compared = structured(
    await call('prompt_history', { name: 'plan', compare: String(commits[1]!['commit']) }),
  );
  expect(compared['diff']).toContain('-Plan {{input}} first\n');
  expect(compared['diff']).toContain('+Plan {{input}} twice');
  expect(await call('prompt_history', { name: 'plan', compare: '--output=x' })).toMatchObject({
    isError: true,
  });
  const { existsSync } = await import('node:fs');
  expect(existsSync(join(home, 'evil'))).toBe(false);
});
