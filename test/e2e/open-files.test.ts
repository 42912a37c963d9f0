import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { bundle, initialize, Program } from '../program.ts';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

/** Limits the open files. The program is stopped meanwhile, so that it opens no file before the limit applies. */
function limitOpenFiles({ child }: Program, files: number): void {
  child.kill('SIGSTOP');
  execFileSync('prlimit', ['--pid', String(child.pid), `--nofile=${files}:`]);
  child.kill('SIGCONT');
}

describe.runIf(hasPrlimit)('a server that has reached its limit of open files', () => {
  it.each([
    ['list_runs', {}],
    ['list_users', {}],
    ['lint_prompts', {}],
    ['search_prompts', { query: 'review' }],
  ])('fails the call of %s, and answers it when it can open files again', async (name, args) => {
    await using program = new Program(['serve']);
    const call = () => program.request('tools/call', { name, arguments: args });
    program.send(initialize());
    // Loads the chunk that validates arguments, so that the chunk of the tool itself is the first to fail.
    await program.request('tools/call', { name: 'list_prompts', arguments: {} });
    limitOpenFiles(program, 3);
    expect(JSON.stringify(await call())).toMatch(/too many open files/);
    limitOpenFiles(program, 1024);
    expect(JSON.stringify(await call())).not.toMatch(/too many open files/);
  });

  it('loads the features after the first answer as soon as it can', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    await program.until(({ id }) => id === 0);
    limitOpenFiles(program, 3);
    const listed = program.request('tools/list');
    await program.untilStderr(/EMFILE/);
    limitOpenFiles(program, 1024);
    // An error if the features were loaded before the limit was set.
    expect(await listed).toHaveProperty('id');
    expect(JSON.stringify(await program.request('tools/list'))).toContain('expand_prompt');
  });

  it('keeps running when a chunk cannot be loaded in the background', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    await program.request('ping');
    limitOpenFiles(program, 3);
    await program.untilStderr(/could not start following changes by other processes; retrying: .*EMFILE/);
    expect(await program.request('ping')).toHaveProperty('result');
  });

  it('keeps running when it cannot look for runs without a host, and looks again later', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    await program.request('ping');
    limitOpenFiles(program, 3);
    writeFileSync(join(program.home, 'runs.sqlite'), '');
    await program.untilStderr(/runs whose hosts were killed could not be recovered[\s\S]*EMFILE/);
    program.stderr = '';
    await program.untilStderr(/runs whose hosts were killed could not be recovered[\s\S]*EMFILE/);
    expect(await program.request('ping')).toHaveProperty('result');
  });

  it('refuses a call that it cannot record in the security log, and records the next one', async () => {
    await using program = new Program(['serve', '--toolsets', 'all']);
    const remove = (name: string) =>
      program.request('tools/call', { name: 'delete_prompt', arguments: { name } });
    program.send(initialize());
    await program.request('tools/call', { name: 'list_prompts', arguments: {} });
    limitOpenFiles(program, 3);
    expect(JSON.stringify(await remove('first'))).toMatch(/delete_prompt was not run, because[^"]*EMFILE/);
    limitOpenFiles(program, 1024);
    await remove('second');
    const { result } = await program.request('tools/call', { name: 'list_activity', arguments: {} });
    expect(JSON.stringify(result)).toContain('second');
  });

  it('reads a prompt file that changed meanwhile when it can open files again', async () => {
    await using program = new Program(['serve']);
    const show = () =>
      program.request('tools/call', { name: 'show_prompt', arguments: { name: 'greeting' } });
    const write = (text: string) => {
      mkdirSync(join(program.home, 'prompts'), { recursive: true });
      const line = {
        name: 'greeting',
        title: 'Greeting',
        messages: [{ role: 'user', content: { type: 'text', text } }],
      };
      writeFileSync(join(program.home, 'prompts', 'user.jsonl'), `${JSON.stringify(line)}\n`);
    };
    write('Good morning');
    program.send(initialize());
    expect(JSON.stringify(await show())).toContain('Good morning');
    limitOpenFiles(program, 3);
    write('Good evening');
    // A file that changed just now is always read again.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await show();
    limitOpenFiles(program, 1024);
    expect(JSON.stringify(await show())).toContain('Good evening');
  });

  it('says why a run cannot be started', async () => {
    const [name, task] = ['delegate_run', steps({ answer: {} })];
    await using program = new Program(['serve', '--delegate-command', scriptedAgent]);
    const run = () =>
      program.request('tools/call', {
        name,
        arguments: { task, cwd: program.home, skip_git_repo_check: true },
      });
    program.send(initialize());
    // Loads everything that a run needs.
    expect(JSON.stringify(await run())).toContain('completed');
    limitOpenFiles(program, 3);
    expect(JSON.stringify(await run())).toMatch(/too many open files/);
    limitOpenFiles(program, 1024);
    expect(JSON.stringify(await run())).toContain('completed');
  });
});

it.skipIf(process.platform === 'win32')(
  'a server with 96 open files serves its client beside 80 idle connections',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'adjutant-files-'));
    const script = `ulimit -n 96; exec "$0" '${bundle}' serve --http --port 0 --home '${home}'`;
    const server = spawn('bash', ['-c', script, process.execPath], {
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      let log = '';
      let url: URL | undefined;
      for await (const chunk of server.stderr) {
        log += chunk;
        const found = /Page: (\S+)/.exec(log)?.[1];
        if (found === undefined) continue;
        url = new URL(found);
        break;
      }
      const idle = Array.from({ length: 80 }, () =>
        connect(Number(url!.port), url!.hostname).on('error', () => {}),
      );
      await Promise.all(idle.map((socket) => once(socket, 'connect')));
      const token = readFileSync(join(home, 'token'), 'utf8').trim();
      const call = async (name: string): Promise<string> => {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } };
        const response = await fetch(new URL('/mcp', url), {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        }).catch(() => undefined);
        if (response?.status === 200) return response.text();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return call(name);
      };
      for (const name of [
        'list_prompts',
        'list_users',
        'list_runs',
        'lint_prompts',
        'load_demo',
        'server_status',
      ])
        expect(await call(name), name).not.toMatch(
          /Internal error|EMFILE|too many open files|"isError":true/,
        );
      expect(server.exitCode).toBeNull();
      for (const socket of idle) socket.destroy();
    } finally {
      server.kill();
      await once(server, 'exit');
      rmSync(home, { recursive: true, force: true });
    }
  },
);
