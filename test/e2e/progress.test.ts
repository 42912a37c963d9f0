import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds } from '../../src/delegate/record/run-record.ts';
import { eventually } from '../delegate/eventually.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { createWorkbench, type Workbench } from '../delegate/workbench.ts';
import { bundle } from '../program.ts';

// A terminal of its own for a program comes from util-linux.
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const written = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

/** The program on a terminal; its standard output goes elsewhere, so that what is seen is what it says beside it. */
function onTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const words = [process.execPath, bundle, ...args, '--home', bench.home];
  const child = spawn('script', ['-qec', `${written(words)} > '${join(bench.folder, 'out')}'`, '/dev/null'], {
    cwd: bench.project,
    env: { ...bench.env, SHELL: '/bin/sh', TERM: 'xterm', NO_COLOR: '1', ...env },
  });
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk;
  });
  const over = once(child, 'close').then(([code]) => ({ code: code as number, seen }));
  return { seen: () => seen, type: (keys: string) => child.stdin.write(keys), over };
}

/** What a person still sees when all is done. */
const left = (seen: string) =>
  seen.replaceAll(/\r\u001b\[K[^\r\n]*(?=\r\u001b\[K)/g, '').replaceAll('\r\u001b[K', '');

const delegate = (task: string, ...flags: readonly string[]) => [
  'delegate',
  task,
  '--delegate-command',
  scriptedAgent,
  ...flags,
];
const slow = steps({ command: 'npm test' }, { wait: 1_500 }, { answer: { summary: 'done' } });

describe.skipIf(!hasTerminal)('on a terminal', () => {
  it('long work shows its latest event on one line, which is gone at the end', async () => {
    const { code, seen } = await onTerminal(delegate(slow)).over;
    expect(code).toBe(0);
    expect(seen).toMatch(/\r\u001b\[K[-\\|/] \$ npm test/);
    expect(left(seen)).toBe('');
  });

  it.each([
    ['--quiet', ['--quiet'], {}],
    ['--json', ['--json'], {}],
    ['CI', [], { CI: '1' }],
  ])('nothing of it is seen with %s', async (_, flags, env) => {
    expect(await onTerminal(delegate(slow, ...flags), env).over).toEqual({ code: 0, seen: '' });
  });

  it.each([
    ['the run', []],
    ['all of an autopilot', ['--autopilot']],
  ])('Ctrl-C ends %s and its processes and leaves a clean line', async (_, flags) => {
    const task = `Refactor the parser, update the tests, rewrite the docs. ${steps({ command: 'sleep' }, { hang: true })}`;
    const program = onTerminal(delegate(task, ...flags));
    // Every agent is told a file of its run to write to.
    const agents = () =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split(join(bench.home, 'runs'));
    await eventually(() => {
      expect(program.seen()).toMatch(/\$ sleep|planning {2}\d/);
      expect(agents().length).toBeGreaterThan(1);
    });
    program.type('\u0003');
    const { code, seen } = await program.over;
    expect(code).toBe(130);
    expect(left(seen).replace('^C', '')).toBe('');
    expect(agents().length).toBe(1);
  });

  it('Ctrl-C while another program’s run is followed leaves that run alone', async () => {
    const working = onTerminal(delegate(steps({ command: 'sleep' }, { hang: true })));
    await eventually(() => expect(working.seen()).toContain('$ sleep'));
    const following = onTerminal(['runs', 'tail', 'last', '--follow']);
    await eventually(() => expect(following.seen()).toContain('running'));
    following.type('\u0003');
    const { code, seen } = await following.over;
    expect([code, left(seen).replace('^C', '').trim()]).toEqual([130, 'adjutant: interrupted']);
    const [id] = await listRunIds(join(bench.home, 'runs'));
    expect((await listRunProcesses(undefined, id!)).length).toBeGreaterThan(0);
    working.type('\u0003');
    expect((await working.over).code).toBe(130);
  });

  it('what a sub-agent says cannot steer it', async () => {
    const task = steps(
      { command: 'echo \u001b]0;title\u0007\u001b[2J' },
      { wait: 1_000 },
      { answer: { summary: 's' } },
    );
    const { code, seen } = await onTerminal(delegate(task, '--watch')).over;
    expect([code, seen]).toEqual([0, expect.stringContaining('$ echo \uFFFD]0;title\uFFFD\uFFFD[2J')]);
    expect(seen.replaceAll('\u001b[K', '')).not.toMatch(/[\u001b\u0007]/);
  });

  it('a move that has to wait says so, and Ctrl-C leaves nothing behind', async () => {
    const source = join(bench.home, 'adjutant.db');
    const target = join(bench.folder, 'copy.db');
    await onTerminal(['users', 'create', '--name', 'Ada']).over;
    using writer = new DatabaseSync(source);
    writer.exec('begin immediate');
    const moving = onTerminal(['migrate', '--to', target]);
    await eventually(() => expect(moving.seen()).toContain('waiting for '));
    moving.type('\u0003');
    const { code, seen } = await moving.over;
    expect([code, left(seen).replace('^C', '').trim()]).toEqual([130, 'adjutant: interrupted']);
    expect(existsSync(target)).toBe(false);
  });

  it('a large library is brought in behind a bar', async () => {
    const folder = join(bench.folder, 'library');
    mkdirSync(folder);
    for (let index = 0; index < 400; index++)
      writeFileSync(join(folder, `prompt_${index}.md`), `---\ndescription: d\n---\nNumber ${index}\n`);
    // It would be over before anybody wants to see a bar, so somebody else is at the file.
    mkdirSync(join(bench.home, 'prompts'), { recursive: true });
    const lock = new DatabaseSync(join(bench.home, 'prompts', '.lock'));
    lock.exec('begin exclusive');
    const importing = onTerminal(['prompts', 'import', 'commands', folder]);
    await eventually(() => expect(importing.seen()).toMatch(/[█░]+ +\d+% \d+ of 400 prompts imported/));
    lock.close();
    const { code, seen } = await importing.over;
    expect(code).toBe(0);
    expect(left(seen)).toBe('');
  });
});

it('without a terminal not one byte of it is printed', () => {
  const { status, stderr } = spawnSync(process.execPath, [bundle, ...delegate(slow), '--home', bench.home], {
    cwd: bench.project,
    env: { ...bench.env, TERM: 'xterm' },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});
