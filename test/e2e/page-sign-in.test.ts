import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { PageServer } from '../page/page-server.ts';
import { startPrefixProxy } from '../prefix-proxy.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
beforeAll(() => server.start());
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const tokens = (...args: readonly string[]) =>
  execFileSync(process.execPath, [bundle, 'tokens', ...args, '--home', server.home], {
    encoding: 'utf8',
    env: { ...process.env, HOME: server.home },
  });
const connected = (page: Page) => page.getByText('Connected', { exact: true }).waitFor();
const signInForm = (page: Page) => page.getByLabel('Token or full address').waitFor();
/** Opens a view like a bookmark: the address has no token. */
const openBookmark = (sibling: Page) => server.openTab(sibling, server.view('#/runs'));

describe('signing in', () => {
  it('holds for other tabs and bookmarks, and nothing lasting contains the token', async () => {
    const page = await server.open();
    await connected(page);
    const tab = await openBookmark(page);
    await connected(tab);
    expect(tab.url()).toMatch(/#\/runs$/);
    const token = new URL(server.address).hash.replace('#token=', '');
    expect(await tab.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain(token);
    // The second tab can sign in a third one after the first was closed.
    await page.close();
    await connected(await openBookmark(tab));
  });

  it('in one tab also signs in the tabs that show the form', async () => {
    const page = await server.open(server.view('#/runs'));
    await signInForm(page);
    const tab = await openBookmark(page);
    await signInForm(tab);
    await tab.getByLabel('Token or full address').fill(server.address);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await connected(tab);
    await connected(page);
  });

  it('below a prefix of a reverse proxy › loads every view and no address outside of the prefix', async () => {
    await using proxy = await startPrefixProxy('/tools/adjutant/', new URL(server.address).origin);
    const page = await server.open(proxy.url);
    await signInForm(page);
    expect(await page.locator('pre').first().textContent()).toBe(`${proxy.url}#token=…`);
    await page.getByLabel('Token or full address').fill(server.address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await connected(page);
    for (const view of ['Prompts', 'Runs', 'Calendar', 'Server'])
      await page.getByRole('link', { name: view, exact: true }).first().click();
    await page.getByRole('heading', { name: 'Server' }).first().waitFor();
    expect(proxy.outside).toEqual([]);
  });

  it('does not reach another browser', async () => {
    await connected(await server.open());
    await signInForm(await server.open(server.view('#/runs')));
  });

  it('ends in all tabs when the token is revoked', async () => {
    const token = /adjutant_[\w-]+/.exec(tokens('create', 'guest', '--scope', 'read'))![0];
    const page = await server.open(server.view(`#token=${token}`));
    await connected(page);
    const tab = await openBookmark(page);
    await connected(tab);
    tokens('revoke', 'guest');
    for (const one of [page, tab]) {
      await one.evaluate("location.hash = '#/prompts'");
      await signInForm(one);
    }
    await signInForm(await openBookmark(page));
  });
});
