import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { PageServer } from '../page/page-server.ts';

const server = new PageServer();
const ics = (title: string) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'BEGIN:VEVENT', `UID:${title}`],
    ...['DTSTAMP:20260101T000000Z', `DTSTART:${dayFromNow(0).replaceAll('-', '')}T120000Z`, 'DURATION:PT1H'],
    ...[`SUMMARY:${title}`, 'END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');

beforeAll(async () => {
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  const prompt = (name: string) =>
    `${JSON.stringify({ name, title: name, tags: ['sea'], messages: [{ role: 'user', content: { type: 'text', text: name } }] })}\n`;
  writeFileSync(join(server.home, 'prompts', 'user.jsonl'), prompt('alpha') + prompt('beta'));
  await server.start();
  await callTool(server, 'create_user', { id: 'ada', name: 'Ada', timezone: 'UTC' });
  for (const title of ['Regatta', 'Choir'])
    await callTool(server, 'import_calendar', { user_id: 'ada', name: title, content: ics(title) });
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const hash = (page: Page) => page.evaluate<string>('location.hash');
const back = (page: Page) => page.evaluate('history.back()');
const event = (page: Page, title: string) => page.locator('.calendar .event').getByText(title).first();

describe('the calendar', () => {
  it('writes the person and the layout into its address, without a step for Back', async () => {
    const page = await server.open();
    await page.evaluate("location.hash = '#/today'");
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.evaluate("location.hash = '#/calendar'");
    await expect.poll(() => hash(page)).toBe('#/calendar/ada?show=week');
    await back(page);
    await expect.poll(() => hash(page)).toBe('#/today');
    const phone = await server.open(server.address, { viewport: { width: 390, height: 800 } });
    await phone.evaluate("location.hash = '#/calendar'");
    await expect.poll(() => hash(phone)).toBe('#/calendar/ada?show=agenda');
  });

  it('keeps layout, day, hidden calendars and the event over a reload, and Back undoes one after the other', async () => {
    const page = await server.open();
    await page.evaluate("location.hash = '#/calendar'");
    await event(page, 'Choir').waitFor();
    const addresses = [await hash(page)];
    const step = async (press: () => Promise<void>) => {
      await press();
      await expect.poll(() => hash(page)).not.toBe(addresses.at(-1));
      addresses.push(await hash(page));
    };
    await step(() => page.getByRole('tab', { name: 'Month' }).click());
    await step(() => page.getByRole('button', { name: 'Choir', exact: true }).click());
    await event(page, 'Choir').waitFor({ state: 'detached' });
    await step(() => event(page, 'Regatta').click());
    await page.reload();
    await page.locator('.panel').getByRole('heading', { name: 'Regatta' }).waitFor();
    expect(await page.locator('.calendar .event').getByText('Choir').count()).toBe(0);
    expect(await hash(page)).toBe(addresses.at(-1));
    for (const before of addresses.slice(0, -1).reverse()) {
      await back(page);
      await expect.poll(() => hash(page)).toBe(before);
    }
    await page.locator('.week').waitFor();
    await event(page, 'Choir').waitFor();
  });
});

it('the list of prompts keeps its search and filters over a reload and while prompts are opened', async () => {
  const page = await server.open();
  await page.getByLabel('Show', { exact: true }).selectOption('problems');
  await page.getByLabel('Source').selectOption('user');
  await page.getByLabel('Show', { exact: true }).selectOption('');
  await page.getByLabel('Search prompts').fill('#sea');
  await page.locator('.row-link').getByText('beta').click();
  await page.getByRole('heading', { name: 'beta' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'beta' }).waitFor();
  expect(await page.getByLabel('Search prompts').inputValue()).toBe('#sea');
  expect(await page.getByLabel('Source').inputValue()).toBe('user');
  await back(page);
  await page.getByRole('heading', { name: 'beta' }).waitFor({ state: 'detached' });
  expect(await page.getByLabel('Source').inputValue()).toBe('user');
});
