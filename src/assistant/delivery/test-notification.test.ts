import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { describe, expect, it } from 'vitest';
import { monday, openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { startProvider } from '../../../test/provider.ts';
import type { JsonObject } from '../../json.ts';
import type { ChannelConfig } from '../entities/channels.ts';

const ada = { id: 'ada', name: 'Ada <b>', email: 'ada@example.com', timezone: 'Europe/Berlin' };

async function openWithAda(
  user: JsonObject = {},
  channels: Partial<ChannelConfig> = {},
): Promise<TestAssistant> {
  const assistant = openAssistant({ channels });
  await assistant.call('create_user', { ...ada, ...user });
  return assistant;
}

const test = (assistant: TestAssistant, more: JsonObject = {}) =>
  assistant.call('test_notification', { user_id: 'ada', ...more });
const auditTrail = async (assistant: TestAssistant) =>
  ((await assistant.call('explain_notifications', { user_id: 'ada' }))['entries'] as JsonObject[]).filter(
    ({ action }) => action === 'notification.tested',
  );

/** A mail server that accepts every recipient except nobody@. */
async function startInbox() {
  const mails: Buffer[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _, done) {
      const refusal = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
      done(address.startsWith('nobody@') ? refusal : null);
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

describe('a test message', () => {
  it('is refused for an unknown user, an unknown channel and a missing address', async () => {
    await using assistant = await openWithAda();
    await expect(test(assistant, { user_id: 'nobody' })).rejects.toThrow('User not found');
    await expect(test(assistant, { channel: 'pigeon' })).rejects.toThrow(/channel/);
    await expect(test(assistant, { channel: 'call' })).rejects.toThrow(
      'ada cannot be reached by call: phone_e164 is not set. Set it with update_user (on the command line: --phone).',
    );
    expect(await auditTrail(assistant)).toEqual([]);
  });

  it('goes to the outbox on a fresh machine even in quiet hours, says why, and is audited', async () => {
    await using assistant = await openWithAda();
    assistant.now = Date.parse('2026-11-16T02:00:00Z');
    const result = await test(assistant);
    expect(result).toEqual({
      user_id: 'ada',
      channel: 'email',
      to: 'ada@example.com',
      delivered: false,
      outcome: 'outbox',
      detail: expect.stringMatching(/^written to .*\.eml$/),
      advice: 'delivery.smtp_url is not set, so no email was sent',
    });
    const outbox = join(dirname(assistant.file), 'outbox');
    const mail = await PostalMime.parse(readFileSync(join(outbox, readdirSync(outbox)[0]!)));
    expect(mail).toMatchObject({ subject: 'A test from Adjutant', to: [{ address: 'ada@example.com' }] });
    expect(mail.text).toContain('3:00');
    expect(await auditTrail(assistant)).toMatchObject([{ detail: { channel: 'email', outcome: 'outbox' } }]);
  });

  it('is sent through the mail server, and a refusal comes with advice', async () => {
    await using inbox = await startInbox();
    await using assistant = await openWithAda({}, { 'delivery.smtp_url': inbox.url });
    expect(await test(assistant)).toMatchObject({
      delivered: true,
      outcome: 'accepted',
      detail: expect.stringMatching(/^250/),
    });
    const mail = await PostalMime.parse(inbox.mails[0]!);
    expect(mail.to).toEqual([{ name: 'Ada <b>', address: 'ada@example.com' }]);
    expect(mail.html).toContain('<p>Hello Ada &lt;b&gt;,</p>');
    assistant.now += 1000;
    await assistant.call('update_user', { user_id: 'ada', email: 'nobody@example.com' });
    expect(await test(assistant)).toMatchObject({
      delivered: false,
      outcome: 'permanent',
      detail: expect.stringContaining('no such mailbox'),
      advice: "check the user's address and delivery.mail_from",
    });
    expect((await auditTrail(assistant)).map(({ detail }) => (detail as JsonObject)['outcome'])).toEqual([
      'permanent',
      'accepted',
    ]);
  });

  it('that cannot reach the mail server comes with advice', async () => {
    await using assistant = await openWithAda({}, { 'delivery.smtp_url': 'smtp://127.0.0.1:1' });
    expect(await test(assistant)).toMatchObject({
      outcome: 'temporary',
      detail: expect.stringContaining('ECONNREFUSED'),
      advice: expect.stringContaining('delivery.smtp_url'),
    });
  });

  it('uses the channel the user prefers, or the requested one', async () => {
    const provider = await startProvider(200, '{"sid":"CA1","id":"m1"}');
    await using assistant = await openWithAda(
      {
        channel_pref: 'both',
        phone_e164: '+15550100',
        webhook_url: `http://me:hunter2@127.0.0.1:${provider.port}/hook`,
        ntfy_topic: 'ada',
      },
      {
        'delivery.call_url': provider.url,
        'delivery.call_account': 'AC',
        'delivery.call_token': 't',
        'delivery.call_from': '+15550111',
        'delivery.webhook_secret': 's',
        'delivery.private_hosts': ['127.0.0.1'],
        'delivery.ntfy_url': provider.url,
      },
    );
    expect(await test(assistant)).toMatchObject({ channel: 'call', to: '+15550100', delivered: true });
    const hooked = await test(assistant, { channel: 'webhook' });
    expect(hooked).toMatchObject({ channel: 'webhook', delivered: true });
    expect(JSON.stringify(hooked)).not.toContain('hunter2');
    expect(await test(assistant, { channel: 'ntfy' })).toMatchObject({ channel: 'ntfy', delivered: true });
    const [call, hook, push] = provider.requests.map(({ body }) => decodeURIComponent(body));
    expect(call).toContain('To=+15550100');
    expect(JSON.parse(hook!)).toMatchObject({ subject: 'A test from Adjutant', test: true });
    expect(JSON.parse(push!)).toMatchObject({ topic: 'ada', title: 'A test from Adjutant' });
    await provider.close();
  });

  it('does not call a user who did not choose calls', async () => {
    await using assistant = await openWithAda({ channel_pref: 'webhook', phone_e164: '+15550100' });
    expect(await test(assistant)).toMatchObject({ channel: 'email' });
    await assistant.call('update_user', { user_id: 'ada', unset: ['email'] });
    await expect(test(assistant)).rejects.toThrow('cannot be reached by webhook: webhook_url is not set');
  });

  it('can be sent ten times in ten minutes', async () => {
    await using assistant = await openWithAda();
    for (let count = 0; count < 10; count++) await test(assistant);
    await expect(test(assistant)).rejects.toThrow('ada received 10 test messages within ten minutes');
    assistant.now = monday + 11 * 60_000;
    expect(await test(assistant)).toMatchObject({ outcome: 'outbox' });
  });

  it('is limited to ten also for concurrent requests in several processes', async () => {
    const { url, requests, close } = await startProvider(200);
    await using assistant = await openWithAda({ ntfy_topic: 'ada' }, { 'delivery.ntfy_url': url });
    await using other = openAssistant({ file: assistant.file, channels: { 'delivery.ntfy_url': url } });
    const asked = Array.from({ length: 30 }, (_, index) =>
      test(index % 2 === 0 ? assistant : other, { channel: 'ntfy' }),
    );
    const ended = await Promise.allSettled(asked);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(requests).toHaveLength(10);
    expect(await auditTrail(assistant)).toHaveLength(10);
    await close();
  });
});
