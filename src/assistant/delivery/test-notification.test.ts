import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { describe, expect, it } from 'vitest';
import { monday, openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { startProvider } from '../../../test/provider.ts';
import type { JsonObject } from '../../json.ts';
import type { ChannelOptions } from '../channels/channels.ts';

const ada = { id: 'ada', name: 'Ada <b>', email: 'ada@example.com', timezone: 'Europe/Berlin' };

async function withAda(
  user: JsonObject = {},
  channels: Partial<ChannelOptions> = {},
): Promise<TestAssistant> {
  const diary = openAssistant({ channels });
  await diary.call('createUser', { ...ada, ...user });
  return diary;
}

const test = (diary: TestAssistant, more: JsonObject = {}) =>
  diary.call('testNotification', { user_id: 'ada', ...more });
const trail = async (diary: TestAssistant) =>
  ((await diary.call('listAudit', { user_id: 'ada' }))['entries'] as JsonObject[]).filter(
    ({ action }) => action === 'notification.tested',
  );

/** A mail server that takes what is for anybody but nobody@. */
async function startInbox() {
  const mails: Buffer[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _, done) {
      const gone = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
      done(address.startsWith('nobody@') ? gone : null);
    },
    async onData(stream, _, done) {
      mails.push(Buffer.concat(await stream.toArray()));
      done();
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe('a test', () => {
  it('is refused for nobody, on a channel there is not, and where there is no address', async () => {
    await using diary = await withAda();
    await expect(test(diary, { user_id: 'nobody' })).rejects.toThrow('User not found');
    await expect(test(diary, { channel: 'pigeon' })).rejects.toThrow(/channel/);
    await expect(test(diary, { channel: 'call' })).rejects.toThrow(
      'ada cannot be reached by call: phone_e164 is not set. Set it with updateUser, or adjutant users update ada --phone …',
    );
    expect(await trail(diary)).toEqual([]);
  });

  it('goes into the outbox of a fresh machine at any hour, says why, and is on record', async () => {
    await using diary = await withAda();
    diary.now = Date.parse('2026-11-16T02:00:00Z');
    const result = await test(diary);
    expect(result).toEqual({
      user_id: 'ada',
      channel: 'email',
      to: 'ada@example.com',
      delivered: false,
      outcome: 'outbox',
      detail: expect.stringMatching(/^written to .*\.eml$/),
      advice: 'delivery.smtp_url is not set, so no mail leaves this machine',
    });
    const outbox = join(dirname(diary.file), 'outbox');
    const mail = await PostalMime.parse(readFileSync(join(outbox, readdirSync(outbox)[0]!)));
    expect(mail).toMatchObject({ subject: 'A test from Adjutant', to: [{ address: 'ada@example.com' }] });
    expect(mail.text).toContain('3:00');
    expect(await trail(diary)).toMatchObject([{ detail: { channel: 'email', outcome: 'outbox' } }]);
  });

  it('is a real mail through a mail server, whose refusal comes with what to check', async () => {
    await using inbox = await startInbox();
    await using diary = await withAda({}, { smtpUrl: inbox.url });
    expect(await test(diary)).toMatchObject({
      delivered: true,
      outcome: 'accepted',
      detail: expect.stringMatching(/^250/),
    });
    const mail = await PostalMime.parse(inbox.mails[0]!);
    expect(mail.to).toEqual([{ name: 'Ada <b>', address: 'ada@example.com' }]);
    expect(mail.html).toContain('<p>Hello Ada &lt;b&gt;,</p>');
    diary.now += 1000;
    await diary.call('updateUser', { user_id: 'ada', email: 'nobody@example.com' });
    expect(await test(diary)).toMatchObject({
      delivered: false,
      outcome: 'permanent',
      detail: expect.stringContaining('no such mailbox'),
      advice: 'check the address of the user, and delivery.mail_from',
    });
    expect((await trail(diary)).map(({ detail }) => (detail as JsonObject)['outcome'])).toEqual([
      'permanent',
      'accepted',
    ]);
  });

  it('that reaches nobody says what to check', async () => {
    await using diary = await withAda({}, { smtpUrl: 'smtp://127.0.0.1:1' });
    expect(await test(diary)).toMatchObject({
      outcome: 'temporary',
      detail: expect.stringContaining('ECONNREFUSED'),
      advice: expect.stringContaining('delivery.smtp_url'),
    });
  });

  it('goes by the channel the user prefers, or the one that is named', async () => {
    const provider = await startProvider(200, '{"sid":"CA1","id":"m1"}');
    await using diary = await withAda(
      {
        channel_pref: 'both',
        phone_e164: '+15550100',
        webhook_url: `http://me:hunter2@127.0.0.1:${provider.port}/hook`,
        ntfy_topic: 'ada',
      },
      {
        call: { url: provider.url, account: 'AC', token: 't', from: '+15550111' },
        webhookSecret: 's',
        privateHosts: ['127.0.0.1'],
        ntfy: { url: provider.url },
      },
    );
    expect(await test(diary)).toMatchObject({ channel: 'call', to: '+15550100', delivered: true });
    const hooked = await test(diary, { channel: 'webhook' });
    expect(hooked).toMatchObject({ channel: 'webhook', delivered: true });
    expect(JSON.stringify(hooked)).not.toContain('hunter2');
    expect(await test(diary, { channel: 'ntfy' })).toMatchObject({ channel: 'ntfy', delivered: true });
    const [call, hook, push] = provider.requests.map(({ body }) => decodeURIComponent(body));
    expect(call).toContain('To=+15550100');
    expect(JSON.parse(hook!)).toMatchObject({ subject: 'A test from Adjutant', test: true });
    expect(JSON.parse(push!)).toMatchObject({ topic: 'ada', title: 'A test from Adjutant' });
    await provider.close();
  });

  it('does not ring for somebody who did not choose calls', async () => {
    await using diary = await withAda({ channel_pref: 'webhook', phone_e164: '+15550100' });
    expect(await test(diary)).toMatchObject({ channel: 'email' });
    await diary.call('updateUser', { user_id: 'ada', unset: ['email'] });
    await expect(test(diary)).rejects.toThrow('cannot be reached by webhook: webhook_url is not set');
  });

  it('can be had ten times in ten minutes', async () => {
    await using diary = await withAda();
    for (let count = 0; count < 10; count++) await test(diary);
    await expect(test(diary)).rejects.toThrow('10 tests were sent to ada within ten minutes');
    diary.now = monday + 11 * 60_000;
    expect(await test(diary)).toMatchObject({ outcome: 'outbox' });
  });

  it('can be had ten times also by many who ask at once, in several processes', async () => {
    const { url, requests, close } = await startProvider(200);
    await using diary = await withAda({ ntfy_topic: 'ada' }, { ntfy: { url } });
    await using other = openAssistant({ file: diary.file, channels: { ntfy: { url } } });
    const asked = Array.from({ length: 30 }, (_, index) =>
      test(index % 2 === 0 ? diary : other, { channel: 'ntfy' }),
    );
    const ended = await Promise.allSettled(asked);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(requests).toHaveLength(10);
    expect(await trail(diary)).toHaveLength(10);
    await close();
  });
});
