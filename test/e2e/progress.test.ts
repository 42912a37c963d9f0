import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds } from '../../src/delegate/run/run-record.ts';
import { eventually } from '../delegate/eventually.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { createWorkbench, type Workbench } from '../delegate/workbench.ts';
import { bundle } from '../program.ts';

// `script` of util-linux gives a program a terminal.
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

/** Runs the program on a terminal. Its standard output goes to a file, so the screen shows only stderr. */
function onTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const words = [process.execPath, bundle, ...args, '--home', bench.home];
  const child = spawn('script', ['-qec', `${quoted(words)} > '${join(bench.folder, 'out')}'`, '/dev/null'], {
    cwd: bench.project,
    env: { ...bench.env, SHELL: '/bin/sh', TERM: 'xterm', NO_COLOR: '1', ...env },
  });
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk;
  });
  const finished = once(child, 'close').then(([code]) => ({ code: code as number, screen }));
  return { screen: () => screen, type: (keys: string) => child.stdin.write(keys), finished };
}

/** What remains on the screen at the end. */
const remaining = (screen: string) =>
  screen.replaceAll(/\r\u001b\[K[^\r\n]*(?=\r\u001b\[K)/g, '').replaceAll('\r\u001b[K', '');

const delegate = (task: string, ...flags: readonly string[]) => [
  'delegate',
  task,
  '--delegate-command',
  scriptedAgent,
  ...flags,
];
const slow = steps({ command: 'npm test' }, { wait: 1_500 }, { answer: { summary: 'done' } });

describe.skipIf(!hasTerminal)('on a terminal', () => {
  it('long work shows its latest event on one line, which is erased at the end', async () => {
    const { code, screen } = await onTerminal(delegate(slow)).finished;
    expect(code).toBe(0);
    expect(screen).toMatch(/\r\u001b\[K[-\\|/] \$ npm test/);
    expect(remaining(screen)).toBe('');
  });

  it.each([
    ['--quiet', ['--quiet'], {}],
    ['--json', ['--json'], {}],
    ['CI', [], { CI: '1' }],
  ])('no progress is shown with %s', async (_, flags, env) => {
    expect(await onTerminal(delegate(slow, ...flags), env).finished).toEqual({ code: 0, screen: '' });
  });

  it.each([
    ['a run', []],
    ['an autopilot run', ['--autopilot']],
  ])('Ctrl-C cancels %s with its processes and erases the line', async (_, flags) => {
    const task = `Refactor the parser, update the tests, rewrite the docs. ${steps({ command: 'sleep' }, { hang: true })}`;
    const program = onTerminal(delegate(task, ...flags));
    // The command line of every agent contains a path in the runs folder.
    const agents = () =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split(join(bench.home, 'runs'));
    await eventually(() => {
      expect(program.screen()).toMatch(/\$ sleep|planning {2}\d/);
      expect(agents().length).toBeGreaterThan(1);
    });
    program.type('\u0003');
    const { code, screen } = await program.finished;
    expect(code).toBe(130);
    expect(remaining(screen).replace('^C', '')).toBe('');
    expect(agents().length).toBe(1);
  });

  it('Ctrl-C in runs tail --follow does not cancel the run', async () => {
    const working = onTerminal(delegate(steps({ command: 'sleep' }, { hang: true })));
    await eventually(() => expect(working.screen()).toContain('$ sleep'));
    const following = onTerminal(['runs', 'tail', 'last', '--follow']);
    await eventually(() => expect(following.screen()).toContain('running'));
    following.type('\u0003');
    const { code, screen } = await following.finished;
    expect([code, remaining(screen).replace('^C', '').trim()]).toEqual([130, 'adjutant: interrupted']);
    const [id] = await listRunIds(join(bench.home, 'runs'));
    expect((await listRunProcesses(undefined, id!)).length).toBeGreaterThan(0);
    working.type('\u0003');
    expect((await working.finished).code).toBe(130);
  });

  it('output of a sub-agent cannot control it', async () => {
    const task = steps(
      { command: 'echo \u001b]0;title\u0007\u001b[2J' },
      { wait: 1_000 },
      { answer: { summary: 's' } },
    );
    const { code, screen } = await onTerminal(delegate(task, '--watch')).finished;
    expect([code, screen]).toEqual([0, expect.stringContaining('$ echo \uFFFD]0;title\uFFFD\uFFFD[2J')]);
    expect(screen.replaceAll('\u001b[K', '')).not.toMatch(/[\u001b\u0007]/);
  });

  it('a migration of a database in use is refused and leaves no target', async () => {
    const source = join(bench.home, 'adjutant.db');
    const target = join(bench.folder, 'copy.db');
    await onTerminal(['users', 'create', '--name', 'Ada']).finished;
    using writer = new DatabaseSync(source);
    writer.exec('begin immediate');
    const { code, screen } = await onTerminal(['migrate', '--to', target]).finished;
    expect(code).toBe(1);
    expect(remaining(screen).replaceAll(/\s+/g, ' ')).toContain(
      'is in use; stop the servers, workers and clients',
    );
    expect(existsSync(target)).toBe(false);
  });

  it('the import of a large library shows a bar', async () => {
    const folder = join(bench.folder, 'library');
    mkdirSync(folder);
    for (let index = 0; index < 400; index++)
      writeFileSync(join(folder, `prompt_${index}.md`), `---\ndescription: d\n---\nNumber ${index}\n`);
    // The import is too fast to show a bar, so a lock delays it.
    mkdirSync(join(bench.home, 'prompts'), { recursive: true });
    const lock = new DatabaseSync(join(bench.home, 'prompts', '.lock'));
    lock.exec('begin exclusive');
    const importing = onTerminal(['prompts', 'import', 'commands', folder]);
    await eventually(() => expect(importing.screen()).toMatch(/[█░]+ +\d+% \d+ of 400 prompts imported/));
    lock.close();
    const { code, screen } = await importing.finished;
    expect(code).toBe(0);
    expect(remaining(screen)).toBe('');
  });
});

it('without a terminal no progress is printed', () => {
  const { status, stderr } = spawnSync(process.execPath, [bundle, ...delegate(slow), '--home', bench.home], {
    cwd: bench.project,
    env: { ...bench.env, TERM: 'xterm' },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});
