import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { recipientAt, senderOf } from '../../../test/channel-config.ts';
import { parseAddress } from '../entities/channels.ts';
import type { Message } from '../sending/channel.ts';

const message: Message = {
  id: 'n1',
  recipient: recipientAt('+4930123456'),
  subject: 'Maths, Fri, Mar 20, 8:00 AM',
  text: 'Hello Ada, …',
  short: { title: 'Maths in 30 min · Room 10', text: '8:00 AM' },
  html: '',
  speech: '',
  urgency: 'normal',
  sentAt: new Date(0),
  data: { acknowledge_url: 'https://example.com/acknowledge/token' },
};
const deadline = () => AbortSignal.timeout(20_000);

/** Accepts what Twilio documents for creating a message, and refuses one number as it does. */
async function startProvider() {
  const received: Record<string, string>[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const answer = (status: number, content: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    const login = `Basic ${Buffer.from('AC1:secret').toString('base64')}`;
    if (request.headers.authorization !== login) return answer(401, { code: 20003, message: 'Authenticate' });
    if (request.url !== '/2010-04-01/Accounts/AC1/Messages.json') return answer(404, { code: 20404 });
    const { To, From, Body, ...others } = Object.fromEntries(new URLSearchParams(body));
    if (!To || !From || !Body || Body.length > 1600 || Object.keys(others).length > 0)
      return answer(400, { code: 21602, message: 'A text message body is required' });
    if (To === '+4900000000') return answer(400, { code: 21211, message: "Invalid 'To' Phone Number" });
    received.push({ To, From, Body });
    return answer(201, { sid: 'SM1', status: 'queued' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const sender = (url: string, token = 'secret') =>
  senderOf('sms', 'outbox', {
    'delivery.call_url': url,
    'delivery.call_account': 'AC1',
    'delivery.call_token': token,
    'delivery.sms_from': '+15550199',
  });

it('sends what begins when and where, with the link to confirm', async () => {
  const { url, received } = await startProvider();
  expect(await sender(url).deliver(message, deadline())).toMatchObject({
    kind: 'accepted',
    reference: 'SM1',
  });
  const Body = 'Maths in 30 min · Room 10\n8:00 AM\nhttps://example.com/acknowledge/token';
  expect(received).toEqual([{ To: '+4930123456', From: '+15550199', Body }]);
});

it('shortens a long text, but not its link', async () => {
  const { url, received } = await startProvider();
  const long = { ...message, short: { title: 'Maths', text: 'x'.repeat(5000) } };
  expect(await sender(url).deliver(long, deadline())).toMatchObject({ kind: 'accepted' });
  expect(received[0]!['Body']).toHaveLength(1500);
  expect(received[0]!['Body']).toMatch(/x\nhttps:\/\/example\.com\/acknowledge\/token$/);
});

it('fails permanently if the provider refuses the number or the token', async () => {
  const { url, received } = await startProvider();
  const wrong = { ...message, recipient: recipientAt('+4900000000') };
  expect(await sender(url).deliver(wrong, deadline())).toMatchObject({ kind: 'permanent' });
  expect(await sender(url, 'wrong').deliver(message, deadline())).toMatchObject({ kind: 'permanent' });
  expect(received).toEqual([]);
});

it('is reached by numbers that are written for SMS only', () => {
  expect(parseAddress('sms:+4930123456')).toEqual({ channel: 'sms', address: '+4930123456' });
  expect(parseAddress('sms:030123456')).toBeUndefined();
});
