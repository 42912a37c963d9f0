import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { createStore } from '../../store/store.ts';
import { expandEvent } from './expand-event.ts';
import type { Calendars } from './sync.ts';
import { syncDue } from './watch.ts';

const options = {
  ...{ privateHosts: ['127.0.0.1'], passwordsFile: '/nonexistent', maxBytes: 1e7, intervalMs: 900_000 },
};
/** Longer than a process keeps its claim. */
const suspendedMs = 20 * 60_000;

/** A calendar that changes, on a server that answers when it is told to. */
async function startServer() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const calendar = (title: string) =>
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:one\r\nSUMMARY:${title}\r\nDTSTART:20261120T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/work.ics`,
    /** Resolves to how the next request is answered. */
    async request() {
      const [{ headers }, response] = (await once(server, 'request')) as [
        { headers: object },
        ServerResponse,
      ];
      return {
        headers,
        answer: (title: string) =>
          response
            .writeHead(200, { 'content-type': 'text/calendar', etag: `"${title}"` })
            .end(calendar(title)),
        fail: () => response.writeHead(404).end(),
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A process that looks for calendars to sync. */
function createPoller(assistant: TestAssistant) {
  const store = createStore(assistant.file);
  const calendars: Calendars = {
    data: { store, clock: () => assistant.now, occurrences: expandEvent },
    options,
  };
  return {
    sync: () => syncDue(calendars, new AbortController().signal),
    row: () =>
      store.read((db) =>
        db.selectFrom('calendars').select(['etag', 'failures', 'error']).executeTakeFirstOrThrow(),
      ),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function overtake(suspend: (request: { answer(title: string): unknown; fail(): unknown }) => unknown) {
  await using server = await startServer();
  await using assistant = openAssistant({ calendars: options });
  await using suspended = createPoller(assistant);
  await using other = createPoller(assistant);
  const answer = async (title: string) => (await server.request()).answer(title);
  const titles = async () =>
    ((await assistant.call('list_events', { user_id: 'ann' }))['events'] as { title: string }[]).map(
      ({ title }) => title,
    );
  await assistant.call('create_user', { id: 'ann', name: 'Ann', timezone: 'UTC' });
  await Promise.all([
    assistant.call('add_calendar', { user_id: 'ann', source: server.url }),
    answer('first'),
  ]);
  assistant.now += suspendedMs;
  const late = suspended.sync();
  const held = await server.request();
  assistant.now += suspendedMs;
  await Promise.all([other.sync(), answer('newest')]);
  expect([await titles(), await other.row()]).toEqual([
    ['newest'],
    { etag: '"newest"', failures: 0, error: null },
  ]);
  suspend(held);
  await late;
  const after = await other.row();
  const next = other.sync();
  if (after.etag === null) {
    const { headers, answer } = await server.request();
    expect(headers).not.toHaveProperty('if-none-match');
    answer('newest');
  }
  await next;
  return { after, titles: await titles() };
}

it('a process that was suspended for longer than its claim › does not leave its older events', async () => {
  const { after, titles } = await overtake((held) => held.answer('older'));
  expect(after).toMatchObject({ etag: null });
  expect(titles).toEqual(['newest']);
});

it('a process that was suspended for longer than its claim › stores neither its mark nor its failure', async () => {
  const newest = { etag: '"newest"', failures: 0, error: null };
  expect(await overtake((held) => held.fail())).toEqual({ after: newest, titles: ['newest'] });
  expect(await overtake((held) => held.answer('newest'))).toEqual({ after: newest, titles: ['newest'] });
});
