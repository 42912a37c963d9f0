import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { describeAgent, describeUnit } from '../../src/cli/background/service-manager.ts';
import { bundle } from '../program.ts';

const root = mkdtempSync(join(tmpdir(), 'adjutant-service-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const succeeds = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0;

/** Characters that systemd, XML or a shell would interpret. */
const awkward = `a "quoted" folder, 100% $HOME \\ <&>'s`;
const program = {
  description: 'Adjutant: 100%',
  command: [process.execPath, join(root, awkward, 'adjutant'), 'serve', `--home=${join(root, awkward)}`],
  env: { PATH: `/usr/bin:${join(root, awkward)}` },
  folder: root,
};

describe.runIf(succeeds('systemd-analyze', '--version'))('a unit of systemd', () => {
  it('is accepted, whatever the paths contain', () => {
    const unit = join(root, 'adjutant.service');
    writeFileSync(unit, describeUnit(program));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', unit], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: root },
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('would be rejected with an error in it', () => {
    const unit = join(root, 'wrong.service');
    writeFileSync(unit, describeUnit(program).replace('Type=exec', 'Tpye=exec'));
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--user', unit], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: root },
    });
    expect(stderr).toContain('Tpye');
  });
});

it.runIf(succeeds('python3', '--version'))('an agent of launchd is a valid property list', () => {
  const text = describeAgent('adjutant.server', program, join(root, awkward, 'server.log'));
  const script = 'import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const parsed = JSON.parse(execFileSync('python3', ['-c', script], { input: text, encoding: 'utf8' }));
  expect(parsed).toEqual({
    Label: 'adjutant.server',
    ProgramArguments: program.command,
    EnvironmentVariables: program.env,
    WorkingDirectory: root,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    StandardOutPath: join(root, awkward, 'server.log'),
    StandardErrorPath: join(root, awkward, 'server.log'),
  });
});

/** systemd does not run in most containers, so a script stands in for systemctl. It records its calls. */
describe.runIf(process.platform === 'linux')('adjutant service', () => {
  let home: string;
  let calls: string;
  let script: string;
  beforeEach(() => {
    home = mkdtempSync(join(root, 'home with blanks '));
    calls = join(home, 'calls');
    script = join(home, 'bin', 'adjutant');
    mkdirSync(join(home, 'bin'));
    symlinkSync(bundle, script);
    symlinkSync(process.execPath, join(home, 'bin', 'node'));
    systemctl('exit 0');
  });

  function systemctl(behaviour: string): void {
    const file = join(home, 'bin', 'systemctl');
    writeFileSync(file, `#!/bin/sh\necho "$@" >> '${calls}'\n${behaviour}\n`);
    chmodSync(file, 0o755);
  }

  function adjutant(...args: readonly string[]) {
    return spawnSync(process.execPath, [script, ...args], {
      encoding: 'utf8',
      env: { HOME: home, PATH: `${join(home, 'bin')}:/bin` },
    });
  }
  const unit = () => join(home, '.config', 'systemd', 'user', 'adjutant.service');
  const called = () => readFileSync(calls, 'utf8').trim().split('\n');

  it('install writes a unit that starts this installation by its stable name', () => {
    const { status, stdout, stderr } = adjutant('service', 'install', '--port', '7400');
    expect([status, stderr]).toEqual([0, expect.stringContaining('loginctl enable-linger')]);
    expect(stdout).toContain('journalctl --user --unit adjutant.service');
    expect(readFileSync(unit(), 'utf8')).toContain(
      `ExecStart="${join(home, 'bin', 'node')}" "${script}" "serve" "--http" "--http-port=7400"\n`,
    );
    expect(called()).toEqual([
      '--version',
      '--user daemon-reload',
      '--user enable adjutant.service',
      '--user restart adjutant.service',
    ]);
  });

  it('install can be repeated, and applies changed flags', () => {
    adjutant('service', 'install');
    const again = adjutant('service', 'install');
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining('is unchanged and running')]);
    expect(adjutant('service', 'install', '--port', '7400').stdout).toContain('is updated and running');
    expect(readFileSync(unit(), 'utf8')).toContain('--http-port=7400');
  });

  it('install names the settings of the shell that the service does not see', () => {
    const { stderr } = spawnSync(process.execPath, [script, 'service', 'install'], {
      encoding: 'utf8',
      env: { HOME: home, PATH: `${join(home, 'bin')}:/bin`, ADJUTANT_HTTP_PORT: '7400' },
    });
    expect(stderr).toContain('ADJUTANT_HTTP_PORT');
  });

  it('install says how to start the service if systemd cannot be reached', () => {
    systemctl('[ "$1" = --version ] && exit 0; echo "Failed to connect to bus" >&2; exit 1');
    const { status, stderr } = adjutant('service', 'install');
    expect(status).toBe(1);
    expect(stderr).toContain('Failed to connect to bus');
    expect(stderr).toContain('systemctl --user enable --now adjutant.service');
    expect(existsSync(unit())).toBe(true);
  });

  it('remove stops both services and can be repeated', () => {
    adjutant('service', 'install');
    adjutant('service', 'install', 'worker');
    expect(JSON.parse(adjutant('service', 'remove', '--json').stdout)).toEqual({
      removed: ['server', 'worker'],
    });
    expect(called()).toContain('--user disable --now adjutant-worker.service');
    expect(existsSync(unit())).toBe(false);
    expect(adjutant('service', 'remove').stdout).toContain('No service is installed');
  });

  it('status reports services that are running, missing or broken', () => {
    expect(adjutant('service', 'status').stdout).toContain('server: not installed');
    adjutant('service', 'install');
    expect(adjutant('service', 'status').stdout).toMatch(/server: running .*\nworker: not installed/);
    systemctl('case "$*" in *is-active*) exit 3;; esac');
    expect(adjutant('service')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('server: stopped'),
    });
    writeFileSync(unit(), readFileSync(unit(), 'utf8').replace('/bin/node"', '/old/bin/node"'));
    expect(adjutant('service').stdout).toMatch(/broken, .*old\/bin\/node no longer exists/);
  });

  it('says what to run where there is no service manager', () => {
    rmSync(join(home, 'bin', 'systemctl'));
    const { status, stderr } = spawnSync(process.execPath, [script, 'service', 'install'], {
      encoding: 'utf8',
      env: { HOME: home, PATH: join(home, 'bin') },
    });
    expect(status).toBe(1);
    expect(stderr).toContain('neither systemd nor launchd');
    expect(stderr).toContain('"serve" "--http"');
  });

  it.each([
    ['service', 'instal', 'Did you mean'],
    ['service', 'install', 'database', 'server and worker'],
  ])('rejects wrong words: %s %s', (...words) => {
    const { status, stderr } = adjutant(...words.slice(0, -1));
    expect([status, stderr]).toEqual([2, expect.stringContaining(words.at(-1)!)]);
  });
});
