import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { callTool } from '../page/calendar-client.ts';
import { typeInto } from '../page/form-drafts.ts';
import { PageServer } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
beforeAll(async () => {
  await server.start();
  await callTool(server, 'create_user', { id: 'ada', name: 'Ada', timezone: 'UTC' });
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const tokens = (...args: readonly string[]) =>
  execFileSync(process.execPath, [bundle, 'tokens', ...args, '--home', server.home, '--quiet'], {
    encoding: 'utf8',
  }).trim();
const openWith = (token: string) => server.open(server.view(`#token=${token}`));
const connected = (page: Page) => page.locator('.live.on').waitFor();
const signInForm = (page: Page) => page.getByLabel('Token or full address').waitFor();

async function showNewPrompt(page: Page): Promise<string> {
  await page.evaluate("location.hash = '#/prompts/+new'");
  return page.getByLabel(/^Text/).inputValue();
}

async function typeNewPrompt(page: Page, text: string): Promise<void> {
  await showNewPrompt(page);
  await page.getByLabel(/^Text/).fill(text);
}

/** All that the browser stores for the page, of every kind. */
const stored = (page: Page) =>
  page.evaluate<string>(`(async () => {
    const backup = await new Promise((resolve, reject) => {
      const opened = indexedDB.open('adjutant', 1);
      opened.onupgradeneeded = () => opened.result.createObjectStore('drafts');
      opened.onerror = () => reject(opened.error);
      opened.onsuccess = () => {
        const read = opened.result.transaction('drafts').objectStore('drafts').getAll();
        read.onsuccess = () => { opened.result.close(); resolve(read.result); };
      };
    });
    return JSON.stringify([{ ...sessionStorage }, { ...localStorage }, backup]);
  })()`);

describe('drafts', () => {
  it('hold no field that can carry a secret', async () => {
    const page = await server.open();
    await page.evaluate("location.hash = '#/calendar/ada/settings'");
    await page.getByLabel('Name').fill('Ada L');
    await page.getByLabel(/^Webhook/).fill('https://example.com/hook?key=typed-webhook');
    await page.getByLabel(/^ntfy/i).fill('typed-topic');
    await page.getByLabel(/^More addresses/).fill('matrix://typed-channel');
    await page.evaluate("location.hash = '#/server/+tools/add_calendar'");
    await page.getByLabel(/^name/).fill('typed-name');
    await page.getByLabel(/^source/).fill('https://ada:typed-password@example.com/a.ics');
    await page.evaluate("location.hash = '#/server/+tools/update_user'");
    await page.getByLabel(/^name/).fill('typed-person');
    await page.getByLabel(/^channels/).fill('matrix://typed-channel');
    await page.evaluate("location.hash = '#/calendar/ada/calendars'");
    await typeInto(page, 'calendar');
    await expect.poll(() => stored(page)).toMatch(/typed-name[\s\S]*typed-name[\s\S]*typed-name/);
    const all = await stored(page);
    expect(all).toContain('typed-person');
    for (const secret of ['webhook', 'topic', 'channel', 'password'])
      expect(all).not.toContain(`typed-${secret}`);
  });

  it('of a revoked token are there for the token that replaces it, under another name', async () => {
    const page = await openWith(tokens('create', 'old-laptop', '--scope', 'prompts:write'));
    await connected(page);
    await typeNewPrompt(page, 'Typed with the old token');
    tokens('revoke', 'old-laptop');
    await page.reload();
    await signInForm(page);
    await page
      .getByLabel('Token or full address')
      .fill(tokens('create', 'new-laptop', '--scope', 'prompts:write'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await connected(page);
    expect(await showNewPrompt(page)).toBe('Typed with the old token');
    // The backup has moved as well, and nothing is left under the old name.
    await expect.poll(() => stored(page)).not.toContain('token old-laptop');
  });

  it('of a token that still works are not shown to somebody with another token', async () => {
    const page = await openWith(tokens('create', 'grace', '--scope', 'prompts:write'));
    await connected(page);
    await typeNewPrompt(page, 'Typed by Grace');
    await page.goto(server.view(`#token=${tokens('create', 'linus', '--scope', 'prompts:write')}`));
    await page.reload();
    await connected(page);
    expect(await showNewPrompt(page)).toBe('');
  });

  it('go from every tab, and the token too, when the person signs out in one of them', async () => {
    const page = await server.open();
    await connected(page);
    await typeNewPrompt(page, 'Typed in the first tab');
    const tab = await server.openTab(page, server.view('#/prompts'));
    await connected(tab);
    await typeNewPrompt(tab, 'Typed in the second tab');
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const one of [page, tab]) {
      await signInForm(one);
      await expect.poll(() => stored(one)).not.toContain('Typed in');
      expect(await one.evaluate("sessionStorage.getItem('adjutant-token')")).toBe(null);
    }
  });
});
