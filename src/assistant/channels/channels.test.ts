import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { recipientAt, senderOf } from '../../../test/channel-config.ts';
import { openAssistant } from '../../../test/open-assistant.ts';
import { type Received, startProvider } from '../../../test/provider.ts';
import type { JsonObject } from '../../json.ts';
import { channelPreferences, channels } from '../entities/channels.ts';
import { policyInstructions } from '../policy/policy.ts';
import type { Message } from '../sending/channel.ts';
import { script } from './call.ts';

const message: Message = {
  id: '0193-abc',
  recipient: recipientAt('ada@example.com'),
  subject: 'Standup – in 15 minutes ☕',
  text: 'Standup begins at 09:00.',
  short: { title: 'Standup in 15 min', text: 'Room 10' },
  html: '<p>Standup begins at 09:00.</p>',
  speech: 'Hello Ada. Standup begins at nine.',
  calendar: 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n',
  urgency: 'high',
  sentAt: new Date('2026-03-02T08:45:00Z'),
  data: { event_id: 'event-1', link: 'https://example.com/room' },
};

let closing: (() => unknown)[] = [];
let folder: string;
beforeEach(() => {
  closing = [];
  folder = mkdtempSync(join(tmpdir(), 'adjutant-channels-'));
});
afterEach(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

const deadline = () => AbortSignal.timeout(20_000);
const at = (address: string, more: Partial<Message> = {}): Message => ({
  ...message,
  ...more,
  recipient: recipientAt(address),
});
const smtp = (url: string) =>
  senderOf('email', folder, { 'delivery.smtp_url': url, 'delivery.mail_from': 'adjutant@example.org' });
const ntfy = (url: string, token?: string) =>
  senderOf('ntfy', folder, {
    'delivery.ntfy_url': url,
    ...(token !== undefined && { 'delivery.ntfy_token': token }),
  });
const call = (url: string) =>
  senderOf('call', folder, {
    'delivery.call_url': url,
    'delivery.call_account': 'AC1',
    'delivery.call_token': 'secret',
    'delivery.call_from': '+15550199',
  });

async function listen(server: Server | SMTPServer): Promise<number> {
  const listener = 'server' in server ? (server as SMTPServer).server : (server as Server);
  server.listen(0, '127.0.0.1');
  if (!listener.listening) await once(listener, 'listening');
  closing.push(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  return (listener.address() as AddressInfo).port;
}

async function mailServer(options: SMTPServerOptions = {}) {
  const received: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        received.push(await PostalMime.parse(Buffer.concat(chunks)));
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const url = `smtp://127.0.0.1:${await listen(server)}`;
  const channel = smtp(url);
  closing.unshift(() => channel.close?.());
  return { channel, received };
}

const refuse = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });

describe.each(channels.map((channel) => [channel.name, channel] as const))(
  'the definition of %s',
  (_, one) => {
    it('has a label, an icon of one character, help, advice and documented settings', () => {
      expect(one.label).not.toBe('');
      expect([...one.icon]).toHaveLength(1);
      expect(one.help).toMatch(/^[A-Z].*\.$/);
      for (const text of Object.values(one.advice)) expect(text).not.toBe('');
      for (const [name, { description }] of Object.entries(one.settings)) {
        expect(name).toMatch(/^delivery\.[a-z_]+$/);
        expect(description).toMatch(/\.$/);
      }
    });

    it('has an icon, a label and a rank of its own', () => {
      for (const property of ['icon', 'label', 'rank'] as const)
        expect(channels.filter((other) => other[property] === one[property])).toEqual([one]);
    });

    it('is in the schemas, the instructions of the policy and list_channels', async () => {
      await using assistant = openAssistant();
      const { tools } = (await assistant.client.request('tools/list')) as { tools: JsonObject[] };
      const schema = JSON.stringify(tools.find(({ name }) => name === 'update_user'));
      expect(schema).toContain(`"${one.name}"`);
      expect(policyInstructions(channelPreferences)).toMatch(
        new RegExp(`channel is one of .*\\b${one.name}\\b`),
      );
      const { channels: listed } = await assistant.call('list_channels');
      expect(listed).toContainEqual(
        expect.objectContaining({ name: one.name, label: one.label, icon: one.icon, help: one.help }),
      );
    });

    it('sends a test message, or writes it to the outbox', async () => {
      vi.stubEnv('PATH', folder);
      onTestFinished(() => void vi.unstubAllEnvs());
      await using assistant = openAssistant();
      await assistant.call('create_user', { id: 'ada', name: 'Ada', channels: [one.address.sample] });
      const result = await assistant.call('test_notification', { user_id: 'ada', channel: one.name });
      expect(['outbox', 'permanent', 'temporary']).toContain(result['outcome']);
      expect(Object.values(one.advice)).toContain(result['advice']);
    });
  },
);

