import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../program.ts';
import { commandOfTool, inCommandWords } from './command-words.ts';

describe('the command of a tool', () => {
  it('exists', { timeout: 120_000 }, async () => {
    for (const line of Object.values(commandOfTool)) {
      const [name = '', word = ''] = line.split(' ');
      const command = await commands[name]!();
      const flags = Object.values(command.actions).flatMap((action) => Object.keys(action.flags ?? {}));
      const words = [...Object.keys(command.actions), ...flags.map((flag) => `--${flag}`)];
      if (word !== '') expect(words, line).toContain(word);
    }
  });

  it('is known for every tool that a command calls', () => {
    const folder = join(import.meta.dirname, '..');
    const called = globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:\bcall\(\s*|tool: )'([a-z]+_[a-z_]+)'/g)].map(
        ([, tool]) => tool!,
      ),
    );
    expect(called.length).toBeGreaterThan(30);
    expect(called.filter((tool) => !Object.hasOwn(commandOfTool, tool))).toEqual([]);
  });
});

it('replaces the tools that a message names, but not what the user gave', () => {
  expect(inCommandWords('There is no run x. list_runs shows all runs.')).toBe(
    'There is no run x. "adjutant runs list" shows all runs.',
  );
  expect(inCommandWords('Use cancel_run and delegate_resume.')).toBe(
    'Use "adjutant runs cancel" and "adjutant delegate --resume".',
  );
  expect(inCommandWords('Call collect_run with run_id 2026-01-01_1 for the result')).toBe(
    'Run "adjutant runs watch 2026-01-01_1" for the result',
  );
  for (const text of [
    'There is no prompt "list_runs".',
    'my_list_runs',
    '/tmp/list_runs/x',
    'runs://list_runs',
  ])
    expect(inCommandWords(text)).toBe(text);
});
