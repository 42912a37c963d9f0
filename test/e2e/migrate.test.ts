import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createRecords } from '../../src/store/records.ts';
import { startPostgres } from '../postgres.ts';
import { bundle } from '../program.ts';
import { record } from '../prompts/open-prompts.ts';
import { plantTree } from '../tree.ts';

it('migrate to PostgreSQL copies labels, and keeps uses and trials of prompts on this machine', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const time = new Date().toISOString();
  const by = { client: { name: 'tester', version: '1' }, time, revision: '1' };
  const use = { day: time.slice(0, 10), prompt: 'greet', client: 'codex', count: 2 };
  // The files of an earlier version.
  const home = plantTree({
    'prompts/user.jsonl': record('greet', 'Hello'),
    'prompts/labels.jsonl': `${JSON.stringify({ prompt: 'greet', label: 'production', action: 'set', ...by })}\n`,
    [`prompts/usage/${use.day}.jsonl`]: `${JSON.stringify(use)}\n`,
  });
  const adjutant = (args: readonly string[], env = {}) =>
    execFileSync(process.execPath, [bundle, ...args, '--home', home], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, ...env },
    });
  const counts = (env = {}) => adjutant(['prompts', 'usage', '--json'], env);
  const before = counts();
  expect(before).toContain('"count": 2');
  const url = await postgres.createDatabase('migrated');
  adjutant(['migrate', '--to', url]);
  const shared = createRecords(url);
  onTestFinished(() => shared.close());
  expect([...(await shared.histories('prompt_label')).keys()]).toEqual(['greet@production']);
  expect(counts({ DATABASE_URL: url })).toBe(before);
  const local = createRecords(join(home, 'local.db'));
  onTestFinished(() => local.close());
  expect(await local.list('prompt_usage')).toContainEqual(use);
});