it('new channels do not reach the prompts of the contract assistant', async () => {
  await using assistant = openAssistant({ unpaged: true });
  const client = assistant.connect('assistant');
  const prompt = await client.request('prompts/get', {
    name: 'notificationPolicy',
    arguments: { event_data: '{}' },
  });
  expect(JSON.stringify(prompt)).toContain(
    'channel is one of email, call, both, webhook, ntfy, telegram, apprise; urgency',
  );
});

describe('mail', () => {
  it('arrives as text and HTML with the event attached, under the same Message-ID in every attempt', async () => {
    const { channel, received } = await mailServer();
    expect(await channel.deliver(message, deadline())).toMatchObject({ kind: 'accepted' });
    await channel.deliver(message, deadline());
    const [mail, again] = received;
    expect(mail).toMatchObject({
      subject: message.subject,
      from: { address: 'adjutant@example.org' },
      to: [{ address: 'ada@example.com', name: 'Ada Lovelace' }],
      messageId: '<0193-abc@example.org>',
    });
    expect(mail!.text?.trim()).toBe(message.text);
    expect(mail!.html).toContain('<p>Standup begins');
    expect(mail!.attachments).toMatchObject([{ filename: 'event.ics', mimeType: 'text/calendar' }]);
    expect(again!.messageId).toBe(mail!.messageId);
  });

  it('cannot be given an extra header or recipient by a title, name or address', async () => {
    const { channel, received } = await mailServer();
    const hostile = 'Hi\r\nBcc: thief@example.net\r\n\r\n<script>';
    await channel.deliver(
      {
        ...message,
        subject: hostile,
        recipient: { ...message.recipient, name: `Eve\nCc: x@example.net" <y@example.net>,` },
      },
      deadline(),
    );
    expect(received).toHaveLength(1);
    const [mail] = received;
    expect(mail!.bcc).toBeUndefined();
    expect(mail!.cc).toBeUndefined();
    expect(mail!.to).toMatchObject([{ address: 'ada@example.com' }]);
    expect(mail!.subject).toBe('Hi Bcc: thief@example.net <script>');
    for (const email of [
      'a@example.com, b@example.net',
      'a@example.com\r\nRCPT TO:<b@example.net>',
      '<a@b>',
      'a b@c',
      '',
    ])
      expect(await channel.deliver(at(email), deadline()), email).toMatchObject({ kind: 'permanent' });
    expect(received).toHaveLength(1);
  });

  it.each([
    [451, 'temporary'],
    [550, 'permanent'],
  ])('treats status %i as a %s failure', async (code, kind) => {
    const { channel } = await mailServer({
      onRcptTo: (_address, _session, done) => done(refuse(code, 'no thanks')),
    });
    expect(await channel.deliver(message, deadline())).toMatchObject({
      kind,
      detail: expect.stringContaining('no thanks'),
    });
  });

  it('treats a failed login as temporary, because it is a configuration error', async () => {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      onAuth: (_auth, _session, done) => done(refuse(535, 'who are you')),
    });
    const port = await listen(server);
    const channel = smtp(`smtp://a:b@127.0.0.1:${port}`);
    closing.unshift(() => channel.close?.());
    expect(await channel.deliver(message, deadline())).toMatchObject({
      kind: 'temporary',
      detail: expect.stringContaining('login failed'),
    });
  });

  it('treats a refused connection as temporary', async () => {
    const channel = smtp('smtp://127.0.0.1:1');
    expect(await channel.deliver(message, deadline())).toMatchObject({ kind: 'temporary' });
  });

  it('has an unknown outcome when the server takes the mail and closes before answering', async () => {
    // Speaks just enough SMTP to close the connection after the message and before the answer.
    const port = await listen(
      createSocketServer((socket) => {
        socket.on('error', () => undefined);
        socket.write('220 ready\r\n');
        socket.on('data', (chunk) => {
          const text = chunk.toString();
          if (text.endsWith('\r\n.\r\n')) socket.destroy();
          else if (text.startsWith('DATA')) socket.write('354 go on\r\n');
          else socket.write('250 ok\r\n');
        });
      }),
    );
    const channel = smtp(`smtp://127.0.0.1:${port}`);
    closing.unshift(() => channel.close?.());
    expect(await channel.deliver(message, deadline())).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['within the time limit', () => AbortSignal.timeout(100)],
    ['before the time limit, which is over already', () => AbortSignal.abort()],
  ])('fails temporarily when the server does not answer %s', async (_, limit) => {
    const silent = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      // The sender still waits for a greeting when the test ends.
      closing.unshift(() => socket.destroy());
    });
    const channel = smtp(`smtp://127.0.0.1:${await listen(silent)}`);
    closing.unshift(() => channel.close?.());
    expect(await channel.deliver(message, limit())).toMatchObject({ kind: 'temporary' });
  });
});

