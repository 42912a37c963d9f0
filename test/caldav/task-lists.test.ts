import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAssistant } from '../open-assistant.ts';
import { type ProofServer, proofServers } from './proof.ts';
import { type CalDavProxy, startProxy } from './proxy.ts';
import { password } from './radicale.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-tasks-'));
const passwordsFile = join(folder, 'passwords');
writeFileSync(passwordsFile, `machine 127.0.0.1 login ann password "${password}"\n`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const object = (kind: 'VEVENT' | 'VTODO', title: string) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//t//EN', `BEGIN:${kind}`, `UID:${title}`],
    ...['DTSTAMP:20260101T000000Z', `SUMMARY:${title}`],
    `${kind === 'VEVENT' ? 'DTSTART' : 'DUE'}:20260610T080000Z`,
    ...[`END:${kind}`, 'END:VCALENDAR', ''],
  ].join('\r\n');

/** Answers like a server that does not implement RFC 6578. */
const withoutSyncTokens: CalDavProxy['intercept'] = async ({ method, body, forward }) => {
  if (method === 'REPORT' && body.includes('sync-collection')) return new Response('', { status: 501 });
  const reply = await forward();
  if (reply.status !== 207) return reply;
  const text = (await reply.text()).replaceAll(
    /<(\w+:)?sync-token\s*\/>|<(\w+:)?sync-token>.*?<\/(\w+:)?sync-token>/gs,
    '',
  );
  return new Response(text, { status: 207, headers: reply.headers });
};

// The others create no collections here, or keep them elsewhere.
const servers = Object.entries(proofServers).filter(([name]) => ['Radicale', 'Xandikos'].includes(name));
for (const [name, { isInstalled, start }] of servers)
  describe.skipIf(!isInstalled)(`an account on ${name} with a task list`, () => {
    /** Xandikos ignores which components a new collection is for. */
    const restricts = name === 'Radicale';
    let server: ProofServer;
    let proxy: CalDavProxy;
    let home: string;
    const send = async (method: string, path: string, body?: string) => {
      const headers = {
        authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`,
        'content-type': method === 'PUT' ? 'text/calendar; charset=utf-8' : 'application/xml; charset=utf-8',
      };
      const response = await fetch(new URL(path, server.url), { method, headers, ...(body && { body }) });
      expect([method, path, response.ok, response.ok || (await response.text())]).toEqual([
        method,
        path,
        true,
        true,
      ]);
    };
    beforeAll(async () => {
      server = await start();
      proxy = await startProxy(new URL(server.url).origin);
      home = new URL('..', server.url).pathname;
      const only = (kind: string) =>
        `<?xml version="1.0"?><c:mkcalendar xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:"><d:set><d:prop><d:displayname>${kind}</d:displayname><c:supported-calendar-component-set><c:comp name="${kind}"/></c:supported-calendar-component-set></d:prop></d:set></c:mkcalendar>`;
      await send('MKCALENDAR', `${home}tasks/`, only('VTODO'));
      await send('MKCALENDAR', `${home}diary/`, only('VJOURNAL'));
      await send('PUT', `${home}tasks/taxes.ics`, object('VTODO', 'Taxes'));
      // A calendar for everything.
      await send('PUT', `${new URL(server.url).pathname}dentist.ics`, object('VEVENT', 'Dentist'));
      await send('PUT', `${new URL(server.url).pathname}paint.ics`, object('VTODO', 'Paint'));
    });
    afterAll(async () => {
      await proxy?.close();
      await server?.close();
    });

    it.each([
      ['with sync tokens', undefined],
      ['without sync tokens', withoutSyncTokens],
    ])('keeps tasks in sync %s', async (_, intercept) => {
      proxy.intercept = intercept;
      await using assistant = openAssistant({
        calendars: { privateHosts: ['127.0.0.1'], passwordsFile, maxBytes: 1e7, intervalMs: 900_000 },
      });
      assistant.now = Date.parse('2026-06-01T08:00:00Z');
      await assistant.call('create_user', {
        id: 'ann',
        name: 'Ann',
        email: 'ann@example.com',
        timezone: 'UTC',
      });
      const source = { user_id: 'ann', source: proxy.url, kind: 'caldav', username: 'ann' };
      const { calendars } = (await assistant.call('add_calendar', source)) as unknown as {
        calendars: { id: string; source: string; tasks_only?: boolean }[];
      };
      const lists = calendars.filter(({ tasks_only }) => tasks_only);
      expect(calendars.map(({ source: place }) => new URL(place).pathname).sort()).toEqual(
        [new URL(server.url).pathname, `${home}tasks/`, ...(restricts ? [] : [`${home}diary/`])].sort(),
      );
      expect(lists.map(({ source: place }) => new URL(place).pathname)).toEqual(
        restricts ? [`${home}tasks/`] : [],
      );
      const found = async () => {
        const { events } = await assistant.call('list_events', { days_forward: 30 });
        return (events as { title: string; task?: string }[]).map(({ title, task }) => [title, task]).sort();
      };
      expect(await found()).toEqual([
        ['Dentist', undefined],
        ['Paint', 'open'],
        ['Taxes', 'open'],
      ]);

      await send('PUT', `${home}tasks/letter.ics`, object('VTODO', 'Letter'));
      await send('DELETE', `${new URL(server.url).pathname}paint.ics`);
      await assistant.call('sync_calendar', {});
      expect(await found()).toEqual([
        ['Dentist', undefined],
        ['Letter', 'open'],
        ['Taxes', 'open'],
      ]);
      const again = (await assistant.call('sync_calendar', {})) as unknown as {
        calendars: { changes?: unknown[] }[];
      };
      expect(again.calendars.flatMap(({ changes = [] }) => changes)).toEqual([]);

      for (const { id: calendar_id } of lists) {
        const event = { user_id: 'ann', calendar_id, title: 'Lunch', start_ts: '2026-06-12T12:00' };
        await expect(assistant.call('create_event', event)).rejects.toThrow(/is a task list/);
      }
      await send('PUT', `${new URL(server.url).pathname}paint.ics`, object('VTODO', 'Paint'));
      await send('DELETE', `${home}tasks/letter.ics`);
    });
  });
