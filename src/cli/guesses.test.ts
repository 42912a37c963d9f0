import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { runProgram } from './program.ts';
import type { Streams } from './terminal/terminal.ts';

const home = mkdtempSync(join(tmpdir(), 'adjutant-guess-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The command lines that the message of a wrong one names. */
async function suggested(...argv: readonly string[]): Promise<readonly string[]> {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { HOME: home };
  expect(await runProgram(argv, { input, output, errors, env } as unknown as Streams, home)).toBe(2);
  const message = String(errors.read());
  return [...message.matchAll(/(?:Did you mean|or): adjutant (.*)/g)].map(([, line]) => line!);
}

it.each([
  [['run', '--agent', 'codex', 'Sum up the TODOs'], 'delegate "Sum up the TODOs" --agent codex'],
  [['run', '--agent=codex', 'Sum up the TODOs'], 'delegate "Sum up the TODOs" --agent codex'],
  [['ask', '--with', 'codex', 'Sum up the TODOs'], 'delegate "Sum up the TODOs" --agent codex'],
  [['run', '--model', 'o3', '--watch', 'Sum up the TODOs'], 'delegate "Sum up the TODOs" --model o3 --watch'],
  [['run', '--timeout', '60', '--dir', 'src', 'fix it'], 'delegate "fix it" --cwd src'],
  [['run', '--careful', 'fix the tests'], 'delegate "fix the tests" --careful'],
  [['run', '--', 'fix it'], 'delegate -- "fix it"'],
  [['delegate', 'fix it', '--agent', 'codex', '--bg'], 'delegate "fix it" --agent codex'],
  [['setup', '--client', 'codex'], 'install codex'],
  [['agents', 'start', '--client', 'codex', '--prompt', 'review'], 'delegate ":review" --agent codex'],
  [['agent', 'start', '-p', 'review this', '--client', 'codex'], 'delegate "review this" --agent codex'],
  [['delegate', '--agent', 'codex', '--prompt', 'review'], 'delegate ":review" --agent codex'],
])('the suggestion for %j has the task before the flags', async (argv, line) => {
  expect((await suggested(...argv))[0]).toBe(line);
});

it.each([
  [['agent', 'wait', '3f2a9c', '--timeout', '600'], 'runs watch 3f2a9c'],
  [['runs', 'wait', '--timeout', '600', '3f2a9c'], 'runs watch 3f2a9c'],
  [['agent', 'logs', '-f', '3f2a9c'], 'runs watch 3f2a9c'],
  [['wait', '3f2a9c'], 'runs watch 3f2a9c'],
  [['wait'], 'runs watch last'],
])('the suggestion for %j watches the run, without flags of other programs', async (argv, line) => {
  expect((await suggested(...argv))[0]).toBe(line);
});

it.each([
  [
    ['prompt', 'add', 'review', '--file', './a.md'],
    'prompts add ./a.md',
    'prompts create review --file ./a.md',
  ],
  [['prompt', 'add', 'review', './a.md'], 'prompts add ./a.md', 'prompts create review --file ./a.md'],
  [['prompts', 'create', 'review', './a.md'], 'prompts create review --file ./a.md', 'prompts add ./a.md'],
  [['prompts', 'add', '-f', './a.md'], 'prompts add ./a.md'],
  [['prompts', 'add', 'https://a.example/b.git', '--name', 'b'], 'prompts add https://a.example/b.git'],
  [['prompts', 'add', 'review', 'Look', 'at', 'it'], 'prompts create review --text "Look at it"'],
])('the suggestions for %j read the file instead of storing its path as a text', async (argv, ...lines) => {
  expect(await suggested(...argv)).toEqual(lines);
});

it.each([
  [['config', 'get', 'timezone'], 'users show me', 'users update me --timezone TIMEZONE'],
  [['config', 'set', 'timezone', 'Europe/Berlin'], 'users update me --timezone Europe/Berlin'],
  [['config', 'set', 'user.time_zone', 'UTC'], 'users update me --timezone UTC'],
  [['config', 'set', 'language', 'de-AT'], 'users update me --locale de-AT'],
  [['config', 'unset', 'quiet_hours'], 'users show me', 'users update me --quiet-start START'],
  [['config', 'get', 'prompts.dir'], 'config get commands.dir', 'config list dir'],
  [['config', 'set', 'prompts.dir', '/p'], 'prompts add /p', 'config set commands.dir /p'],
  [['config', 'unset', 'prompts_path'], 'config unset commands.dir', 'config list dir'],
  [['config', 'get', 'colour']],
])('the suggestions for %j name what other programs have as that setting', async (argv, ...lines) => {
  expect(await suggested(...argv)).toEqual(lines);
});