describe('the outbox', () => {
  const outbox = (name: 'email' | 'call') => senderOf(name, join(folder, 'outbox'));

  it('contains one valid mail per notification, even after repeated attempts', async () => {
    expect(await outbox('email').deliver(message, deadline())).toMatchObject({ kind: 'accepted' });
    await outbox('email').deliver(message, deadline());
    expect(readdirSync(join(folder, 'outbox'))).toEqual(['0193-abc.eml']);
    const mail = await PostalMime.parse(readFileSync(join(folder, 'outbox', '0193-abc.eml')));
    expect(mail).toMatchObject({ subject: message.subject, to: [{ address: 'ada@example.com' }] });
    expect(mail.attachments[0]?.filename).toBe('event.ics');
  });

  it('contains the script of a call as text if no speech program is installed', async () => {
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await outbox('call').deliver(at('+15550100'), deadline());
    expect(readdirSync(join(folder, 'outbox'))).toEqual(['0193-abc.txt']);
    expect(readFileSync(join(folder, 'outbox', '0193-abc.txt'), 'utf8')).toContain(message.speech);
  });

  it('contains a call as a WAV file if espeak-ng is installed', async ({ skip }) => {
    await outbox('call').deliver(at('+15550100'), deadline());
    const [file] = readdirSync(join(folder, 'outbox'));
    skip(file === '0193-abc.txt', 'espeak-ng is not on the PATH');
    expect(file).toBe('0193-abc.wav');
    expect(
      readFileSync(join(folder, 'outbox', file!))
        .subarray(0, 4)
        .toString(),
    ).toBe('RIFF');
  });

  it('never writes outside its folder', async () => {
    await outbox('email').deliver({ ...message, id: '../../escape' }, deadline());
    expect(readdirSync(folder)).toEqual(['outbox']);
    expect(readdirSync(join(folder, 'outbox'))).toEqual(['..%2F..%2Fescape.eml']);
  });

  it('reports a folder that cannot be created as a temporary failure', async () => {
    writeFileSync(join(folder, 'outbox'), 'a file in its place');
    expect(await outbox('email').deliver(message, deadline())).toMatchObject({ kind: 'temporary' });
  });
});

async function provider(status: number, answer = '') {
  const started = await startProvider(status, answer);
  closing.push(started.close);
  return started;
}

describe('ntfy', () => {
  it('publishes to the topic of the user, with an id that makes a repeated message replace the first', async () => {
    const { url, requests } = await provider(200, '{"id":"x1Y","time":1}');
    const channel = ntfy(url, 'tk_1');
    expect(await channel.deliver(at('ada-topic'), deadline())).toMatchObject({
      kind: 'accepted',
      reference: 'x1Y',
    });
    const [{ headers, body }] = requests as [Received];
    expect(headers.authorization).toBe('Bearer tk_1');
    expect(JSON.parse(body)).toMatchObject({
      topic: 'ada-topic',
      sequence_id: message.id,
      title: 'Standup in 15 min',
      priority: 4,
      click: 'https://example.com/room',
    });
  });
});

describe('buttons and headers', () => {
  const acting: Message = {
    ...message,
    thread: 'thread-1',
    actions: { acknowledge: 'OK', snooze: 'Snooze 10 min' },
    data: { acknowledge_url: 'https://me.example.com/acknowledge/0193-abc' },
  };

  it('let a push message be confirmed and snoozed', async () => {
    const { url, requests } = await provider(200, '{"id":"x1Y"}');
    await ntfy(url).deliver(acting, deadline());
    expect(JSON.parse(requests[0]!.body).actions).toMatchObject([
      { action: 'http', label: 'OK', url: acting.data['acknowledge_url'], method: 'POST', clear: true },
      { label: 'Snooze 10 min', url: `${acting.data['acknowledge_url']}?snooze=10` },
    ]);
    await ntfy(url).deliver(message, deadline());
    expect(JSON.parse(requests[1]!.body).actions).toBeUndefined();
  });

  it('let mail programs group the messages of an event and unsubscribe', async () => {
    const { channel, received } = await mailServer();
    await channel.deliver(acting, deadline());
    const header = (name: string) => received[0]!.headers.find(({ key }) => key === name)?.value;
    expect(header('references')).toBe('<thread-1@example.org>');
    expect(header('auto-submitted')).toBe('auto-generated');
    expect(header('list-id')).toBe('Adjutant reminders <reminders.example.org>');
    expect(header('list-unsubscribe')).toBe('<https://me.example.com/acknowledge/0193-abc?fewer=1>');
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  });
});

