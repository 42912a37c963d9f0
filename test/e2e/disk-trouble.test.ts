import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';

/** Only root may mount the small disk that these tests fill. */
const canMount = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const probe = mkdtempSync(join(tmpdir(), 'adjutant-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', probe]).status === 0;
  if (mounted) spawnSync('umount', [probe]);
  rmSync(probe, { recursive: true });
  return mounted;
})();
if (!canMount) console.log('skipped: the tests of full and read-only disks need root, to mount a small disk');

let disk: string;
let home: string;
let server: HttpServer | undefined;
beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), 'adjutant-disk-'));
  if (canMount) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]);
  home = join(disk, 'home');
  mkdirSync(home);
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  if (canMount) execFileSync('umount', ['--lazy', disk]);
  rmSync(disk, { recursive: true });
});

class HttpServer {
  readonly #child: ChildProcess;
  log = '';
  #url = '';

  private constructor() {
    this.#child = spawn(process.execPath, [bundle, 'serve', '--http', '--port', '0', '--home', home], {
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  static async start(): Promise<HttpServer> {
    const started = new HttpServer();
    const ready = new Promise<void>((resolve) => {
      started.#child.stderr!.on('data', (chunk) => {
        started.log += chunk;
        started.#url = /Page: (\S+)/.exec(started.log)?.[1] ?? '';
        if (started.#url !== '') resolve();
      });
    });
    await Promise.race([ready, once(started.#child, 'exit')]);
    expect(started.#child.exitCode, started.log).toBeNull();
    return started;
  }

  get page(): Promise<Response> {
    return fetch(this.#url);
  }

  /** Calls a tool and returns its text. */
  async call(name: string, args: object): Promise<string> {
    const response = await fetch(`${this.#url}mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    return result.content[0]!.text;
  }

  kill(): Promise<void> {
    return this.stop('SIGKILL');
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    await once(this.#child, 'exit');
  }
}

const createPrompt = (on: HttpServer, name: string) =>
  on.call('create_prompt', {
    name,
    title: name,
    messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
  });
const createUser = (on: HttpServer, name: string) =>
  on.call('create_user', { name, email: `${name}@example.org` });

function fill(): void {
  const file = openSync(join(disk, 'filler'), 'w');
  for (const size of [65_536, 4_096, 1])
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch {}
  closeSync(file);
}
const free = () => rmSync(join(disk, 'filler'));
const remount = (mode: 'ro' | 'rw') => execFileSync('mount', ['-o', `remount,${mode}`, disk]);

describe.runIf(canMount)('a server on a disk that is', () => {
  it.each([
    ['full', fill, free, 'the disk is full; free some space'],
    ['read-only', () => remount('ro'), () => remount('rw'), 'the disk is read-only; make it writable'],
  ])('%s starts, serves what it can and names the remedy', async (_, breakDisk, repairDisk, reason) => {
    server = await HttpServer.start();
    await createPrompt(server, 'before');
    await createUser(server, 'ada');
    await server.stop();
    breakDisk();

    server = await HttpServer.start();
    expect(server.log).toContain(`${join(home, 'servers')}`);
    expect(server.log).toContain(reason);
    expect((await server.page).status).toBe(200);
    expect(await server.call('list_prompts', {})).toContain('before');
    const remedy = (database: string) => `${join(home, database)} .*disk.*;`;
    const unrecorded = new RegExp(
      `was not run, because the security log cannot record it: .*${remedy('local.db')}`,
    );
    expect(await createPrompt(server, 'lost')).toMatch(unrecorded);
    expect(await createUser(server, 'eve')).toMatch(new RegExp(remedy('adjutant.db')));
    expect(await server.call('load_demo', {})).toMatch(unrecorded);
    expect(await server.call('delegate_run', { task: 'x', cwd: home })).toMatch(unrecorded);
    expect(await server.call('list_prompts', {})).not.toContain('lost');

    repairDisk();
    expect(await createPrompt(server, 'after')).toContain('Created');
    expect(await createUser(server, 'bob')).toContain('bob');
    const activity = await server.call('list_activity', { outcome: 'done' });
    for (const trace of ['"name=before"', '"name":"ada"', '"name=after"', '"name":"bob"'])
      expect(activity).toContain(trace);
    expect(server.log).not.toContain('adjutant: error:');
  });

  it.each([
    ['ended', async (ended: HttpServer) => ended.stop()],
    ['was killed, so that it left a write-ahead log,', async (killed: HttpServer) => killed.kill()],
  ])(
    'read-only after its server %s lists people and events, and accepts changes when it can',
    async (_, end) => {
      server = await HttpServer.start();
      await createUser(server, 'ada');
      const event = { user_id: 'ada', title: 'Concert', start_ts: 'tomorrow 20:00', timezone: 'UTC' };
      expect(await server.call('create_event', event)).toContain('Concert');
      await end(server);
      remount('ro');

      server = await HttpServer.start();
      const list = (what: string, ...words: readonly string[]) =>
        execFileSync(process.execPath, [bundle, what, 'list', ...words, '--home', home], {
          encoding: 'utf8',
        });
      for (const people of [await server.call('list_users', {}), list('users')])
        expect(people).toContain('ada');
      for (const events of [await server.call('list_events', { user_id: 'ada' }), list('events', 'ada')])
        expect(events).toContain('Concert');
      expect(await createUser(server, 'eve')).toContain(
        `The database ${join(home, 'adjutant.db')} is on a read-only disk`,
      );
      remount('rw');
      expect(await createUser(server, 'bob')).toContain('bob');
      expect(await server.call('list_users', {})).toContain('ada');
    },
  );

  it('full starts even without a token, and says so', async () => {
    fill();
    server = await HttpServer.start();
    expect(server.log).toContain(`the token cannot be stored in ${join(home, 'token')}`);
    expect(server.log).toContain('the disk is full; free some space, then restart the server');
    expect((await server.page).status).toBe(200);
    expect(readdirSync(home).filter((name) => name.startsWith('token'))).toEqual([]);
  });

  it('full while it runs keeps serving', async () => {
    server = await HttpServer.start();
    await createPrompt(server, 'before');
    fill();
    expect(await createPrompt(server, 'lost')).toContain('the disk is full; free some space');
    expect(await server.call('list_prompts', {})).toContain('before');
    free();
    expect(await createPrompt(server, 'after')).toContain('Created');
  });
});
