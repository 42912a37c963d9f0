import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/program.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { createWorkbench, type Workbench } from '../delegate/workbench.ts';
import { bundle } from '../program.ts';

let bench: Workbench;
beforeAll(() => {
  bench = createWorkbench();
  writeFileSync(
    join(bench.folder, 'diary.ics'),
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n',
  );
});
afterAll(() => bench[Symbol.asyncDispose]());

function adjutant(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args, '--home', bench.home], {
    cwd: bench.project,
    env: { ...bench.env, EDITOR: 'true' },
    encoding: 'utf8',
    input: '',
  });
  return { code: status, stdout, stderr };
}

interface Use {
  readonly args: string;
  /** What it prints is only that something was done. */
  readonly changes?: true;
  /** Its exit code, where that is an answer too. */
  readonly code?: number;
}

const asks = (args: string, code = 0): Use => ({ args, code });
const does = (args: string): Use => ({ args, changes: true });

/** Runs have names and times of their own. */
const steady = (ended: ReturnType<typeof adjutant>) => ({
  ...ended,
  stdout: ended.stdout.replaceAll(/[\da-f_-]{12,}|\d+ms/g, '…'),
});

/** Uses of every command that succeed when they come one after the other, and one that fails. */
const uses: Readonly<Record<string, { readonly good: readonly Use[]; readonly bad?: string }>> = {
  serve: { good: [] },
  users: {
    good: [
      does('users create --id ada --name Ada --email ada@example.org'),
      asks('users list'),
      asks('users show ada'),
      does('users update ada --locale en-GB'),
      does('users rule ada --rule-type travel_buffer --rule-json {"minutes":10}'),
      asks('users rules ada'),
    ],
    bad: 'users show nobody',
  },
  events: {
    good: [
      does('events create ada --id tea --title Tea --start 2090-01-01T10:00:00Z --end 2090-01-01T11:00:00Z'),
      asks('events list ada'),
      asks('events show tea'),
      does('events update tea --location here'),
    ],
    bad: 'events show nothing',
  },
  notifications: {
    good: [
      asks('notifications plan ada --dry-run'),
      asks('notifications list ada'),
      asks('notifications test ada'),
      asks('notifications test ada --delivery-smtp-url smtp://127.0.0.1:1', 1),
      asks('notifications audit ada'),
    ],
    bad: 'notifications cancel nothing',
  },
  worker: {
    good: [does('worker --once')],
    bad: 'worker --once --assistant-database-url postgres://x@127.0.0.1:1/x',
  },
  migrate: {
    good: [does('migrate --to copy.db'), does('migrate --to copy.db')],
    bad: 'migrate --to copy.db --assistant-database-url copy.db',
  },
  install: { good: [does('install cursor'), asks('install cursor --dry-run')], bad: 'install nothing' },
  uninstall: { good: [asks('uninstall cursor --dry-run'), does('uninstall cursor')], bad: 'uninstall' },
  demo: { good: [does('demo'), does('demo remove')], bad: 'demo repair' },
  doctor: { good: [] },
  prompts: {
    good: [
      does('prompts create letter --text hello_{{who}} --description letters'),
      asks('prompts list'),
      asks('prompts show letter'),
      asks('prompts render letter who=you'),
      asks('prompts search letters'),
      asks('prompts search nothing_of_the_kind', 1),
      does('prompts edit letter'),
      asks('prompts history letter'),
      asks('prompts lint'),
      asks('prompts export commands out --dry-run'),
      does('prompts export commands out letter'),
      asks('prompts import commands out --prefix new --dry-run'),
      does('prompts import commands out --prefix new'),
      does('prompts delete letter new_letter'),
      does('prompts restore letter@1'),
    ],
    bad: 'prompts show nothing',
  },
  delegate: {
    good: [
      asks(`delegate ${steps({ answer: { summary: 'done' } })} --delegate-command ${scriptedAgent}`),
      asks(`delegate ${steps({ fail: 'no luck' })} --delegate-command ${scriptedAgent}`, 1),
    ],
    bad: 'delegate something --sandbox none',
  },
  runs: {
    good: [
      asks('runs list'),
      asks('runs show last'),
      asks('runs tail last'),
      asks('runs cancel last'),
      asks('runs clean --older-than-days 0'),
    ],
    bad: 'runs show nothing',
  },
  calendars: {
    good: [asks('calendars import ../diary.ics --user ada'), asks('calendars list'), asks('calendars sync')],
    bad: 'calendars import ../nothing.ics --user ada',
  },
  completion: {
    good: [asks('completion bash'), asks('completion zsh'), asks('completion fish')],
    bad: 'completion sh',
  },
};

