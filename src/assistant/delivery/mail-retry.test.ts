import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { channelConfig } from '../../../test/channel-config.ts';
import { createStore, type Store } from '../../store/store.ts';
import { nextDue } from './claim.ts';
import { Scheduler } from './scheduler.ts';
import { createSenders } from './senders.ts';
import { Worker } from './worker.ts';

let folder: string;
let store: Store;
let server: SMTPServer;
let received: Email[];
/** Answers of the server to each mail, in order. After the last one it accepts every mail. */
let answers: ('451' | '550' | 'die')[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-mail-'));
  store = createStore(join(folder, 'adjutant.db'));
  received = [];
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const answer = answers.shift();
        if (answer === '451' || answer === '550')
          return done(Object.assign(new Error('not this one'), { responseCode: Number(answer) }));
        received.push(await PostalMime.parse(Buffer.concat(chunks)));
        if (answer === 'die') for (const socket of connections(session)) socket.destroy();
        else done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  if (!server.server.listening) await once(server.server, 'listening');
});
afterEach(async () => {
  await new Promise((resolve) => server.close(() => resolve(undefined)));
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The open connections, which smtp-server keeps in an undocumented field. */
function connections(_session: unknown): Iterable<{ destroy(): void }> {
  const known = (server as unknown as { connections: Set<{ _socket: { destroy(): void } }> }).connections;
  return [...known].map(({ _socket }) => _socket);
}

async function deliverAll(): Promise<string[]> {
  const event = meeting('e1', 'ada', noon + 60 * minute);
  await fill(store, {
    users: [person('ada', { phone_e164: '+15550100', channel_pref: 'both' })],
    events: [event],
    notifications: [reminder(event, noon, { id: 'a' })],
  });
  let now = noon;
  const { port } = server.server.address() as AddressInfo;
  const senders = createSenders(
    channelConfig(join(folder, 'outbox'), {
      'delivery.smtp_url': `smtp://127.0.0.1:${port}`,
      'delivery.mail_from': 'adjutant@example.org',
    }),
  );
  const worker = new Worker({ store, senders, owner: 'w', clock: () => now });
  const scheduler = new Scheduler({ store, worker, clock: () => now });
  for (let turn = 0; turn < 12; turn++) {
    await scheduler.once();
    const { sendMs } = await nextDue(store, now);
    if (sendMs === undefined) break;
    now = sendMs;
  }
  await senders['email']!.close?.();
  const rows = await store.read((db) =>
    db.selectFrom('notifications').selectAll().orderBy('created_ms').execute(),
  );
  return rows.map(({ channel, status, attempts }) => `${channel} ${status} ${attempts}`);
}

it('sends a mail once after the server deferred it twice', async () => {
  answers = ['451', '451'];
  expect(await deliverAll()).toEqual(['email sent 3']);
  expect(received.map(({ messageId }) => messageId)).toEqual(['<a@example.org>']);
});

it('calls the user when the server refuses the mail permanently', async () => {
  answers = ['550'];
  expect(await deliverAll()).toEqual(['email failed 1', 'call sent 1']);
  expect(received).toEqual([]);
});

it('repeats a mail under the same Message-ID if the server closed after taking it', async () => {
  answers = ['die'];
  expect(await deliverAll()).toEqual(['email sent 2']);
  expect(received.map(({ messageId }) => messageId)).toEqual(['<a@example.org>', '<a@example.org>']);
});
