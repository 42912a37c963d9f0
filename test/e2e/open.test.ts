import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle, initialize, Program } from '../program.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;

function adjutant({ home }: Program, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, [bundle, ...args, '--home', home], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  });
}

describe('the token', () => {
  it('is not printed if the output is not a terminal', async () => {
    await using program = new Program(['serve', '--http', '--port', '0']);
    const { token } = await program.listening();
    expect(program.stderr).toContain('adjutant open');
    expect(program.stderr).not.toContain(token);
  });

  it.runIf(hasScript)('is printed on a terminal', async () => {
    await using idle = new Program(['serve']);
    const { home } = idle;
    const command = `exec '${process.execPath}' '${bundle}' serve --http --port 0 --home '${home}'`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env['PATH'], HOME: home },
    });
    try {
      let printed = '';
      for await (const chunk of terminal.stdout) {
        printed += chunk;
        if (printed.includes('Bearer')) break;
      }
      expect(printed).toContain(`#token=${readFileSync(join(home, 'token'), 'utf8').trim()}`);
    } finally {
      terminal.kill();
    }
  });
});

describe('serve without --http', () => {
  const hint = /^Waiting for an MCP client on standard input\..*adjutant install.*adjutant serve --http/m;

  it.runIf(hasScript)('says on a terminal what it waits for', async () => {
    await using other = new Program(['serve']);
    const { home } = other;
    const command = `exec '${process.execPath}' '${bundle}' serve --home '${home}'`;
    const env = { PATH: process.env['PATH'], HOME: home };
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env });
    try {
      let printed = '';
      for await (const chunk of terminal.stdout) {
        printed += chunk;
        if (printed.includes('Ctrl-C ends.')) break;
      }
      expect(printed).toMatch(hint);
    } finally {
      terminal.kill();
    }
  });

  it('says nothing to a client', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    await program.until(({ result }) => result !== undefined);
    expect(program.stderr).not.toMatch(hint);
  });
});

describe('adjutant open', () => {
  it('prints a signed-in link while the server runs, and says when it does not', async () => {
    await using program = new Program(['serve', '--http', '--port', '0']);
    const { url, token } = await program.listening();
    const page = `${url}/#token=${token}`;
    const { status, stdout } = adjutant(program, ['open', '--print']);
    expect([status, stdout]).toEqual([0, `${page}\n`]);
    expect(JSON.parse(adjutant(program, ['open', '--json']).stdout)).toEqual({
      page,
      mcp: `${url}/mcp`,
      opened: false,
    });
    program.child.kill('SIGTERM');
    await once(program.child, 'exit');
    const after = adjutant(program, ['open']);
    expect([after.status, after.stderr]).toEqual([1, expect.stringContaining('adjutant serve --http')]);
    expect(readdirSync(join(program.home, 'servers'))).toEqual([]);
  });

  it('does not report a server that was killed', async () => {
    await using program = new Program(['serve', '--http', '--port', '0']);
    await program.listening();
    program.child.kill('SIGKILL');
    await once(program.child, 'exit');
    expect(adjutant(program, ['open']).status).toBe(1);
    expect(readdirSync(join(program.home, 'servers'))).toEqual([]);
  });

  it('gives the browser a private file, so that the token is in no list of processes', async () => {
    await using program = new Program(['serve', '--http', '--port', '0']);
    const { token } = await program.listening();
    const folder = join(program.home, 'browser');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\necho "$@" > '${folder}/opened.tmp'; mv '${folder}/opened.tmp' '${folder}/opened'\n`,
    );
    chmodSync(join(folder, 'xdg-open'), 0o755);
    const { stdout } = adjutant(program, ['open'], {
      DISPLAY: ':9',
      PATH: `${folder}:${process.env['PATH']}`,
    });
    expect(stdout).toContain(token);
    await expect.poll(() => readdirSync(folder)).toContain('opened');
    const opened = readFileSync(join(folder, 'opened'), 'utf8').trim();
    expect(opened).toMatch(/^file:\/\/\S+\/open\.html$/);
    expect(opened).not.toContain(token);
    expect(readFileSync(new URL(opened), 'utf8')).toContain(token);
    expect(statSync(new URL(opened)).mode & 0o777).toBe(0o600);
  });
});
