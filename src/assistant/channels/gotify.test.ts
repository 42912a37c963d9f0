import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { recipientAt, senderOf } from '../../../test/channel-config.ts';
import { openAssistant } from '../../../test/open-assistant.ts';
import { isObject } from '../../json.ts';
import { maskAddress, parseAddress } from '../entities/channels.ts';
import type { Message } from '../sending/channel.ts';
import { gotify } from './gotify.ts';

const token = 'A1b2C3d4E5f6G7h';
const message: Message = {
  id: 'n1',
  recipient: recipientAt(token),
  subject: 'Review,\nat noon',
  text: 'Review begins at noon.',
  short: { title: 'Review, at noon', text: 'Review begins at noon.' },
  html: '',
  speech: '',
  urgency: 'high',
  sentAt: new Date(0),
  data: { link: 'https://example.com/room' },
};
const deadline = () => AbortSignal.timeout(20_000);

/** A server that accepts what the API of Gotify documents for POST /message, in a folder of its host. */
async function startGotify(tokens: readonly string[] = [token]) {
  const received: object[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const answer = (status: number, content: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    const fail = (status: number, error: string) =>
      answer(status, { error, errorCode: status, errorDescription: `you need to fix this: ${error}` });
    if (request.method === 'GET' && request.url === '/push/health')
      return answer(200, { health: 'green', database: 'green' });
    if (request.method !== 'POST' || request.url !== '/push/message') return fail(404, 'Not Found');
    if (!tokens.includes(String(request.headers['x-gotify-key']))) return fail(401, 'Unauthorized');
    if (!request.headers['content-type']?.startsWith('application/json')) return fail(400, 'Bad Request');
    const { title, message: text, priority, extras, ...others } = JSON.parse(body);
    const extrasNamed = isObject(extras) && Object.keys(extras).every((key) => /^\w+::\w+$/.test(key));
    if (typeof title !== 'string' || typeof text !== 'string' || text === '') return fail(400, 'Bad Request');
    if (!Number.isInteger(priority) || priority < 0 || priority > 10 || !extrasNamed)
      return fail(400, 'Bad Request');
    if (Object.keys(others).length > 0) return fail(400, 'Bad Request');
    received.push({ title, message: text, priority, extras });
    return answer(200, {
      id: 25,
      appid: 5,
      message: text,
      title,
      priority,
      extras,
      date: '2026-03-02T08:45:00Z',
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/push`, received };
}

const sender = (url: string) => senderOf('gotify', 'outbox', { 'delivery.gotify_url': url });

it('sends title, text, priority and link to the application of the user', async () => {
  const { url, received } = await startGotify();
  expect(await sender(url).deliver(message, deadline())).toMatchObject({ kind: 'accepted', reference: '25' });
  expect(received).toEqual([
    {
      title: 'Review, at noon',
      message: 'Review begins at noon.',
      priority: 8,
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: 'https://example.com/room' } },
      },
    },
  ]);
});

it('fails permanently if the server does not know the token, and does not show the token', async () => {
  const { url, received } = await startGotify(['Aother-token-xy']);
  const outcome = await sender(url).deliver(message, deadline());
  expect(outcome).toMatchObject({ kind: 'permanent', detail: expect.stringContaining('Unauthorized') });
  expect(outcome.detail).not.toContain(token);
  expect(received).toEqual([]);
});

it('leaves addresses with a host to apprise', () => {
  expect(parseAddress(`gotify://${token}`)).toEqual({ channel: 'gotify', address: token });
  expect(parseAddress(`gotify://push.example.com/${token}`)?.channel).toBe('apprise');
  expect(parseAddress('gotify://Cclient-token-x')?.channel).toBe('apprise');
  expect(maskAddress(`gotify://${token}`)).toBe('gotify://…');
});

it('shows no token in users, test messages and the outbox', async () => {
  await using assistant = openAssistant();
  await assistant.call('create_user', { id: 'ada', name: 'Ada', channels: [`gotify://${token}`] });
  const shown = [
    await assistant.call('test_notification', { user_id: 'ada', channel: 'gotify' }),
    await assistant.call('list_users'),
    await assistant.call('list_outbox'),
  ];
  expect(shown[0]).toMatchObject({ outcome: 'outbox', to: 'gotify://…' });
  expect(JSON.stringify(shown)).not.toContain(token);
});

it('is checked by doctor', async () => {
  const check = (url: string) => gotify.check!({ 'delivery.gotify_url': url }, { inUse: async () => true });
  const { url } = await startGotify();
  expect(await check(url)).toMatchObject([{ title: 'Gotify', state: 'good' }]);
  expect(await check(new URL('/', url).href)).toMatchObject([{ title: 'Gotify', state: 'warning' }]);
  expect(await check('http://127.0.0.1:1')).toMatchObject([{ title: 'Gotify', state: 'bad' }]);
});
