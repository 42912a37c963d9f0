import { once } from 'node:events';
import { createServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkup, createCheckup } from '../../../test/checkup.ts';
import type { Config } from '../../config.ts';
import { email } from './email.ts';

const checkMail = (config: Config) => email.check!(config, { inUse: async () => true });

let home: Checkup;
beforeEach(() => {
  home = createCheckup();
});
afterEach(() => home[Symbol.asyncDispose]());

describe('the mail server', () => {
  async function mailServer(options: SMTPServerOptions = {}): Promise<number> {
    const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], ...options });
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    if (!server.server.listening) await once(server.server, 'listening');
    home.afterwards(() => new Promise((resolve) => server.close(() => resolve(undefined))));
    return (server.server.address() as { port: number }).port;
  }
  const check = async (url: string, more: Readonly<Record<string, string>> = {}) =>
    checkMail((await home.load({ ADJUTANT_DELIVERY_SMTP_URL: url, ...more })).config);

  it('is not checked if none is configured', async () => {
    expect(await checkMail((await home.load({})).config)).toEqual([]);
  });

  it('passes if it accepts the login, and receives no mail', async () => {
    let mails = 0;
    const port = await mailServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        username === 'me' && password === 's3 cret@' ? done(null, { user: 'me' }) : done(new Error('no')),
      onMailFrom: (_address, _session, done) => {
        mails += 1;
        done();
      },
    });
    const url = `smtp://me:s3%20cret%40@127.0.0.1:${port}`;
    expect(await check(url, { ADJUTANT_DELIVERY_MAIL_FROM: 'me@example.org' })).toEqual([
      { title: 'Mail server', state: 'good', detail: `127.0.0.1:${port} answers and accepts the login` },
    ]);
    expect(mails).toBe(0);
  });

  it('passes while an unsuitable sender address is reported', async () => {
    const url = `smtp://127.0.0.1:${await mailServer()}`;
    expect(await check(url, { ADJUTANT_DELIVERY_MAIL_FROM: 'Me <me@example.org>' })).toMatchObject([
      { state: 'good' },
      { title: 'Sender', state: 'bad' },
    ]);
    expect(await check(url)).toMatchObject([
      { title: 'Mail server', state: 'good' },
      { title: 'Sender', state: 'warning', remedy: expect.stringContaining('delivery.mail_from') },
    ]);
  });

  it('is reported as rejecting the login or as unreachable, without the password', async () => {
    const port = await mailServer({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(Object.assign(new Error('who are you'), { responseCode: 535 })),
    });
    const [wrong] = await check(`smtp://me:hunter2@127.0.0.1:${port}`);
    expect(wrong).toMatchObject({
      state: 'bad',
      detail: expect.stringContaining('rejects the login: 535 who are you'),
      remedy: expect.stringContaining('USER:PASSWORD'),
    });
    const [dead] = await check(`smtp://me:hunter2@127.0.0.1:${await home.deadPort()}`);
    expect(dead).toMatchObject({ state: 'bad', detail: expect.stringContaining('refuses the connection') });
    expect(JSON.stringify([wrong, dead])).not.toContain('hunter2');
  });

  it('is reported with a remedy if TLS does not work', async () => {
    // The test server's certificate is self-signed.
    const selfSigned = await mailServer({ disabledCommands: [] });
    expect(await check(`smtp://127.0.0.1:${selfSigned}`)).toMatchObject([
      {
        state: 'bad',
        detail: expect.stringContaining('TLS'),
        remedy: expect.stringContaining('certificate'),
      },
    ]);
    const plain = await mailServer();
    expect(await check(`smtps://127.0.0.1:${plain}`)).toMatchObject([
      { state: 'bad', remedy: expect.stringContaining('smtp:// instead of smtps://') },
    ]);
  });

  it('is quoted if its answer is not SMTP', async () => {
    const port = await home.listen(createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await check(`smtp://127.0.0.1:${port}`)).toMatchObject([
      { state: 'bad', detail: expect.stringContaining('HTTP/1.1 400') },
    ]);
  });
});
