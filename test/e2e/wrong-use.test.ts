import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-wrong-'));
  writeFileSync(join(home, 'a-file'), '');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function adjutant(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args], {
    cwd: home,
    env: { HOME: home, PATH: process.env['PATH'] },
    encoding: 'utf8',
    input: '',
  });
  return { code: status, stdout, stderr };
}

describe('the command line', () => {
  it.each([
    ['prompst list', 2, 'unknown command "prompst"; did you mean prompts?'],
    ['-q', 2, '-q goes behind a command; run adjutant --help'],
    ['help nothing', 2, 'unknown command "nothing"; run adjutant --help'],
    ['users --wrong', 2, 'unknown flag --wrong; adjutant users --help lists the flags'],
    ['users -j', 2, 'unknown flag -j; adjutant users --help lists the flags'],
    ['users --database-url x', 2, 'unknown flag --database-url; did you mean --assistant-database-url?'],
    ['users --home', 2, '--home needs a value'],
    ['runs list -n -3', 2, '-n needs a value'],
    ['runs list --limit -3', 2, '--limit needs a value; one that begins with a dash is written --limit=-…'],
    ['users --json=yes', 2, '--json takes no value'],
    ['doctor please', 2, /^doctor does not know what to do with "please"; it is written adjutant doctor/],
    ['worker --once now', 2, /^worker does not know what to do with "now"/],
    ['install claude cursor', 2, /^install does not know what to do with "cursor"/],
    ['runs list last', 2, 'runs list does not know what to do with "last"'],
    ['runs list --limit 1.5', 2, '--limit must be a whole number, not 1.5'],
    ['users show nobody', 1, 'User not found: nobody; adjutant users list shows the known ones'],
    ['events create nobody --title x --start 2030-01-01', 1, /^User not found: nobody; adjutant users list/],
    ['calendars sync none', 1, 'Calendar not found: none; adjutant calendars list shows the known ones'],
    ['users create', 2, '--name is required'],
    ['users create --name x --channel-pref pigeon', 2, /^--channel-pref must be one of "email", "call"/],
    ['users list --config nothing.toml', 2, /nothing\.toml: no such file$/],
    ['prompts list --config a-file/x', 2, /a-file\/x: /],
    ['serve --http --http-state-dir a-file/state', 1, /a-file\/state: a file is where a folder should be$/],
    ['prompts export commands a-file/out', 1, /a-file\/out: a file is where a folder should be$/],
  ])('answers %j with the thing and the way out', (line, code, message) => {
    const { stderr, ...ended } = adjutant(...line.split(' '));
    expect(ended).toEqual({ code, stdout: '' });
    const [, said] = /^adjutant: (.*)\n$/.exec(stderr) ?? [undefined, stderr];
    if (message instanceof RegExp) expect(said).toMatch(message);
    else expect(said).toBe(message);
  });

  it('helps with one command by either name of help', () => {
    const { code, stdout } = adjutant('help', 'users');
    expect([code, stdout]).toEqual([0, adjutant('users', '--help').stdout]);
  });

  it('helps with one word of a command by what that takes', () => {
    const { stdout } = adjutant('users', 'delete', '--help');
    expect(stdout).not.toContain('--email');
    expect(stdout).toContain('--json');
    expect(adjutant('users', 'create', '--help').stdout).toContain('--email');
    expect(adjutant('prompts', 'create', '--help').stdout).toMatch(/--tag .*--text /s);
    expect(adjutant('prompts', 'lint', '--help').stdout).not.toContain('--tag');
  });

  it('says so when its output is lost, and not when nobody reads on', () => {
    const full = spawnSync(process.execPath, [bundle, 'prompts', 'list', '--home', home], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      encoding: 'utf8',
    });
    expect(full.status).toBe(1);
    expect(full.stderr).toContain('adjutant: cannot write the output: ENOSPC');
    const line = `'${process.execPath}' '${bundle}' --help | head -1`;
    expect(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stderr).toBe('');
  });
});

it('tells every mistake, however many there are', async () => {
  const file = join(home, 'bad.jsonl');
  writeFileSync(file, '{"name":"bad","messages":7}\n'.repeat(5_000));
  const args = ['prompts', 'import', 'jsonl', file, '--home', home];
  // Through a pipe that is read while it is written, as a program would.
  const child = spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) told += chunk;
  expect(told.trim().split('\n')).toHaveLength(5_000);
});

const has = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

describe('completion', () => {
  /** What is offered for the last of the words. */
  const offered = (...words: readonly string[]) => {
    writeFileSync(join(home, 'complete.bash'), adjutant('completion', 'bash').stdout);
    const script = `set -u; source '${join(home, 'complete.bash')}'
      COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _adjutant; echo "\${COMPREPLY[*]-}"`;
    return execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], { encoding: 'utf8' }).trim();
  };

  it.skipIf(!has('bash'))('of bash knows commands, words, flags and their values', () => {
    expect(offered('adjutant', 'us')).toBe('users');
    expect(offered('adjutant', 'users', 'cr')).toBe('create');
    expect(offered('adjutant', 'users', 'list', 'cr')).toBe('');
    expect(offered('adjutant', 'demo', '')).toBe('load remove');
    expect(offered('adjutant', 'install', 'c')).toBe('codex claude cursor');
    expect(offered('adjutant', 'prompts', 'list', '--q')).toBe('--quiet');
    expect(offered('adjutant', 'serve', '--contract', 'j')).toBe('jsonl');
    expect(offered('adjutant', 'users', 'create', '--channel-pref', 'e')).toBe('email');
    expect(offered('adjutant', 'users', 'create', '--email', '')).toBe('');
    expect(offered('adjutant', 'nothing', 'x')).toBe('');
  });

  it.each([
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ])('of %s can be read by it', (shell, check) => {
    const file = join(home, `complete.${shell}`);
    const { stdout } = adjutant('completion', shell);
    writeFileSync(file, stdout);
    for (const word of ['acknowledge', 'load', 'jsonl', 'uninstall']) expect(stdout).toContain(word);
    if (has(shell)) execFileSync(shell, [...check, file]);
  });
});
