import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signInWithBrowser } from '../../src/assistant/calendar/browser-sign-in.ts';
import { expandEvent } from '../../src/assistant/calendar/expand-event.ts';
import { waitingItems } from '../../src/assistant/tools/inbox.ts';
import { owner } from '../../src/context.ts';
import { createStore } from '../../src/store/store.ts';
import { logIn } from '../identity/authorization-server.ts';
import { openAssistant, type TestAssistant } from '../open-assistant.ts';
import { startTokenProvider, type TokenProvider } from './google.ts';
import { type ProofServer, proofServers } from './proof.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-sign-in-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const account = 'ann@example.com';
const hourMs = 3_600_000;

// One server is enough here: what differs between them is tested without sign-in.
for (const [name, { start }] of Object.entries(proofServers)
  .filter(([, { isInstalled }]) => isInstalled)
  .slice(0, 1))
  describe(`${name} behind a provider that takes no passwords`, () => {
    let server: ProofServer;
    let provider: TokenProvider;
    let assistant: TestAssistant;
    let clientFile: string;
    beforeEach(async () => {
      server = await start();
      provider = await startTokenProvider(server.url);
      clientFile = join(folder, 'client.json');
      writeFileSync(clientFile, provider.client);
      const passwordsFile = join(folder, 'passwords');
      assistant = openAssistant({
        calendars: { privateHosts: ['127.0.0.1'], passwordsFile, maxBytes: 1e7, intervalMs: 900_000 },
      });
      assistant.now = Date.now();
      await assistant.call('create_user', { id: 'ann', name: 'Ann', timezone: 'Europe/Berlin' });
    });
    afterEach(async () => {
      await assistant[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await server.close();
    });

    const signIn = (login = account, more: Partial<Parameters<typeof signInWithBrowser>[0]> = {}) =>
      signInWithBrowser({
        databaseUrl: assistant.file,
        privateHosts: ['127.0.0.1'],
        account,
        clientFile,
        server: provider.server,
        scope: provider.scope,
        port: undefined,
        signal: AbortSignal.timeout(30_000),
        async show(url) {
          // The browser works while the program waits.
          void logIn(url, login).then((address) => fetch(address));
        },
        ...more,
      });
    const add = () =>
      assistant.call('add_calendar', {
        ...{ user_id: 'ann', source: provider.server, kind: 'caldav', username: account },
      }) as unknown as Promise<{ calendars: { id: string }[] }>;
    const tokens = async () => {
      const store = createStore(assistant.file);
      const rows = await store.read((db) =>
        db.selectFrom('records').select('value').where('kind', '=', 'calendar-sign-in').execute(),
      );
      await store.close();
      return rows.map(({ value }) => JSON.parse(value) as { access_token: string; refresh_token: string });
    };
    const inbox = async () => {
      const store = createStore(assistant.file);
      const data = { store, clock: () => assistant.now, occurrences: expandEvent };
      const items = await waitingItems(data, { id: 'ann', file: '' }, owner);
      await store.close();
      return items;
    };

    it('says how to sign in', async () => {
      await expect(add()).rejects.toThrow(/takes no passwords.*adjutant calendars sign-in ann@example.com/);
    });

    it('adds its calendars after a sign-in, and writes to them', async () => {
      expect(await signIn()).toBe(provider.server);
      const [{ id: calendar_id }] = (await add()).calendars as [{ id: string }];
      const event = { user_id: 'ann', calendar_id, title: 'Tea', start_ts: 'tomorrow 15:00' };
      const { id: event_id } = await assistant.call('create_event', event);
      await assistant.call('update_event', { event_id: String(event_id), location: 'Garden' });
      await assistant.call('sync_calendar', { calendar_id, force: true });
      expect(await assistant.call('get_event', { event_id: String(event_id) })).toMatchObject({
        title: 'Tea',
        location: 'Garden',
      });
      expect(provider.tokenRequests()).toBe(1);
    });

    it('renews its access once when it has expired, also if several programs need it', async () => {
      await signIn();
      const [{ id: calendar_id }] = (await add()).calendars as [{ id: string }];
      assistant.now += 2 * hourMs;
      const [before] = await tokens();
      const sync = () => assistant.call('sync_calendar', { calendar_id, force: true });
      await Promise.all([sync(), sync(), sync()]);
      expect(provider.tokenRequests()).toBe(2);
      const [after] = await tokens();
      expect(after!.refresh_token).not.toBe(before!.refresh_token);
      await sync();
      expect(provider.tokenRequests()).toBe(2);
    });

    it('renews its access when the server refuses it early', async () => {
      await signIn();
      const [{ id: calendar_id }] = (await add()).calendars as [{ id: string }];
      provider.refuse((await tokens())[0]!.access_token);
      await assistant.call('sync_calendar', { calendar_id, force: true });
      expect(provider.tokenRequests()).toBe(2);
    });

    it('reports revoked access in the inbox, until the person signs in again', async () => {
      await signIn();
      const [{ id: calendar_id }] = (await add()).calendars as [{ id: string }];
      await provider.revoke((await tokens())[0]!.refresh_token);
      assistant.now += 2 * hourMs;
      const sync = () => assistant.call('sync_calendar', { calendar_id, force: true });
      await expect(sync()).rejects.toThrow('revoked or has expired');
      expect(await inbox()).toMatchObject([
        {
          kind: 'calendar',
          detail: expect.stringContaining('Sign in again: adjutant calendars sign-in ann@example.com'),
        },
      ]);
      // The client is known from the first time.
      await signIn(account, { clientFile: undefined });
      assistant.now = Date.now();
      await sync();
      expect(await inbox()).toEqual([]);
    });

    it('keeps nothing of another account, and forgets the sign-in with the last calendar', async () => {
      await expect(signIn('eve@example.com')).rejects.toThrow('signed in eve@example.com instead of ann@');
      expect(await tokens()).toEqual([]);
      await signIn();
      const [{ id: calendar_id }] = (await add()).calendars as [{ id: string }];
      expect(await tokens()).toHaveLength(1);
      await assistant.call('remove_calendar', { calendar_id });
      expect(await tokens()).toEqual([]);
    });

    it('sends its token to no other host', async () => {
      await signIn();
      const seen: string[] = [];
      const other = await startOther((header) => seen.push(header));
      await expect(
        assistant.call('add_calendar', {
          ...{ user_id: 'ann', source: other.url, kind: 'caldav', username: account },
        }),
      ).rejects.toThrow();
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.every((header) => header === '')).toBe(true);
      await other.close();
    });
  });

/** A server that records the sign-ins that it gets. */
async function startOther(record: (authorization: string) => void) {
  const { startProxy } = await import('./proxy.ts');
  const proxy = await startProxy('http://127.0.0.1:9');
  proxy.intercept = async ({ headers }) => {
    record(String(headers['authorization'] ?? ''));
    return new Response('', { status: 404 });
  };
  return proxy;
}
