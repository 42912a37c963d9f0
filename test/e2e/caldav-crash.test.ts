import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { corpus } from '../caldav/corpus.ts';
import { startCalDav } from '../caldav/server.ts';
import { bundle } from '../program.ts';

it('a program that is killed after the server stored its change gets the change with the next sync', async () => {
  const server = await startCalDav();
  const home = mkdtempSync(join(tmpdir(), 'adjutant-crash-'));
  const env = { PATH: process.env['PATH'], HOME: home };
  writeFileSync(join(home, 'adjutant.toml'), '[calendars]\nprivate_hosts = ["127.0.0.1"]\n');
  const start = (...args: readonly string[]) =>
    spawn(process.execPath, [bundle, ...args, '--home', home], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const run = async (...args: readonly string[]) => {
    const child = start(...args, '--json');
    let out = '';
    child.stdout.on('data', (piece) => {
      out += piece;
    });
    const [code] = await once(child, 'close');
    expect(code, out).toBe(0);
    return JSON.parse(out);
  };
  try {
    const { text } = corpus.find(({ name }) => name === 'apple-meeting')!;
    // The program itself uses today's date.
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    server.objects.set('/cal/x.ics', text.replaceAll('20260610T', `${day}T`));
    await run('users', 'create', '--id', 'ann', '--name', 'Ann', '--email', 'ann@example.com');
    await run('calendars', 'add', server.url, '--caldav');
    const listed = async () => (await run('events', 'list')).events as { id: string; title: string }[];
    const { id } = (await listed())[0]!;

    const child = start('events', 'update', id, '--title', 'After the crash');
    server.afterWrite = () => void child.kill('SIGKILL');
    const [, signal] = await once(child, 'exit');
    server.afterWrite = undefined;
    expect(signal).toBe('SIGKILL');
    expect(server.objects.get('/cal/x.ics')).toContain('After the crash');
    expect(await listed()).toMatchObject([{ id, title: 'Old meeting' }]);

    await run('calendars', 'sync');
    expect(await listed()).toMatchObject([{ id, title: 'After the crash' }]);
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
});
