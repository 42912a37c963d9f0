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
    ['prompst list', 2, 'there is no command "prompst"\n  Did you mean: adjutant prompts list'],
    ['-q', 2, 'write -q after a command; adjutant --help lists the commands'],
    ['help nothing', 2, 'there is no command "nothing"\n  adjutant --help lists what there is.'],
    [
      'users --wrong',
      2,
      'unknown flag --wrong; adjutant users --help lists the flags\n  Usage: adjutant users list',
    ],
    ['users -j', 2, 'unknown flag -j; did you mean --json?'],
    ['events create --title x --when tomorrow', 2, 'unknown flag --when; did you mean --start?'],
    [
      'events add Dentist tomorrow 9am',
      2,
      'events create does not take "tomorrow"\n  Did you mean: adjutant events create --title Dentist --start "tomorrow 9am"',
    ],
    ['remind stretch --at 17:00', 2, 'unknown flag --at\n  Did you mean: adjutant remind stretch at 17:00'],
    [
      'todo add milk',
      2,
      /\n {2}Did you mean: adjutant events create --title milk --start tomorrow --task open\n/,
    ],
    ['users --database-url x', 2, 'unknown flag --database-url; did you mean --assistant-database-url?'],
    ['users --home', 2, '--home needs a value'],
    ['runs list -n -3', 2, '-n needs a value'],
    ['runs list --limit -3', 2, '--limit needs a value; write a value that begins with a dash as --limit=-…'],
    ['users --json=yes', 2, '--json takes no value'],
    ['doctor please', 2, 'doctor does not take "please"\n  Usage: adjutant doctor'],
    ['worker --once now', 2, /^worker does not take "now"/],
    ['install claude cursor', 2, /^install does not take "cursor"/],
    ['runs list last', 2, 'runs list does not take "last"\n  Usage: adjutant runs list'],
    ['runs list --limit 1.5', 2, '--limit must be a whole number, not "1.5"'],
    [
      'users show nobody',
      1,
      'User not found: nobody is called "nobody".\n  "adjutant users list" shows who is known.',
    ],
    [
      'events create nobody --title x --start 2030-01-01',
      1,
      /^User not found: nobody is called "nobody"\.\n {2}"adjutant users list" shows/,
    ],
    ['calendars sync none', 1, 'Calendar not found: none; adjutant calendars list shows the existing ones'],
    ['prompts show nope', 1, 'Prompt not found: nope\n  "adjutant prompts list" shows all prompts.'],
    ['config get nope', 2, /^there is no setting "nope"(?!.*Did you mean)/s],
    ['config set http.port abc', 2, 'config set: http.port must be a whole number, not "abc"'],
    ['tools call nope', 2, 'there is no tool "nope"\n  adjutant tools list lists what there is.'],
    ['tools call remid', 2, 'there is no tool "remid"\n  Did you mean: adjutant tools show remind'],
    ['tools call remind {bad', 2, '{bad is not a JSON object, such as {"limit": 3}'],
    ['tokens create x --scope bad', 2, /^unknown scope "bad"; known are read, /],
    ['restore nope', 1, /nope is not a usable backup: there is no such file$/],
    [
      'worker --foo',
      2,
      'unknown flag --foo; adjutant worker --help lists the flags\n  Usage: adjutant worker',
    ],
    ['runs show nope', 1, 'There is no run nope.\n  "adjutant runs list" shows all runs.'],
    [
      'runs tail last --limit 5000',
      2,
      'there are no runs yet\n  Start one: adjutant delegate "explain this project"',
    ],
    ['runs tail nope --limit 5000', 2, '--limit must be <= 1000'],
    ['runs fork nope task --turn first', 2, '--turn must be a whole number, not "first"'],
    ['runs apply nope', 1, 'There is no run nope.\n  "adjutant runs list" shows all runs.'],
    ['users create', 2, '--name is required\n  Example: adjutant users create Ada --email ada@example.org'],
    ['list prompts', 2, 'there is no command "list"\n  Did you mean: adjutant prompts list'],
    ['delete event lunch', 2, 'there is no command "delete"\n  Did you mean: adjutant events delete lunch'],
    ['prompts code_review', 2, /\n {2}If it is a name: adjutant prompts show code_review$/],
    [
      'events create --title x --start someday',
      2,
      /^"someday" is not a time that is understood\.\n {2}Write, for example, "tomorrow 18:00".*\n {2}Now it is /,
    ],
    [
      'remind stretch tomorrow',
      2,
      /^"tomorrow" says no time of day\.\n {2}Say, for example, "tomorrow 09:00"/,
    ],
    ['remind stretch yesterday 10:00', 2, /^"yesterday 10:00" is past/],
    ['remind stretch next friday at 3', 2, /can be 03:00 or 15:00|can be \d{4}-/],
    ['remind stretch a week from friday 10:00', 2, /^"a week from friday 10:00" is not a time/],
    ['remind me friday week at 10:00 call ben', 2, /is not a time that is understood/],
    [
      'remind me tomorrow at 9:00 call ben at 10:00',
      2,
      /^both "tomorrow at 9:00" and "at 10:00" can be the time; write the text in quotes\n/,
    ],
    ['remind me tomorrow call ben at 10:00', 2, /^both "tomorrow" and "at 10:00" can be the time/],
    ['send hello --to ada', 2, 'unknown flag --to\n  Did you mean: adjutant send ada hello'],
    ['remind me to call ben friday week at 10:00', 2, /is not a time that is understood/],
    ['remind stretch every day at 7:00 and 19:00', 2, /is not a recurrence/],
    [
      'prompts remove hello',
      2,
      'there is no "prompts remove"\n  Did you mean: adjutant prompts delete hello',
    ],
    ['delegate list', 2, /^"list" looks like a command, not a task\n {2}Did you mean: adjutant runs list\n/],
    ['users delete nobody', 1, /^User not found: nobody is called "nobody"\./],
    ['users list --set http.prot=1', 2, 'unknown setting "http.prot"; did you mean http.port?'],
    ['users list --set http.port', 2, '--set takes KEY=VALUE, not "http.port"'],
    ['users create --name x --channel-pref pigeon', 2, /^--channel-pref must be one of "email", "call"/],
    ['users list --config nothing.toml', 2, /nothing\.toml: no such file$/],
    ['prompts list --config a-file/x', 2, /a-file\/x: /],
    [
      'serve --http --http-state-dir a-file/state',
      1,
      /a-file\/state: a part of the path is a file, not a folder$/,
    ],
    [
      'prompts export commands a-file/out',
      1,
      /a-file\/out\/code_review\.md: a part of the path is a file, not a folder$/,
    ],
  ])('answers %j with what is wrong and what to do', (line, code, message) => {
    const { stderr, ...ended } = adjutant(...line.split(' '));
    expect(ended).toEqual({ code, stdout: '' });
    const [, printed] = /^adjutant: (.*)\n$/s.exec(stderr) ?? [undefined, stderr];
    if (message instanceof RegExp) expect(printed).toMatch(message);
    else expect(printed).toBe(message);
  });

  it.each([
    ['serve --contract jsonl --log x.log', '--log'],
    ['serve --contract assistant --transport stdio', '--transport'],
  ])(
    'serves with a flag of the server that it replaces, and says that it has no effect: %s',
    (line, flag) => {
      const { code, stderr } = adjutant(...line.split(' '));
      expect([code, stderr]).toEqual([0, expect.stringContaining(`flag ${flag}: `)]);
      expect(adjutant('serve', '--contract', 'jsonl', '--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
  );

  it('prints the same help for "help users" and "users --help"', () => {
    const { code, stdout } = adjutant('help', 'users');
    expect([code, stdout]).toEqual([0, adjutant('users', '--help').stdout]);
  });

  it('lists only the flags of the given subcommand', () => {
    const { stdout } = adjutant('users', 'delete', '--help');
    expect(stdout).not.toContain('--email');
    expect(stdout).toContain('--json');
    expect(adjutant('users', 'create', '--help').stdout).toContain('--email');
    expect(adjutant('prompts', 'create', '--help').stdout).toMatch(/--tag .*--text /s);
    expect(adjutant('prompts', 'lint', '--help').stdout).not.toContain('--tag');
  });

  it('reports an output error, but not a closed pipe', () => {
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

it('prints every problem, even if there are thousands', async () => {
  const file = join(home, 'bad.jsonl');
  writeFileSync(file, '{"name":"bad","messages":7}\n'.repeat(5_000));
  const args = ['prompts', 'import', 'jsonl', file, '--home', home];
  // Read stderr through a pipe while it is written, as another program would.
  const child = spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) printed += chunk;
  expect(printed.trim().split('\n')).toHaveLength(5_000);
});

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

describe('completion', () => {
  /** The completions of the last word. */
  const completions = (...words: readonly string[]) => {
    writeFileSync(join(home, 'complete.bash'), adjutant('completion', 'bash').stdout);
    const script = `set -u; source '${join(home, 'complete.bash')}'
      adjutant() { '${process.execPath}' '${bundle}' "$@"; }
      COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _adjutant; echo "\${COMPREPLY[*]-}"`;
    return execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], {
      encoding: 'utf8',
      env: { HOME: home, PATH: process.env['PATH'] },
    })
      .trim()
      .replaceAll('\n', ' ');
  };

  it.skipIf(!isInstalled('bash'))('for bash offers commands, subcommands, flags and their values', () => {
    expect(completions('adjutant', 'us')).toBe('users');
    expect(completions('adjutant', 'users', 'cr')).toBe('create');
    expect(completions('adjutant', 'users', 'list', 'cr')).toBe('');
    expect(completions('adjutant', 'prompts', 'show', 'code_r')).toBe('code_review');
    expect(completions('adjutant', 'config', 'get', 'http.po')).toBe('http.port');
    expect(completions('adjutant', 'demo', '')).toBe('load remove');
    expect(completions('adjutant', 'install', 'c')).toBe('codex claude claude-desktop cursor copilot cline');
    expect(completions('adjutant', 'prompts', 'list', '--q')).toBe('--quiet');
    expect(completions('adjutant', 'serve', '--contract', 'j')).toBe('jsonl');
    expect(completions('adjutant', 'users', 'create', '--channel-pref', 'e')).toBe('email');
    expect(completions('adjutant', 'users', 'create', '--email', '')).toBe('');
    expect(completions('adjutant', 'nothing', 'x')).toBe('');
  });

  it('offers names of prompts, people, runs, agents, routines and tokens where the help names one', () => {
    for (const line of ['demo load', 'users create Ada --id ada', 'tokens create phone --scope read'])
      expect([line, adjutant(...line.split(' ')).code]).toEqual([line, 0]);
    const routine = ['--task', 'Look', '--when', 'every weekday at 07:00', '--cwd', home];
    expect(adjutant('routines', 'create', 'brief', ...routine).code).toBe(0);
    const offered = (...words: readonly string[]) => {
      const { code, stdout } = adjutant('completion', '--words', '--', ...words);
      expect(code).toBe(0);
      return stdout.trim().split('\n');
    };
    expect(offered('prompts', 'show', '')).toContain('code_review');
    expect(offered('users', 'show', '')).toContain('ada');
    const runs = JSON.parse(adjutant('runs', 'list', '--json').stdout).runs as { run_id: string }[];
    expect(runs.length).toBeGreaterThan(0);
    expect(offered('runs', 'show', '')).toEqual(['last', ...runs.map(({ run_id }) => run_id)]);
    const agents = ['codex', 'claude', 'gemini', 'qwen', 'opencode'];
    expect(offered('delegate', 'task', '--agent', '').toSorted()).toEqual(agents.toSorted());
    for (const action of ['show', 'run', 'pause', 'delete'])
      expect(offered('routines', action, '')).toEqual(['brief']);
    expect(offered('tokens', 'revoke', '')).toEqual(['phone']);
    for (const command of ['users', 'tokens', 'routines'])
      expect(offered(command, 'create', '')).toEqual(['']);
  });

  it.each([
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ])('for %s is a valid script', (shell, check) => {
    const file = join(home, `complete.${shell}`);
    const { stdout } = adjutant('completion', shell);
    writeFileSync(file, stdout);
    expect(stdout).toContain('completion --words');
    if (isInstalled(shell)) execFileSync(shell, [...check, file]);
  });
});
