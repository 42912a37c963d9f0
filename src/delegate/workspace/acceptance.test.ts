import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CheckOptions, isAllowed, parseCommand, runChecks } from './acceptance.ts';

let folder: string;
let options: CheckOptions;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-checks-'));
  options = {
    cwd: folder,
    sandbox: 'danger-full-access',
    env: { PATH: process.env['PATH'] },
    hiddenVariables: ['MY_API_KEY'],
    allowed: ['node -e', 'no-such-program'],
    confine: async () => undefined,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('parseCommand', () => {
  it.each([
    'a; b',
    'a && b',
    'a | b',
    'a > b',
    'a $(b)',
    'a `b`',
    'a "$HOME"',
    'a *',
    'a\\ b',
    'X=1 a',
    '-rf',
    '',
    '"unclosed',
    'a"b"',
    'a & ',
    '~/a',
  ])('rejects %j, which is not a plain command', (line) => {
    expect(parseCommand(line)).toBeUndefined();
  });

  it('splits a command into words and respects quotes', () => {
    expect(parseCommand(` npm test -- -t 'a b' "c d" --x=1 `)).toEqual([
      'npm',
      'test',
      '--',
      '-t',
      'a b',
      'c d',
      '--x=1',
    ]);
  });

  it('returns the words of any command unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9./:-]+$/), { minLength: 1 }), (words) => {
        fc.pre(!words[0]!.startsWith('-'));
        expect(parseCommand(words.join(' '))).toEqual(words);
      }),
    );
  });
});

describe('isAllowed', () => {
  it('compares whole words, starting with the first', () => {
    expect(isAllowed(['npm', 'test', '--', 'x'], ['npm test'])).toBe(true);
    expect(isAllowed(['npm', 'testing'], ['npm test'])).toBe(false);
    expect(isAllowed(['npm'], ['npm test'])).toBe(false);
    expect(isAllowed(['sudo', 'npm', 'test'], ['npm test'])).toBe(false);
    expect(isAllowed(['rm'], ['', ' '])).toBe(false);
  });
});

const notFound = /^no-such-program could not be started: it is not on the PATH, .* \((ENOENT|EACCES)\)/;

describe('runChecks', () => {
  it('reports a missing program even if a folder on the PATH is not readable', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o000 });
    const env = { PATH: [closed, process.env['PATH']].join(delimiter) };
    const [result] = await runChecks(['no-such-program'], { ...options, env });
    chmodSync(closed, 0o700);
    expect(result).toMatchObject({ status: 'failed', output: expect.stringMatching(notFound) });
  });

  it('refuses commands that are not allowed, need a shell, or cannot run in a sandbox', async () => {
    const commands = ['rm -rf x', 'node -e 1; rm x'];
    const refused = await runChecks(commands, options);
    expect(refused.map(({ status, output }) => [status, output])).toEqual([
      ['refused', 'Not run: the command does not start with an entry of autopilot.checks.'],
      ['refused', 'Not run: the check is not a single plain command. Shell syntax is not supported.'],
    ]);
    const [unconfined] = await runChecks(['node -e 1'], { ...options, sandbox: 'workspace-write' });
    expect(unconfined).toMatchObject({
      status: 'refused',
      output: 'Not run: the agent has no sandbox in which to run the command.',
    });
  });

  it('reports the exit code and the end of the output', async () => {
    const results = await runChecks(
      [
        `node -e 'console.log("fine")'`,
        `node -e 'console.error("bad"); process.exitCode = 3'`,
        'no-such-program',
      ],
      options,
    );
    expect(results).toMatchObject([
      { status: 'passed', exit_code: 0, output: 'fine' },
      { status: 'failed', exit_code: 3, output: 'bad' },
      { status: 'failed', exit_code: null, output: expect.stringMatching(notFound) },
    ]);
  });

  it('does not pass hidden variables to the check', async () => {
    const [result] = await runChecks([`node -e 'console.log(process.env.MY_API_KEY, process.env.PLAIN)'`], {
      ...options,
      env: { ...options.env, MY_API_KEY: 'hidden', PLAIN: 'shown' },
    });
    expect(result!.output).toBe('undefined shown');
  });

  it('runs the command through the sandbox program', async () => {
    const [result] = await runChecks([`node -e 'console.log("inside")'`], {
      ...options,
      sandbox: 'workspace-write',
      confine: async () => ({ command: 'env', args: ['BOX=1'], env: {} }),
    });
    expect(result).toMatchObject({ status: 'passed', output: 'inside' });
  });

  it('kills a check that times out, with its child processes', async () => {
    const code = `require("child_process").spawn("sleep", ["1000"], {stdio: "inherit"}).on("spawn", function () { require("fs").writeFileSync("pid", String(this.pid)) })`;
    const [result] = await runChecks([`node -e '${code}'`], { ...options, timeoutMs: 1_500 });
    expect(result).toMatchObject({ status: 'timed-out' });
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', readFileSync(join(folder, 'pid'), 'utf8')]);
    // The process is gone, or a zombie that has not been reaped yet.
    expect(stdout.toString().trim()).not.toMatch(/^[RSD]/);
  });

  it('stops when the run is cancelled', async () => {
    const abort = new AbortController();
    const all = runChecks([`node -e 'setInterval(function(){}, 1000)'`, 'node -e 1'], {
      ...options,
      signal: abort.signal,
    });
    abort.abort();
    expect((await all).map(({ status }) => status)).not.toContain('passed');
  });
});
