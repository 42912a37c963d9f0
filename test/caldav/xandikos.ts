import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './radicale.ts';

/** True if Xandikos, a real CalDAV server that stores its objects in Git, is installed. */
export const hasXandikos = spawnSync('xandikos', ['--version']).status === 0;

export interface Xandikos {
  /** Address of its calendar. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startXandikos(): Promise<Xandikos> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-xandikos-'));
  const port = await freePort();
  const address = ['--listen-address', '127.0.0.1', '--port', String(port)];
  const child = spawn(
    'xandikos',
    ['-d', join(folder, 'data'), '--defaults', '--current-user-principal', '/ann/', ...address],
    { stdio: 'ignore' },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}/ann/calendars/calendar/`;
  const close = async () => {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + 30_000;
  for (;;) {
    const isUp = await fetch(url, { method: 'OPTIONS' }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { url, close };
    if (Date.now() > deadline || child.exitCode !== null) {
      await close();
      throw new Error('Xandikos did not start');
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
