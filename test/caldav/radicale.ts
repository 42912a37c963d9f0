import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** True if Radicale, a real CalDAV server, is installed. */
export const hasRadicale = spawnSync('radicale', ['--version']).status === 0;

export interface Radicale {
  readonly url: string;
  /** Sends a request as the user `ann`. */
  send(method: string, path: string, body?: string): Promise<Response>;
  close(): Promise<void>;
}

export const password = 'p4ss wörd';

export async function startRadicale(): Promise<Radicale> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-radicale-'));
  const port = await freePort();
  const config = join(folder, 'config');
  writeFileSync(join(folder, 'users'), `ann:${password}\n`);
  writeFileSync(
    config,
    [
      '[server]',
      `hosts = 127.0.0.1:${port}`,
      '[auth]',
      'type = htpasswd',
      `htpasswd_filename = ${join(folder, 'users')}`,
      'htpasswd_encryption = plain',
      'delay = 0',
      '[storage]',
      `filesystem_folder = ${join(folder, 'collections')}`,
      '[logging]',
      'level = error',
    ].join('\n'),
  );
  const child = spawn('radicale', ['--config', config], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
  const send = (method: string, path: string, body?: string) =>
    fetch(url + path, { method, headers: { authorization }, ...(body !== undefined && { body }) });
  const close = async () => {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + 20_000;
  for (;;) {
    if (
      await send('OPTIONS', '/').then(
        (response) => response.ok,
        () => false,
      )
    )
      return { url, send, close };
    if (Date.now() > deadline || child.exitCode !== null) {
      await close();
      throw new Error('Radicale did not start');
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
