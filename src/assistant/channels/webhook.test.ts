import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { type Received, startProvider } from '../../../test/provider.ts';
import { Scheduler } from '../delivery/scheduler.ts';
import { Worker } from '../delivery/worker.ts';
import { createStore } from '../store/store.ts';
import type { Message } from './channel.ts';
import { createOutboxChannel } from './outbox.ts';
import { createWebhookChannel, sign } from './webhook.ts';

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
const to = (webhook: string): Message => ({
  id: '0193-abc',
  recipient: { name: 'Ada', locale: 'en', voice: '', webhook },
  subject: 'Standup',
  text: 'Standup begins at 09:00.',
  html: '',
  speech: '',
  urgency: 'normal',
  sentAt: new Date('2026-03-02T08:45:00Z'),
  data: { event_id: 'event-1' },
});
const careful = () => createWebhookChannel({ secret: 'shared', privateHosts: [] });
const trusting = () => createWebhookChannel({ secret: 'shared', privateHosts: ['127.0.0.1'] });

describe('a webhook', () => {
  it('carries a signature over time and body and a key that stays the same', async () => {
    const { url, requests } = await provider(204);
    expect(await trusting().deliver(to(`${url}/hook`), deadline())).toMatchObject({ kind: 'accepted' });
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
  ])('reads %i as %s', async (status, kind) => {
    const { url, requests } = await provider(status, '', { location: 'http://127.0.0.1:1/elsewhere' });
    expect(await trusting().deliver(to(url), deadline())).toMatchObject({ kind });
    expect(requests).toHaveLength(1);
  });

  it('takes a password as it is written where its escapes are none', async () => {
    const { url, requests } = await provider(204);
    const address = url.replace('://', '://ada:100%zz@');
    expect(await trusting().deliver(to(address), deadline())).toMatchObject({ kind: 'accepted' });
    const login = Buffer.from('ada:100%zz').toString('base64');
    expect(requests[0]!.headers.authorization).toBe(`Basic ${login}`);
  });

  it('waits as long as the receiver asks', async () => {
    const { url } = await provider(429, 'slow down', { 'retry-after': '30' });
    expect(await trusting().deliver(to(url), deadline())).toEqual({
      kind: 'temporary',
      detail: '429 slow down',
      retryAfterMs: 30_000,
    });
  });

  it('reads a receiver that is not there as temporary and an address that is none as permanent', async () => {
    const { url, close } = await provider(200);
    await close();
    expect(await trusting().deliver(to(url), deadline())).toMatchObject({ kind: 'temporary' });
    for (const address of ['nonsense', 'file:///etc/passwd', ''])
      expect(await trusting().deliver(to(address), deadline()), address).toMatchObject({ kind: 'permanent' });
  });

  it('is taken when the answer is longer than anybody wants to read', async () => {
    const { url } = await provider(200, 'x'.repeat(1_000_000));
    const outcome = await trusting().deliver(to(url), deadline());
    expect(outcome).toMatchObject({ kind: 'accepted', detail: expect.stringMatching(/^200 x{1,300}…$/) });
  });

  it('uses one connection for one receiver after the other', async () => {
    const { url, requests, connections } = await provider(200, 'thanks');
    const channel = trusting();
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
  ])('is not told: %s', async (address) => {
    const { port, requests, connections } = await provider(200);
    expect(await careful().deliver(to(address.replace('PORT', String(port))), deadline())).toEqual({
      kind: 'permanent',
      detail: expect.stringMatching(/ private address.*; list it in delivery\.private_hosts to allow it\.$/),
    });
    expect([requests.length, connections()]).toEqual([0, 0]);
  });

  it('is told when its host is listed, by the name that is listed and by no other', async () => {
    const { port, requests } = await provider(200);
    const named = createWebhookChannel({ secret: 's', privateHosts: ['LocalHost'] });
    const kindOf = async (channel: typeof named, host: string) =>
      (await channel.deliver(to(`http://${host}:${port}/`), deadline())).kind;
    expect(await kindOf(named, 'localhost')).toBe('accepted');
    expect(await kindOf(named, '127.0.0.1')).toBe('permanent');
    expect(await kindOf(trusting(), 'localhost')).toBe('permanent');
    expect(await kindOf(createWebhookChannel({ secret: 's', privateHosts: ['*'] }), '127.1')).toBe(
      'accepted',
    );
    expect(requests).toHaveLength(2);
  });

  it('is not reached through a receiver that redirects there', async () => {
    const inner = await provider(200);
    for (const status of [301, 302, 303, 307, 308]) {
      const outer = await provider(status, '', { location: inner.url });
      expect(await trusting().deliver(to(outer.url), deadline())).toMatchObject({ kind: 'permanent' });
    }
    expect(inner.connections()).toBe(0);
  });

  it('fails for good, with the reason on record, and the next channel tells the user', async () => {
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
    const outbox = createOutboxChannel('email', { folder: join(folder, 'outbox'), from: 'a@example.org' });
    const channels = { email: outbox, call: outbox, webhook: careful(), ntfy: outbox };
    const worker = new Worker({ store, channels, owner: 'w', clock: () => noon });
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
        /^refused for good: localhost has the private address (127\.0\.0\.1|::1); list it in delivery\.private_hosts/,
      ),
      next_channel: 'email',
    });
    expect(connections()).toBe(0);
  });
});
