import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as openSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, password } from './radicale.ts';

const programs = '/usr/lib/cyrus/bin';
/** Cyrus starts as root and becomes the user that its package creates. */
const account = 'cyrus';

/** True if Cyrus, the server of Fastmail, is installed with its calendars and can be started. */
export const hasCyrus = process.getuid?.() === 0 && existsSync(join(programs, 'httpd'));

export interface Cyrus {
  /** Address of an empty calendar of `ann`. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startCyrus(): Promise<Cyrus> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-cyrus-'));
  const [http, imap] = [await freePort(), await freePort()];
  for (const part of ['data', 'spool', 'sockets']) mkdirSync(join(folder, part));
  const passwords = await checkPasswords(join(folder, 'sockets', 'mux'));
  const settings = join(folder, 'imapd.conf');
  writeFileSync(
    settings,
    [
      `configdirectory: ${join(folder, 'data')}`,
      'defaultpartition: default',
      `partition-default: ${join(folder, 'spool')}`,
      'admins: cyrus',
      'allowplaintext: yes',
      'sasl_mech_list: PLAIN',
      'sasl_pwcheck_method: saslauthd',
      `sasl_saslauthd_path: ${join(folder, 'sockets', 'mux')}`,
      'httpmodules: caldav',
      // Invitations reach nobody.
      'sendmail: /bin/true',
      'unixhierarchysep: yes',
      'caldav_create_default: yes',
      'syslog_prefix: adjutant-test',
      '',
    ].join('\n'),
  );
  writeFileSync(
    join(folder, 'cyrus.conf'),
    [
      `START {\n  recover cmd="ctl_cyrusdb -C ${settings} -r"\n}`,
      'SERVICES {',
      `  http cmd="httpd -C ${settings}" listen="127.0.0.1:${http}" proto="tcp4" prefork=1`,
      `  imap cmd="imapd -C ${settings}" listen="127.0.0.1:${imap}" proto="tcp4" prefork=0`,
      '}',
      'EVENTS {\n}\n',
    ].join('\n'),
  );
  execFileSync('chown', ['-R', `${account}:`, folder]);
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  execFileSync('chmod', ['a+rwx', join(folder, 'sockets'), join(folder, 'sockets', 'mux')]);
  const child = spawn(
    join(programs, 'master'),
    ['-C', settings, '-M', join(folder, 'cyrus.conf'), '-p', join(folder, 'pid')],
    { stdio: 'ignore' },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async () => {
    child.kill();
    await exited;
    await passwords.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${http}/dav/calendars/user/ann/Default/`;
  try {
    await createMailbox(imap, () => child.exitCode === null);
    await waitFor(url);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Plays saslauthd: four strings with their lengths in, one out. Accepts `ann`, and the administrator who creates the mailbox. */
async function checkPasswords(path: string): Promise<{ close(): Promise<void> }> {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      const strings: string[] = [];
      for (let at = 0; at + 2 <= received.length && strings.length < 4; ) {
        const end = at + 2 + received.readUInt16BE(at);
        if (end > received.length) return;
        strings.push(received.subarray(at + 2, end).toString());
        at = end;
      }
      if (strings.length < 4) return;
      const [login = '', given] = strings;
      const isRight = ['ann', 'cyrus'].includes(login) && given === password;
      const reply = Buffer.from(isRight ? 'OK' : 'NO');
      socket.end(Buffer.concat([Buffer.from([0, reply.length]), reply]));
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** Creates the mailbox of `ann` by IMAP; without one, a person has no calendars. */
async function createMailbox(port: number, isAlive: () => boolean): Promise<void> {
  const secret = Buffer.from(`\0cyrus\0${password}`).toString('base64');
  const deadline = Date.now() + 30_000;
  for (;;) {
    const answer = await speak(port, [
      `a AUTHENTICATE PLAIN ${secret}`,
      'b CREATE user/ann',
      'c LOGOUT',
    ]).catch((error: unknown) => String(error));
    if (/^b OK|^b NO.*exists/im.test(answer)) return;
    if (Date.now() > deadline || !isAlive()) throw new Error(`Cyrus did not create a mailbox: ${answer}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Sends one line after each tagged answer, and resolves to everything that the server said. */
function speak(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    let next = 0;
    const socket: Socket = openSocket(port, '127.0.0.1');
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const done = (said.match(/^(?:\* OK \[CAP|[a-z] (?:OK|NO|BAD)).*\r\n/gim) ?? []).length;
      while (next < done && next < lines.length) socket.write(`${lines[next++]}\r\n`);
    });
    socket.once('close', () => resolve(said));
    socket.once('error', reject);
  });
}

async function waitFor(url: string): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`, depth: '0' };
  const deadline = Date.now() + 30_000;
  for (;;) {
    const status = await fetch(url, { method: 'PROPFIND', headers }).then(
      (response) => response.status,
      (error: unknown) => String(error),
    );
    if (status === 207) return;
    if (Date.now() > deadline) throw new Error(`Cyrus did not start: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
