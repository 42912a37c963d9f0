import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandHelp } from '../../src/cli/help.ts';
import { commands } from '../../src/cli/program.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { createWorkbench, type Workbench } from '../delegate/workbench.ts';
import { bundle } from '../program.ts';

let bench: Workbench;
beforeAll(() => {
  bench = createWorkbench();
  writeFileSync(
    join(bench.folder, 'work.ics'),
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
  /** The output only confirms a change. */
  readonly changes?: true;
  /** The expected exit code, if it is not 0. */
  readonly code?: number;
}

const query = (args: string, code = 0): Use => ({ args, code });
const change = (args: string): Use => ({ args, changes: true });

/** Replaces run ids and durations, which differ each time. */
const normalize = (ended: ReturnType<typeof adjutant>) => ({
  ...ended,
  stdout: ended.stdout.replaceAll(/[\da-f_-]{12,}|\d+ms/g, '…'),
});

/** For every command: uses that succeed in this order, and one that fails. */
const uses: Readonly<Record<string, { readonly good: readonly Use[]; readonly bad?: string }>> = {
  serve: { good: [] },
  open: { good: [], bad: 'open --print' },
  service: { good: [query('service install server --dry-run')], bad: 'service start' },
  users: {
    good: [
      change('users create --id ada --name Ada --email ada@example.org'),
      query('users list'),
      query('users show ada'),
      change('users update ada --locale en-GB'),
      change('users rule ada --rule-type travel_buffer --rule-json {"minutes":10}'),
      query('users rules ada'),
    ],
    bad: 'users show nobody',
  },
  events: {
    good: [
      change(
        'events create ada --id tea --title Tea --start 2090-01-01T10:00:00Z --end 2090-01-01T11:00:00Z',
      ),
      query('events list ada'),
      query('events show tea'),
      change('events update tea --location here'),
    ],
    bad: 'events show nothing',
  },
  notifications: {
    good: [
      query('notifications plan ada --dry-run'),
      query('notifications list ada'),
      query('notifications test ada'),
      query('notifications test ada --delivery-smtp-url smtp://127.0.0.1:1', 1),
      query('notifications explain ada'),
    ],
    bad: 'notifications cancel nothing',
  },
  worker: {
    good: [change('worker --once')],
    bad: 'worker --once --assistant-database-url postgres://x@127.0.0.1:1/x',
  },
  send: { good: [change('send ada hello')], bad: 'send nobody hello' },
  remind: { good: [change('remind stretch in 10 minutes --for ada')], bad: 'remind stretch' },
  today: { good: [query('today ada')], bad: 'today nobody' },
  migrate: {
    good: [change('migrate --to copy.db'), change('migrate --to copy.db')],
    bad: 'migrate --to copy.db --assistant-database-url copy.db',
  },
  install: {
    good: [query('install'), change('install cursor'), query('install cursor --dry-run')],
    bad: 'install nothing',
  },
  uninstall: { good: [query('uninstall cursor --dry-run'), change('uninstall cursor')], bad: 'uninstall' },
  demo: { good: [change('demo'), change('demo remove')], bad: 'demo repair' },
  doctor: { good: [] },
  status: { good: [query('status')], bad: 'status now' },
  version: { good: [query('version')], bad: 'version now' },
  agents: { good: [query('agents')], bad: 'agents now' },
  logs: { good: [], bad: 'logs nothing' },
  config: {
    good: [
      change('config set http.port 8123'),
      query('config get http.port'),
      query('config list'),
      query('config list mail'),
      change('config unset http.port'),
    ],
    bad: 'config set http.port none',
  },
  tools: {
    good: [
      query('tools list'),
      query('tools list calendar'),
      query('tools show list_runs'),
      query('tools call list_runs limit=1'),
    ],
    bad: 'tools call nothing',
  },
  prompts: {
    good: [
      change('prompts create letter --text hello_{{who}} --description letters'),
      query('prompts list'),
      query('prompts show letter'),
      query('prompts render letter who=you'),
      query('prompts search letters'),
      query('prompts search nothing_of_the_kind', 1),
      change('prompts edit letter'),
      query('prompts history letter'),
      query('prompts lint'),
      query('prompts export commands out --dry-run'),
      change('prompts export commands out letter'),
      query('prompts import commands out --prefix new --dry-run'),
      change('prompts import commands out --prefix new'),
      change('prompts delete letter new_letter --yes'),
      change('prompts restore letter@1'),
    ],
    bad: 'prompts show nothing',
  },
  delegate: {
    good: [
      query(`delegate ${steps({ answer: { summary: 'done' } })} --delegate-command ${scriptedAgent}`),
      query(`delegate ${steps({ fail: 'no luck' })} --delegate-command ${scriptedAgent}`, 1),
    ],
    bad: 'delegate something --sandbox none',
  },
  runs: {
    good: [
      query('runs list'),
      query('runs show last'),
      query('runs tail last'),
      query('runs cancel last'),
      query('runs clean --older-than-days 0'),
    ],
    bad: 'runs show nothing',
  },
  calendars: {
    good: [
      query('calendars import ../work.ics --user ada'),
      query('calendars list'),
      query('calendars sync'),
    ],
    bad: 'calendars import ../nothing.ics --user ada',
  },
  tokens: {
    good: [
      change('tokens create phone --scope calendar:ada'),
      query('tokens list'),
      change('tokens revoke phone'),
    ],
    bad: 'tokens create phone --scope calendars',
  },
  inbox: {
    good: [query('inbox'), query('inbox list --kind task'), change('inbox dismiss --kind task')],
    bad: 'inbox dismiss',
  },
  routines: {
    good: [
      change('routines create brief --task hello --when RRULE:FREQ=DAILY;BYHOUR=7;BYMINUTE=0'),
      query('routines list'),
      query('routines show brief'),
      query('routines run brief --dry-run'),
      change('routines pause brief'),
      change('routines resume brief'),
      change('routines delete brief'),
    ],
    bad: 'routines show nothing',
  },
  backup: { good: [change('backup one.backup')], bad: 'backup other.backup --keep 2' },
  restore: { good: [change('restore one.backup --replace')], bad: 'restore nothing.backup' },
  audit: { good: [query('audit'), query('audit verify')], bad: 'audit --limit none' },
  completion: {
    good: [query('completion bash'), query('completion zsh'), query('completion fish')],
    bad: 'completion sh',
  },
};

it('every command is tested here', () => {
  expect(Object.keys(uses).sort()).toEqual(Object.keys(commands).sort());
});

describe.each(Object.entries(uses))('adjutant %s', (name, { good, bad }) => {
  it('has the flags --json and --quiet', async () => {
    const command = await commands[name]!();
    expect(commandHelp(command, Object.keys(command.actions)[0], 80)).toMatch(/--json .*--quiet /s);
  });

  // All commands parse their flags in the same place.
  it.each([bad === undefined ? ['an unknown flag', `${name} --nonsense`] : ['a failing call', bad]])(
    'prints one JSON error to stdout for %s',
    (_, line) => {
      const { code, stdout, stderr } = adjutant(...line!.split(' '), '--json');
      const { error } = JSON.parse(stdout);
      expect(error).toEqual({
        kind: code === 2 ? 'usage' : 'failed',
        message: expect.stringMatching(/^(?!Error|.*\bat \S+:\d+:\d+).+/),
      });
      expect(code).toBeGreaterThan(0);
      expect(stderr).toBe('');
      const quiet = adjutant(...line!.split(' '), '--quiet');
      // For people, what to do is on lines of its own.
      const onOneLine = (text: string) => text.replaceAll('\n  ', ' ');
      expect({ ...quiet, stderr: onOneLine(quiet.stderr) }).toMatchObject({
        code,
        stdout: '',
        stderr: `adjutant: ${onOneLine(error.message)}\n`,
      });
    },
  );

  it.skipIf(good.length === 0)(
    'prints one JSON document with --json, and only results with --quiet',
    () => {
      // A change works only once, so it is made with --json only.
      for (const { args, code = 0, changes } of good) {
        const words = args.split(' ');
        const answered = adjutant(...words, '--json');
        expect([args, answered.code, answered.stderr]).toEqual([args, code, '']);
        expect(JSON.parse(answered.stdout), args).toEqual(expect.any(Object));
        if (changes) continue;
        const [normal, quiet] = [adjutant(...words), adjutant(...words, '--quiet')];
        expect([args, normalize(quiet)]).toEqual([args, normalize({ ...normal, stderr: '' })]);
        expect(quiet.stdout === '' ? args : '').toMatch(/^(prompts lint)?$/);
      }
    },
    120_000,
  );
});

it('routines delete › asks if the routine has a history', () => {
  const create = ['routines', 'create', 'asked', '--task', 'x', '--when', 'every day at 07:00'];
  const [remove, listed] = [['routines', 'delete', 'asked'], () => adjutant('routines', 'list').stdout];
  expect([adjutant(...create).code, adjutant(...remove).code]).toEqual([0, 0]);
  adjutant(...create);
  adjutant('routines', 'run', 'asked', '--delegate-command', scriptedAgent);
  const { code, stderr } = adjutant(...remove);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('has a history of 1 firing. Delete all of it?'),
  ]);
  expect(stderr).toContain('Nothing was deleted. Repeat the command with --yes.');
  expect(listed()).toContain('asked');
  expect(adjutant(...remove, '--yes').code).toBe(0);
  expect(listed()).not.toContain('asked');
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
])('%s --quiet prints nothing', (line) => {
  expect(adjutant(...line.split(' '), '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('doctor prints one JSON document with --json, and only problems with --quiet', () => {
  const { stdout, stderr } = adjutant('doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { title: string; state: string }[] };
  expect([findings.length > 0, stderr]).toEqual([true, '']);
  expect(adjutant('doctor', '--quiet').stdout).not.toContain('✓');
});

it('migrate --json reports the copied rows of each table', () => {
  const { stdout } = adjutant('migrate', '--to', 'target.db', '--json');
  const moved = JSON.parse(stdout);
  expect(moved).toMatchObject({ from: join(bench.home, 'adjutant.db'), already: false, prompts: 0 });
  expect(moved.place).toMatch(/target\.db$/);
  expect(moved.tables).toContainEqual({
    table: 'users',
    rows: expect.any(Number),
    hash: expect.stringMatching(/^[\da-f]{64}$/),
  });
});

it('serve --http --json prints its addresses as one document', async () => {
  const child = spawn(
    process.execPath,
    [bundle, 'serve', '--http', '--port', '0', '--json', '--home', bench.home],
    {
      env: bench.env,
    },
  );
  const printed: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => printed.push(line));
  await once(lines, 'line');
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  expect(JSON.parse(printed.join('\n'))).toEqual({
    page: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
    mcp: expect.stringMatching(/\/mcp$/),
    token_file: join(bench.home, 'token'),
  });
});

it('runs tail --follow --json prints one document per line', () => {
  adjutant('delegate', steps({ answer: { summary: 'done' } }), '--delegate-command', scriptedAgent);
  const { stdout } = adjutant('runs', 'tail', 'last', '--follow', '--json');
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('events');
});
