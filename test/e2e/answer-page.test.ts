import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answerToken } from '../../src/assistant/delivery/message-links.ts';
import { newId } from '../../src/store/id.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { fill, meeting, minute, person, reminder } from '../assistant-rows.ts';
import type { Page } from '../page/browser.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
let store: Store;
beforeAll(async () => {
  await server.start({
    ADJUTANT_DELIVERY_PUBLIC_URL: 'http://localhost',
    ADJUTANT_DELIVERY_WITH_SERVER: 'false',
  });
  store = createStore(join(server.home, 'adjutant.db'));
});
afterEach(() => server.closeWindows());
afterAll(async () => {
  await store.close();
  await server.stop();
});

/** Sends a reminder of a task to a new person, and returns the path that its link has. */
async function sentReminder(locale = 'en') {
  const now = Date.now();
  const [id, userId, eventId] = [newId(now), newId(now), newId(now)];
  const event = meeting(eventId, userId, now + 60 * minute, { task: 'open' });
  const sent = reminder(event, now - minute, { id, status: 'sent', sent_ms: now, urgency: 'urgent' });
  await fill(store, { users: [person(userId, { locale })], events: [event], notifications: [sent] });
  const row = await notification(id);
  return { id, userId, eventId, path: `acknowledge/${await answerToken(store, row, now)}` };
}

const notification = (id: string) =>
  store.read((db) =>
    db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('the page behind the links of a message', () => {
  it.each([
    ['', 'seen', 'Thank you. There will be no more reminders of this.'],
    ['?done', 'done', 'Thank you. The task is done.'],
    ['?snooze=10', 'snoozed', 'Thank you. The reminder comes again in 10 minutes.'],
    ['?fewer=1', 'fewer', 'Thank you. There will be fewer reminders of events like this one.'],
  ])('%s records the answer when its button is pressed in a browser', async (query, answer, thanks) => {
    const { id, userId, eventId, path } = await sentReminder();
    const page = await server.open(server.view(`${path}${query}`));
    expect(await axeViolations(page)).toEqual([]);
    await press(page, 'Confirm');
    await shows(page, thanks);
    expect(await axeViolations(page)).toEqual([]);
    const { acknowledged_by } = await notification(id);
    const recorded = await store.read(async (db) => ({
      done: (await db.selectFrom('events').select('done').where('id', '=', eventId).executeTakeFirst())?.done,
      rules: (await db.selectFrom('rules').select('id').where('user_id', '=', userId).execute()).length,
      reminders: (
        await db
          .selectFrom('notifications')
          .select('id')
          .where('user_id', '=', userId)
          .where('status', '=', 'planned')
          .execute()
      ).length,
    }));
    expect([acknowledged_by, recorded]).toEqual(
      {
        seen: ['link', { done: null, rules: 0, reminders: 0 }],
        done: ['link', { done: expect.any(String), rules: 0, reminders: 0 }],
        snoozed: [null, { done: null, rules: 0, reminders: 1 }],
        fewer: [null, { done: null, rules: 1, reminders: 0 }],
      }[answer],
    );
  });

  it('says in the language of the person that an answer was not possible', async () => {
    const { id, path } = await sentReminder('de');
    const page = await server.open(server.view(`${path}?snooze=10`));
    await store.write(({ db }) =>
      db.updateTable('notifications').set({ acknowledged_ms: Date.now() }).where('id', '=', id).execute(),
    );
    await press(page, 'Bestätigen');
    await shows(page, 'Das geht nicht mehr.');
    await page.goto(server.view(`acknowledge/${id}`));
    await shows(page, 'There is no such reminder.');
  });

  it('says that the answer could not be stored if the database fails', async () => {
    const { id, path } = await sentReminder();
    const page = await server.open(server.view(path));
    await store.write(({ db }) =>
      db.schema.alterTable('notifications').renameTo('notifications_away').execute(),
    );
    try {
      await press(page, 'Confirm');
      await shows(page, 'Your answer could not be stored. Try again in a few minutes.');
      expect(await page.locator('body').textContent()).not.toContain('jsonrpc');
    } finally {
      await store.write(({ db }) =>
        db.schema.alterTable('notifications_away').renameTo('notifications').execute(),
      );
    }
    await press(page, 'Confirm');
    await shows(page, 'Thank you.');
    expect((await notification(id)).acknowledged_by).toBe('link');
  });
});

/** Sends a request with an Origin header, which `fetch` does not allow to set. */
function statusOf(method: string, path: string, origin: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(server.view(path), { method, headers: { origin } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

describe('a page of another site', () => {
  it('such as the web app of ntfy can answer a reminder whose link it knows', async () => {
    const { id, path } = await sentReminder();
    const page = await server.open('about:blank');
    // The server under test has no public address.
    await page.context().grantPermissions(['local-network-access']);
    await page
      .context()
      .route('https://ntfy.sh/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>ntfy</title>' }),
      );
    await page.goto('https://ntfy.sh/app');
    // As ntfy does for an action of the type http.
    const send = (url: string) =>
      page.evaluate<string | number>(
        `fetch(${JSON.stringify(url)}, { method: 'POST', headers: {} }).then(({ status }) => status, String)`,
      );
    expect(await send(server.view(path))).toBe(200);
    expect((await notification(id)).acknowledged_by).toBe('link');
    expect(await send(server.view(`acknowledge/${newId(Date.now())}`))).toBe(404);
    expect(await send(server.view('mcp'))).toContain('Failed to fetch');
  });

  it.each(['null', 'https://ntfy.sh'])('with the origin %s reaches nothing else', async (origin) => {
    const { path } = await sentReminder();
    expect(await statusOf('POST', path, origin)).toBe(200);
    for (const other of ['', 'mcp', 'page/mcp', 'acknowledge', 'acknowledge/', `${path}/mcp`, `x/${path}`])
      expect([other, await statusOf('POST', other, origin)]).toEqual([other, 403]);
    expect(await statusOf('GET', 'mcp', origin)).toBe(403);
  });
});

describe('a browser that cannot be served', () => {
  it.each([
    [
      'an address that is not allowed',
      (url: string) => url.replace(/\/\/[^:]+/, '//adjutant.localhost'),
      'http.allowed_hosts',
    ],
    ['the address for MCP clients', (url: string) => `${url}mcp`, 'token'],
    ['an unknown contract', (url: string) => `${url}mcp/nonsense`, 'token'],
    ['an unknown path', (url: string) => `${url}nonsense`, 'Not found'],
  ])('shows a page for %s', async (_, address, text) => {
    const page = await server.open('about:blank');
    await page.goto(address(server.view('')));
    const shown = await page.locator('body').textContent();
    expect(shown).toContain(text);
    expect(shown).not.toContain('jsonrpc');
    expect(await axeViolations(page)).toEqual([]);
  });
});

it('the file that `adjutant open` gives to the browser leads to the page, signed in', async () => {
  writeFileSync(join(server.home, 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(process.execPath, [bundle, 'open', '--home', server.home], {
    env: { PATH: `${server.home}:${process.env['PATH']}`, HOME: server.home, DISPLAY: ':0' },
  });
  expect(status).toBe(0);
  const page = await server.open('about:blank');
  await page.goto(pathToFileURL(join(server.home, 'open.html')).href);
  await page.getByText('Connected', { exact: true }).waitFor();
});
