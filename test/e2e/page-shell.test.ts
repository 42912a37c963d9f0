import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { axeViolations, PageServer } from '../page/page-server.ts';

const server = new PageServer();
const prompt = (name: string) =>
  `${JSON.stringify({ name, title: `The ${name}`, messages: [{ role: 'user', content: { type: 'text', text: name } }] })}\n`;
beforeAll(async () => {
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  writeFileSync(join(server.home, 'prompts', 'user.jsonl'), prompt('alpha') + prompt('beta'));
  await server.start();
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const palette = (page: Page) => page.getByLabel('Search commands, prompts, runs, events and tools');
const hash = (page: Page) => page.evaluate<string>('location.hash');
const openPalette = async (page: Page, query: string) => {
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();
  await page.keyboard.type(query);
};

describe('the command palette', () => {
  it('finds and runs commands, prompts and tools with the keyboard alone', async () => {
    const page = await server.open();
    await page.locator('.row-link').getByText('The alpha').waitFor();
    await openPalette(page, 'go to runs');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Runs' }).waitFor();
    expect(await palette(page).count()).toBe(0);
    await openPalette(page, 'beta');
    await page.getByRole('option', { name: 'The beta' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The beta' }).waitFor();
    await openPalette(page, 'qqzzxxvv');
    await page.getByRole('status').getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await openPalette(page, 'list_prompts');
    await page.getByRole('option', { name: /^Call List prompts/ }).click();
    await page.getByRole('heading', { name: 'List prompts' }).waitFor();
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
  });

  it('finds events, and does not say that nothing was found while it searches', async () => {
    await callTool(server, 'create_user', { id: 'ada', name: 'Ada', timezone: 'UTC' });
    await callTool(server, 'create_event', {
      ...{ user_id: 'ada', title: 'Zeppelin', start_ts: `${dayFromNow(1)}T12:00Z` },
    });
    const page = await server.open();
    await openPalette(page, '');
    await page.evaluate(`{
      window.said = [];
      const watch = () => {
        said.push(document.querySelector('.palette-state')?.textContent);
        requestAnimationFrame(watch);
      };
      watch();
    }`);
    for (const query of ['zeppelin', 'zepp']) {
      await palette(page).fill(query);
      await page.getByRole('option', { name: /^Zeppelin/ }).waitFor();
      await page.getByRole('status').getByText('Searching').waitFor({ state: 'detached' });
    }
    const said = await page.evaluate<string[]>('said');
    expect(said).toContain('Searching…');
    expect(said).not.toContain('Nothing found.');
    await page.keyboard.press('Enter');
    await page.locator('.panel').getByRole('heading', { name: 'Zeppelin' }).waitFor();
  });

  it('undoes the last change after its message has disappeared', async () => {
    const page = await server.open();
    await page.evaluate("location.hash = '#/prompts/alpha'");
    await page.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted alpha.').waitFor();
    await openPalette(page, 'undo');
    await page.getByRole('option', { name: /Undo: Deleted alpha/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The alpha' }).waitFor();
  });
});

describe('the keyboard', () => {
  it('opens the help, switches views and leaves text fields alone', async () => {
    const page = await server.open();
    await page.locator('.list-row').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.locator('.list-row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('g r ? n');
    expect(await page.getByRole('searchbox').inputValue()).toBe('g r ? n');
    expect(await hash(page)).toBe('#/prompts?find=g+r+%3F+n');
  });

  it('resizes the list, and the width stays after a reload', async () => {
    const page = await server.open();
    await page.locator('.list-row').first().waitFor();
    const width = () => page.evaluate<number>("document.querySelector('.side').clientWidth");
    const before = await width();
    await page.getByRole('separator').focus();
    for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowRight');
    expect(await width()).toBeGreaterThan(before + 50);
    const after = await width();
    await page.reload();
    await page.locator('.list-row').first().waitFor();
    expect(await width()).toBe(after);
    await page.getByRole('separator').dispatchEvent('dblclick');
    expect(await width()).toBe(before);
  });
});

describe('an address', () => {
  it.each([
    ['#/prompts/alpha/edit', 'button', 'Save'],
    ['#/prompts/alpha/history', 'region', 'Changes'],
    ['#/prompts/+new/alpha', 'button', 'Create'],
    ['#/server/+tools/check_health', 'button', 'Call tool'],
    ['#/server/+settings?find=smtp', 'row', 'delivery.smtp_url'],
    ['#/routines/+new', 'button', 'Create routine'],
  ])('opens a part of a view: %s', async (address, role, name) => {
    const page = await server.open();
    await page.goto(server.view(address));
    await page.reload();
    await page.getByRole(role, { name }).first().waitFor();
    expect(await page.locator('h1').count()).toBe(1);
  });
});

it('fits screens from 390 to 1920 pixels in both themes without accessibility violations', {
  timeout: 90_000,
}, async () => {
  const page = await server.open();
  await page.locator('.list-row').first().waitFor();
  for (const view of ['#/prompts/alpha/edit', '#/server'])
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [1920, 'light'],
      [1280, 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(server.view(view));
      await page.locator('h1').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), view).toBe(true);
      expect(await axeViolations(page), `${view} at ${width}`).toEqual([]);
    }
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

it('sends its files and data compressed, and unchanged files only once', async () => {
  const get = (headers: Record<string, string>) => fetch(server.view('main.js'), { headers });
  const first = await get({ 'accept-encoding': 'gzip' });
  expect(first.headers.get('content-encoding')).toBe('gzip');
  expect(await first.text()).toContain('adjutant-token');
  expect((await get({ 'accept-encoding': 'identity' })).headers.get('content-encoding')).toBeNull();
  const again = await get({ 'if-none-match': first.headers.get('etag')! });
  expect([again.status, await again.text()]).toEqual([304, '']);
  for (const path of ['main.js.map', '..%2fadjutant.cjs', 'nothing-ABCDEFGH.js'])
    expect((await fetch(server.view(path))).status).toBe(404);
});
