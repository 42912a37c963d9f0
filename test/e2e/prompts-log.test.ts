import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialize, Program } from '../program.ts';
import { plantTree, until, write } from '../tree.ts';

const command = {
  file: 'commands/wrong.md',
  first: ['no front matter', ':1: missing YAML frontmatter start delimiter'],
  second: ['---\ndescription: x\n', ':3: missing YAML frontmatter end delimiter'],
} as const;

/** For each contract: a file, two invalid contents and the log message for each of them. */
const files = {
  commands: command,
  standard: command,
  jsonl: { file: 'prompts/user.jsonl', first: ['{"name":\n', ':1: '], second: ['\n{"name":\n', ':2: '] },
  twig: {
    file: 'libraries/lib/twig.toml',
    first: ['[prompts.a\n', ':1:'],
    second: ['\n[prompts.a\n', ':2:'],
  },
} as const;

const countOccurrences = (text: string, part: string) => text.split(part).length - 1;

describe.each(['commands', 'jsonl', 'twig', 'standard'] as const)('the contract %s', (contract) => {
  it('logs an invalid file once per change and sends nothing about it', async () => {
    const { file, first, second } = files[contract];
    await using program = new Program(['serve', '--contract', contract]);
    const { home } = program;
    const lines = [first, second].map(([, message]) => `adjutant: error: ${join(home, file)}${message}`);
    const counts = () => lines.map((line) => countOccurrences(program.stderr, line));
    program.send(initialize());
    await program.until(({ id }) => id === 0);
    write(home, { [file]: first[0] });
    await until(() => counts()[0] === 1);
    write(home, { [file]: second[0] });
    await until(() => counts()[1] === 1);
    // A change to other files does not log the problem again.
    write(home, {
      'commands/other.md': 'x',
      'libraries/other/twig.toml': '[',
      'prompts/default.jsonl': '{\n',
    });
    await program.untilStderr(/other\.md|other\/twig\.toml|default\.jsonl/);
    const { stdout } = await program.end();
    expect(counts()).toEqual([1, 1]);
    expect(stdout).not.toContain(file);
  });
});

it.each([
  ['commands', '--prompts-dir'],
  ['twig', '--twig-dir'],
  ['standard', '--commands-dir'],
] as const)('logs a warning under %s if the folder set by %s does not exist', async (contract, flag) => {
  const missing = join(plantTree(), 'typo');
  await using program = new Program(['serve', '--contract', contract, flag, missing]);
  program.send(initialize());
  await program.untilStderr(/this folder does not exist/);
  expect(program.stderr).toContain(
    `adjutant: warning: ${missing}: this folder does not exist, so it has no prompts; create it, or correct it in flag ${flag}`,
  );
});

it('does not warn about a default folder that does not exist yet', async () => {
  await using program = new Program(['serve']);
  rmSync(join(program.home, 'commands'), { recursive: true });
  program.send(initialize());
  await program.request('prompts/list');
  write(program.home, { 'libraries/lib/twig.toml': '[prompts.a\n' });
  await program.untilStderr(/twig\.toml/);
  expect(program.stderr).not.toContain('does not exist');
});
