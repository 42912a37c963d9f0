import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { openAssistant, type TestAssistant } from '../open-assistant.ts';
import { type ProofServer, proofServers } from './proof.ts';
import { type CalDavProxy, digestGuard, startProxy, withTag } from './proxy.ts';
import { password } from './radicale.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'adjutant-replies-'));
const passwordsFile = join(folder, 'passwords');
writeFileSync(passwordsFile, `machine 127.0.0.1 login ann password "${password}"\n`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const breakfast = { title: 'Breakfast', start_ts: '2026-06-12T08:30', end_ts: '2026-06-12T09:30' };
const unverified = 'stored, not verified yet';

const { loopback, ...realServers } = proofServers;
for (const [name, { isInstalled, start }] of Object.entries(realServers))
  describe.skipIf(!isInstalled)(`events on ${name}, whose replies are broken by a proxy`, () => {
    let server: ProofServer;
    let proxy: CalDavProxy;
    beforeAll(async () => {
      server = await start();
      proxy = await startProxy(new URL(server.url).origin);
    });
    afterAll(async () => {
      await proxy?.close();
      await server?.close();
    });

    let assistant: TestAssistant;
    let calendar_id: string;
    async function open() {
      assistant = openAssistant({
        calendars: { privateHosts: ['127.0.0.1'], passwordsFile, maxBytes: 1e7, intervalMs: 900_000 },
      });
      assistant.now = now;
      await assistant.call('create_user', {
        ...{ id: 'ann', name: 'Ann', email: 'ann@example.com', timezone: 'Europe/Berlin' },
      });
      const source = new URL(new URL(server.url).pathname, proxy.url).href;
      const added = await assistant.call('add_calendar', {
        ...{ user_id: 'ann', source, kind: 'caldav', username: 'ann' },
      });
      calendar_id = (added['calendars'] as { id: string }[])[0]!.id;
    }
    afterEach(async () => {
      proxy.intercept = undefined;
      await sync();
      for (const event_id of new Set((await titles()).map(({ id }) => id)))
        await assistant.call('delete_event', { event_id });
      await assistant[Symbol.asyncDispose]();
    });

    const create = (more: JsonObject = {}) =>
      assistant.call('create_event', { user_id: 'ann', calendar_id, ...breakfast, ...more });
    const sync = () => assistant.call('sync_calendar', { calendar_id });
    const titles = async () =>
      (await assistant.call('list_events', { days_forward: 60 }))['events'] as unknown as {
        id: string;
        title: string;
        start_ts: string;
      }[];
    /** What the server has, read by another client that starts from nothing. */
    async function onServer(): Promise<readonly string[]> {
      const own = [assistant, calendar_id] as const;
      proxy.intercept = undefined;
      await open();
      const found = (await titles()).map(({ title, start_ts }) => `${title} ${start_ts}`);
      await assistant[Symbol.asyncDispose]();
      [assistant, calendar_id] = own;
      return found;
    }

    it.each<readonly [string, (reply: () => Promise<Response>) => Promise<Response | 'cut'>]>([
      ['fails', async () => new Response('busy', { status: 503 })],
      ['says that the event does not exist', async () => new Response('', { status: 404 })],
      ['is cut off', async () => 'cut'],
    ])('are stored but not verified if the GET after the PUT %s', async (_, broken) => {
      await open();
      proxy.intercept = async ({ method, forward }) => (method === 'GET' ? broken(forward) : forward());
      const made = await create({ reminders: ['2h'] });
      expect(made).toMatchObject({ ...{ title: 'Breakfast', reminders: ['2h'] }, on_server: unverified });
      // A second try, for example by a model that distrusts the answer, makes no second event.
      expect(await create()).toMatchObject({ id: made['id'] });
      expect(await onServer()).toEqual(['Breakfast 2026-06-12T06:30:00Z']);
      const [event_id] = [made['id'] as string];
      expect(await assistant.call('get_event', { event_id })).toMatchObject({ on_server: unverified });
      await sync();
      expect(await assistant.call('get_event', { event_id })).not.toHaveProperty('on_server');
      expect(await titles()).toMatchObject([{ id: event_id, reminders: ['2h'] }]);
    });

    it.each([
      ['weakened', (tag: string) => `W/${tag}`],
      ['dropped', () => undefined],
    ])('are changed and deleted if a proxy has %s the entity tags of replies', async (_, changeTag) => {
      await open();
      proxy.intercept = async ({ forward }) => withTag(await forward(), changeTag);
      const made = await create();
      expect(made).not.toHaveProperty('on_server');
      const event_id = made['id'] as string;
      expect(await assistant.call('update_event', { event_id, title: 'Brunch' })).toMatchObject({
        title: 'Brunch',
      });
      expect(await onServer()).toEqual(['Brunch 2026-06-12T06:30:00Z']);
      proxy.intercept = async ({ forward }) => withTag(await forward(), changeTag);
      await assistant.call('delete_event', { event_id });
      expect(await onServer()).toEqual([]);
    });

    it('keep the change of another program if every entity tag of the server is weak', async () => {
      await open();
      const weaken: typeof proxy.intercept = async ({ forward }) => {
        const reply = await withTag(await forward(), (tag) => `W/${tag}`);
        const text = (await reply.text()).replaceAll(/(getetag[^>]*>(?:<!\[CDATA\[)?)("|&quot;)/g, '$1W/$2');
        return new Response(reply.status === 204 ? null : text, reply);
      };
      proxy.intercept = weaken;
      const { id: event_id } = (await create()) as { id: string };
      await assistant.call('update_event', { event_id, title: 'Brunch' });
      let isOver = false;
      proxy.intercept = async (request) => {
        // The other program writes between our read and our write.
        if (request.method === 'PUT' && !isOver) {
          isOver = true;
          const own = [assistant, calendar_id] as const;
          proxy.intercept = undefined;
          await open();
          const [seen] = await titles();
          await assistant.call('update_event', { event_id: seen!.id, location: 'Garden' });
          await assistant[Symbol.asyncDispose]();
          [assistant, calendar_id] = own;
          proxy.intercept = weaken;
        }
        return weaken(request);
      };
      await assistant.call('update_event', { event_id, title: 'Supper' });
      proxy.intercept = undefined;
      await sync();
      expect(await assistant.call('get_event', { event_id })).toMatchObject({
        title: 'Supper',
        location: 'Garden',
      });
    });

    it.each(['MD5', 'SHA-256', 'MD5-sess', 'without qop'])(
      'are written if the server asks for Digest authentication (%s)',
      async (kind) => {
        const guard = digestGuard('ann', password, kind);
        proxy.intercept = guard.intercept;
        await open();
        const { id: event_id } = (await create()) as { id: string };
        guard.forgetNonces();
        await assistant.call('update_event', { event_id, title: 'Brunch' });
        expect(await titles()).toMatchObject([{ title: 'Brunch' }]);
        expect(guard.accepted).toBeGreaterThan(5);
        // At most one request with Basic for each sync, and one with a forgotten nonce.
        proxy.intercept = digestGuard('ann', 'another password', kind).intercept;
        await expect(sync()).rejects.toThrow(/rejects the user name or password/);
      },
    );

    it('are not read if the server asks for another way to sign in', async () => {
      await open();
      proxy.intercept = async () =>
        new Response('', { status: 401, headers: { 'www-authenticate': 'Negotiate' } });
      await expect(sync()).rejects.toThrow(/not supported: Negotiate\. Supported: Basic and Digest/);
    });

    it('are updated but not verified if the GET after the PUT fails', async () => {
      await open();
      const { id: event_id } = (await create()) as { id: string };
      let written = false;
      proxy.intercept = async ({ method, forward }) => {
        if (method === 'GET' && written) return new Response('busy', { status: 503 });
        written ||= method === 'PUT';
        return forward();
      };
      const changed = await assistant.call('update_event', { event_id, title: 'Brunch' });
      expect(changed).toMatchObject({ title: 'Brunch', on_server: unverified });
      expect(await onServer()).toEqual(['Brunch 2026-06-12T06:30:00Z']);
      await sync();
      expect(await assistant.call('get_event', { event_id })).not.toHaveProperty('on_server');
    });

    it('are created once if the reply to the PUT is cut off, whatever the next GET says', async () => {
      await open();
      proxy.intercept = async ({ method, forward }) => {
        const reply = await forward();
        return method === 'PUT' ? 'cut' : reply;
      };
      await create();
      expect(await onServer()).toEqual(['Breakfast 2026-06-12T06:30:00Z']);
      const supper = { title: 'Supper', start_ts: '2026-06-12T19:00', end_ts: '2026-06-12T20:00' };
      proxy.intercept = async ({ method, forward }) => {
        if (method === 'GET') return 'cut';
        const reply = await forward();
        return method === 'PUT' ? 'cut' : reply;
      };
      await expect(create(supper)).rejects.toThrow(/not known whether the event was stored.*same arguments/);
      proxy.intercept = undefined;
      const made = await create(supper);
      expect(made).toMatchObject({ title: 'Supper' });
      expect(await create(supper)).toMatchObject({ id: made['id'] });
      await sync();
      expect((await titles()).map(({ title }) => title)).toEqual(['Breakfast', 'Supper']);
    });

    it('are removed here if the server lost them after it confirmed them', async () => {
      await open();
      proxy.intercept = async ({ method, forward }) =>
        method === 'PUT' ? new Response('', { status: 201 }) : forward();
      const made = await create();
      expect(made).toMatchObject({ on_server: unverified });
      proxy.intercept = undefined;
      await sync();
      expect(await titles()).toEqual([]);
    });

    it('are made again if the first one was moved or deleted, or if the request has another id', async () => {
      await open();
      const { id: event_id } = (await create()) as { id: string };
      await assistant.call('update_event', { event_id, start_ts: '2026-06-13T08:30' });
      const again = await create();
      expect(again['id']).not.toBe(event_id);
      expect(await create()).toMatchObject({ id: again['id'] });
      expect(await create({ id: 'for-bob' })).not.toMatchObject({ id: again['id'] });
      expect(await titles()).toHaveLength(3);
      await assistant.call('delete_event', { event_id: again['id'] as string });
      await create();
      expect(await onServer()).toHaveLength(3);
    });

    it('are split once if the reply to the PUT of the later part is cut off', async () => {
      await open();
      const { id: event_id } = (await create({ rrule: 'FREQ=DAILY;COUNT=4' })) as { id: string };
      let cut = 0;
      proxy.intercept = async ({ method, forward }) => {
        if (method === 'GET' && cut > 0) return 'cut';
        const reply = await forward();
        return method === 'PUT' && cut++ === 0 ? 'cut' : reply;
      };
      const later = { event_id, occurrence: '2026-06-14T06:30:00Z', following: true, title: 'Brunch' };
      await expect(assistant.call('update_event', later)).rejects.toThrow();
      proxy.intercept = undefined;
      await assistant.call('update_event', later);
      expect((await onServer()).map((line) => line.split(' ')[0])).toEqual([
        ...['Breakfast', 'Breakfast', 'Brunch', 'Brunch'],
      ]);
    });
  });