it('every command is looked at here', () => {
  expect(Object.keys(uses).sort()).toEqual(Object.keys(commands).sort());
});

describe.each(Object.entries(uses))('adjutant %s', (name, { good, bad }) => {
  it('knows --json and --quiet', () => {
    expect(adjutant(name, '--help').stdout).toMatch(/--json .*--quiet /s);
  });

  it.each([
    ['an unknown flag', `${name} --nonsense`],
    ...(bad === undefined ? [] : [['what it cannot do', bad]]),
  ])('says on stdout what is wrong with %s, once, as JSON', (_, line) => {
    const { code, stdout, stderr } = adjutant(...line!.split(' '), '--json');
    const { error } = JSON.parse(stdout);
    expect(error).toEqual({
      kind: code === 2 ? 'usage' : 'failed',
      message: expect.stringMatching(/^(?!Error|.*\bat \S+:\d+:\d+).+/),
    });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toBe('');
    expect(adjutant(...line!.split(' '), '--quiet')).toMatchObject({
      code,
      stdout: '',
      stderr: `adjutant: ${error.message}\n`,
    });
  });

  it.skipIf(good.length === 0)('answers with one JSON document, and is quiet when told to', () => {
    // The JSON first: a change can be made once only.
    for (const { args, code = 0, changes } of good) {
      const words = args.split(' ');
      const answered = adjutant(...words, '--json');
      expect([args, answered.code, answered.stderr]).toEqual([args, code, '']);
      expect(JSON.parse(answered.stdout), args).toEqual(expect.any(Object));
      if (changes) continue;
      const [loud, quiet] = [adjutant(...words), adjutant(...words, '--quiet')];
      expect([args, steady(quiet)]).toEqual([args, steady({ ...loud, stderr: '' })]);
      expect(quiet.stdout === '' ? args : '').toMatch(/^(prompts lint)?$/);
    }
  });
});

it.each([
  'users update ada --locale en-US',
  'prompts create quiet --text q --description q',
  'prompts edit quiet',
  'prompts delete quiet',
  'demo',
  'demo remove',
  'install cursor',
  'uninstall cursor',
  'worker --once',
  'migrate --to another.db',
  'prompts export commands elsewhere',
])('%s --quiet prints nothing at all', (line) => {
  expect(adjutant(...line.split(' '), '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('doctor answers with one JSON document, and quietly with what is not as it should be', () => {
  const { stdout, stderr } = adjutant('doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { title: string; state: string }[] };
  expect([findings.length > 0, stderr]).toEqual([true, '']);
  expect(adjutant('doctor', '--quiet').stdout).not.toContain('✓');
});

it('migrate tells programs what it moved where, table by table', () => {
  const { stdout } = adjutant('migrate', '--to', 'told.db', '--json');
  const moved = JSON.parse(stdout);
  expect(moved).toMatchObject({ from: join(bench.home, 'adjutant.db'), already: false, prompts: 0 });
  expect(moved.place).toMatch(/told\.db$/);
  expect(moved.tables).toContainEqual({
    table: 'users',
    rows: expect.any(Number),
    hash: expect.stringMatching(/^[\da-f]{64}$/),
  });
});

it('serve --http --json tells programs where it is, in one document', async () => {
  const child = spawn(
    process.execPath,
    [bundle, 'serve', '--http', '--port', '0', '--json', '--home', bench.home],
    {
      env: bench.env,
    },
  );
  const told: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => told.push(line));
  await once(lines, 'line');
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  expect(JSON.parse(told.join('\n'))).toEqual({
    page: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=/),
    mcp: expect.stringMatching(/\/mcp$/),
    token: expect.any(String),
  });
});

it('runs tail --follow --json prints a document a line', () => {
  adjutant('delegate', steps({ answer: { summary: 'done' } }), '--delegate-command', scriptedAgent);
  const { stdout } = adjutant('runs', 'tail', 'last', '--follow', '--json');
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('events');
});
