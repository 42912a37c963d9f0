import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { channelConfig, recipientAt, senderOf } from '../../../test/channel-config.ts';
import { type Received, startProvider } from '../../../test/provider.ts';
import { createStore } from '../../store/store.ts';
import { Scheduler } from '../delivery/scheduler.ts';
import { createSenders } from '../delivery/senders.ts';
import { Worker } from '../delivery/worker.ts';
import type { Message } from '../sending/channel.ts';
import { sign } from './webhook.ts';

let closing: (() => unknown)[];
beforeEach(() => {
  closing = [];
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

async function provider(...answer: Parameters<typeof startProvider>) {
  const started = await startProvider(...answer);
  closing.push(started.close);
  return started;
}

const deadline = () => AbortSignal.timeout(20_000);
const to = (url: string): Message => ({
  id: '0193-abc',
  recipient: recipientAt(url),
  subject: 'Standup',
  text: 'Standup begins at 09:00.',
  short: { title: 'Standup', text: 'Room 10' },
  html: '',
  speech: '',
  urgency: 'normal',
  sentAt: new Date('2026-03-02T08:45:00Z'),
  data: { event_id: 'event-1' },
});
const allowing = (...hosts: readonly string[]) =>
  senderOf('webhook', 'outbox', { 'delivery.webhook_secret': 'shared', 'delivery.private_hosts': hosts });
const publicOnly = () => allowing();
const allowingLoopback = () => allowing('127.0.0.1');

describe('a webhook', () => {
  it('carries a signature over time and body, and a constant idempotency key', async () => {
    const { url, requests } = await provider(204);
    expect(await allowingLoopback().deliver(to(`${url}/hook`), deadline())).toMatchObject({
      kind: 'accepted',
    });
    const [{ headers, body, path }] = requests as [Received];
    expect(path).toBe('/hook');
    expect(headers['idempotency-key']).toBe('0193-abc');
    const seconds = Date.parse('2026-03-02T08:45:00Z') / 1000;
    expect(headers['x-adjutant-signature']).toBe(
      `t=${seconds},v1=${await sign('shared', `${seconds}.${body}`)}`,
    );
    expect(JSON.parse(body)).toMatchObject({ id: '0193-abc', subject: 'Standup', event_id: 'event-1' });
  });

  it.each([
    [500, 'temporary'],
    [404, 'permanent'],
    [302, 'permanent'],
    [0, 'unknown'],
  ])('treats status %i as a %s outcome', async (status, kind) => {
    const { url, requests } = await provider(status, '', { location: 'http://127.0.0.1:1/excludeReceivers' });
    expect(await allowingLoopback().deliver(to(url), deadline())).toMatchObject({ kind });
    expect(requests).toHaveLength(1);
  });

  it('uses a password with invalid percent-encoding as it is written', async () => {
    const { url, requests } = await provider(204);
    const address = url.replace('://', '://ada:100%zz@');
    expect(await allowingLoopback().deliver(to(address), deadline())).toMatchObject({ kind: 'accepted' });
    const login = Buffer.from('ada:100%zz').toString('base64');
    expect(requests[0]!.headers.authorization).toBe(`Basic ${login}`);
  });

  it('reports the Retry-After time of the receiver', async () => {
    const { url } = await provider(429, 'slow down', { 'retry-after': '30' });
    expect(await allowingLoopback().deliver(to(url), deadline())).toEqual({
      kind: 'temporary',
      detail: '429 slow down',
      retryAfterMs: 30_000,
    });
  });

  it('treats a refused connection as temporary and an invalid URL as permanent', async () => {
    const { url, close } = await provider(200);
    await close();
    expect(await allowingLoopback().deliver(to(url), deadline())).toMatchObject({ kind: 'temporary' });
    for (const address of ['nonsense', 'file:///etc/passwd', ''])
      expect(await allowingLoopback().deliver(to(address), deadline()), address).toMatchObject({
        kind: 'permanent',
      });
  });

  it('is accepted when the answer is very long, and keeps only its beginning', async () => {
    const { url } = await provider(200, 'x'.repeat(1_000_000));
    const outcome = await allowingLoopback().deliver(to(url), deadline());
    expect(outcome).toMatchObject({ kind: 'accepted', detail: expect.stringMatching(/^200 x{1,300}…$/) });
  });

  it('reuses one connection for several deliveries to a receiver', async () => {
    const { url, requests, connections } = await provider(200, 'thanks');
    const channel = allowingLoopback();
    for (let turn = 0; turn < 5; turn++) await channel.deliver(to(url), deadline());
    expect([requests.length, connections()]).toEqual([5, 1]);
  });
});

describe('a webhook in a private network', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://017700000001:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[0:0:0:0:0:0:0:0]:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST:PORT/',
    'http://example.com@127.0.0.1:PORT/',
    'http://example.com:80@127.0.0.1:PORT/',
    'http://127.0.0.1:PORT\\@example.com/',
    'http:127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://10.0.0.1/',
    'http://100.64.0.1/',
    'http://[fe80::1]/',
  ])('is not contacted: %s', async (address) => {
    const { port, requests, connections } = await provider(200);
    expect(await publicOnly().deliver(to(address.replace('PORT', String(port))), deadline())).toEqual({
      kind: 'permanent',
      detail: expect.stringMatching(/ private address.*; list it in delivery\.private_hosts to allow it\.$/),
    });
    expect([requests.length, connections()]).toEqual([0, 0]);
  });

  it('is contacted only if its host is listed, and only by the listed name', async () => {
    const { port, requests } = await provider(200);
    const named = allowing('LocalHost');
    const kindOf = async (channel: typeof named, host: string) =>
      (await channel.deliver(to(`http://${host}:${port}/`), deadline())).kind;
    expect(await kindOf(named, 'localhost')).toBe('accepted');
    expect(await kindOf(named, '127.0.0.1')).toBe('permanent');
    expect(await kindOf(allowingLoopback(), 'localhost')).toBe('permanent');
    expect(await kindOf(allowing('*'), '127.1')).toBe('accepted');
    expect(requests).toHaveLength(2);
  });

  it('is not reached through a redirect', async () => {
    const inner = await provider(200);
    for (const status of [301, 302, 303, 307, 308]) {
      const outer = await provider(status, '', { location: inner.url });
      expect(await allowingLoopback().deliver(to(outer.url), deadline())).toMatchObject({
        kind: 'permanent',
      });
    }
    expect(inner.connections()).toBe(0);
  });

  it('fails permanently with the reason in the audit trail, and the next channel is used', async () => {
    const { port, connections } = await provider(200);
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-webhook-'));
    const store = createStore(join(folder, 'adjutant.db'));
    closing.push(async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const event = meeting('e1', 'ada', noon + 60 * minute);
    await fill(store, {
      users: [person('ada', { webhook_url: `http://localhost:${port}/`, channel_pref: 'webhook' })],
      events: [event],
      notifications: [reminder(event, noon, { id: 'a', channel: 'webhook' })],
    });
    const config = channelConfig(join(folder, 'outbox'), { 'delivery.webhook_secret': 'shared' });
    const worker = new Worker({ store, senders: createSenders(config), owner: 'w', clock: () => noon });
    await new Scheduler({ store, worker, clock: () => noon }).once();
    const rows = await store.read((db) =>
      db.selectFrom('notifications').selectAll().orderBy('level').execute(),
    );
    expect(rows.map(({ channel, status, attempts }) => `${channel} ${status} ${attempts}`)).toEqual([
      'webhook failed 1',
      'email sent 1',
    ]);
    const [failed] = await store.read((db) =>
      db.selectFrom('audit').selectAll().where('action', '=', 'notification.failed').execute(),
    );
    expect(JSON.parse(failed!.detail!)).toMatchObject({
      reason: expect.stringMatching(
        /^permanently refused: localhost has the private address (127\.0\.0\.1|::1); list it in delivery\.private_hosts/,
      ),
      next_channel: 'email',
    });
    expect(connections()).toBe(0);
  });
});