describe('a request for permission', () => {
  const link = (name: string) => ({ label: name, url: `https://me.example.com/decide/${name}` });
  const asking = (more: Partial<Message['decision']> = {}): Partial<Message> => ({
    short: { title: 'shop: the agent asks for permission', text: 'https://me.example.com/#/runs/1' },
    decision: { refuse: link('Refuse'), ...more },
    data: {},
  });

  it('has both links in a private Telegram chat, below a text of any length and without a preview', async () => {
    const { url, requests } = await provider(200, '{"ok":true,"result":{"message_id":1}}');
    const telegram = senderOf('telegram', folder, {
      'delivery.telegram_url': url,
      'delivery.telegram_token': '1:a',
    });
    const decision = { review: link('Review') };
    await telegram.deliver(at('42', asking(decision)), deadline());
    const long = { short: { title: 'shop', text: 'x'.repeat(5000) } };
    await telegram.deliver(at('42', { ...asking(decision), ...long }), deadline());
    const [first, second] = requests.map(({ body }) => JSON.parse(body));
    expect(first).toEqual({
      chat_id: '42',
      text: 'shop: the agent asks for permission\n\nhttps://me.example.com/#/runs/1\n\nReview: https://me.example.com/decide/Review\n\nRefuse: https://me.example.com/decide/Refuse',
      link_preview_options: { is_disabled: true },
    });
    expect(second.text).toHaveLength(4000);
    expect(second.text).toContain('Review: https://me.example.com/decide/Review\n\nRefuse: ');
  });

  it.each([
    ['telegram', '-77', { 'delivery.telegram_token': '1:a' }],
    ['gotify', 'A1b2C3d4E5f6G7h', {}],
    ['sms', '+4930123456', { 'delivery.call_account': 'AC1', 'delivery.call_token': 'x' }],
    ['ntfy', 'topic', {}],
  ])('can be refused by %s', async (name, address, settings) => {
    const { url, requests } = await provider(200, '{"ok":true,"id":1}');
    const urls = { 'delivery.telegram_url': url, 'delivery.gotify_url': url, 'delivery.ntfy_url': url };
    const own = { ...urls, 'delivery.call_url': url, 'delivery.sms_from': '+15550199', ...settings };
    await senderOf(name, folder, own).deliver(at(address, asking()), deadline());
    expect(decodeURIComponent(requests[0]!.body)).toContain('https://me.example.com/decide/Refuse');
  });
});

describe('credentials in a URL', () => {
  it('are sent as a header and never appear in an error message', async () => {
    const { url, requests, close } = await provider(200, '{}');
    const channel = ntfy(url.replace('//', '//me:hunter2%40@'));
    expect(await channel.deliver(message, deadline())).toMatchObject({ kind: 'accepted' });
    expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:hunter2@').toString('base64')}`);
    await close();
    const failed = await channel.deliver(message, deadline());
    expect(failed.kind).toBe('temporary');
    expect(failed.detail).not.toContain('hunter2');
  });
});

describe('a call', () => {
  it('is requested with an inline script and a key press to acknowledge', async () => {
    const { url, requests } = await provider(201, '{"sid": "CA123", "status": "queued"}');
    const data = { acknowledge_url: 'https://example.org/a?id=0193-abc&x=1' };
    expect(await call(url).deliver({ ...at('+15550100'), data }, deadline())).toMatchObject({
      kind: 'accepted',
      reference: 'CA123',
    });
    const [{ headers, body, path }] = requests as [Received];
    expect(path).toBe('/2010-04-01/Accounts/AC1/Calls.json');
    expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1:secret').toString('base64')}`);
    const form = new URLSearchParams(body);
    expect(form.get('To')).toBe('+15550100');
    expect(form.get('Twiml')).toContain('action="https://example.org/a?id=0193-abc&amp;x=1"');
    expect(form.get('Twiml')).toContain('<Say voice="Polly.Joanna" language="en">Hello Ada.');
  });

  it('reads the title of an event aloud and never executes it as TwiML', async () => {
    const spoken = await script({
      ...message,
      speech: '</Say><Dial>+15550666</Dial>\u0000',
      recipient: { ...message.recipient, voice: '"/>' },
    });
    expect(spoken).not.toContain('<Dial>');
    expect(spoken).not.toContain('"/>"');
    expect(spoken).not.toContain('\u0000');
  });

  it('has an unknown outcome when the provider receives the request and does not answer', async () => {
    const { url } = await provider(0);
    expect(await call(url).deliver(at('+15550100'), deadline())).toMatchObject({ kind: 'unknown' });
  });

  it.each(['', '911', '+1 555 0100', 'sip:x@y'])('rejects the phone number %j', async (phone) => {
    expect(await call('http://127.0.0.1:1').deliver(at(phone), deadline())).toMatchObject({
      kind: 'permanent',
    });
  });
});
