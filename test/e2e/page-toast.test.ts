import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { PageServer } from '../page/page-server.ts';

const server = new PageServer();
beforeAll(async () => {
  await server.start();
  await callTool(server, 'create_user', { id: 'ada', name: 'Ada', timezone: 'UTC' });
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const toast = (page: Page) => page.locator('.toast.shown');
const undo = (page: Page) => page.locator('.toast').getByRole('button', { name: 'Undo' });

it('a message with Undo stays for eight seconds, and longer while it has the focus', async () => {
  await callTool(server, 'create_prompt', {
    ...{
      name: 'tides',
      title: 'Tides',
      messages: [{ role: 'user', content: { type: 'text', text: 'Low' } }],
    },
  });
  const page = await server.open();
  const { clock } = page.context();
  await clock.install();
  await page.evaluate("location.hash = '#/prompts/tides'");
  await page.getByRole('button', { name: /^More about/ }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await toast(page).waitFor();
  await clock.fastForward(6000);
  expect(await toast(page).count()).toBe(1);
  await undo(page).focus();
  await clock.fastForward(60_000);
  expect(await toast(page).count()).toBe(1);
  await page.keyboard.press('Tab');
  await clock.fastForward(9000);
  await toast(page).waitFor({ state: 'detached' });
});

it('the undo of a move keeps what somebody else has changed since, and says so', async () => {
  const { id: event_id } = await callTool<{ id: string }>(server, 'create_event', {
    ...{
      user_id: 'ada',
      title: 'Regatta',
      start_ts: `${dayFromNow(0)}T12:00`,
      end_ts: `${dayFromNow(0)}T13:00`,
    },
  });
  const page = await server.open();
  await page.evaluate("location.hash = '#/calendar/ada'");
  const event = page.locator('.week .event').filter({ hasText: /Regatta/ });
  await event.first().focus();
  await page.keyboard.press('Alt+ArrowDown');
  await toast(page)
    .getByText(/^Moved “Regatta”/)
    .waitFor();
  await callTool(server, 'update_event', {
    event_id,
    start_ts: `${dayFromNow(0)}T18:00`,
    end_ts: `${dayFromNow(0)}T19:00`,
  });
  await undo(page).click();
  await toast(page)
    .getByText(/“Regatta” was changed again since/)
    .waitFor();
  const { start_ts } = await callTool<{ start_ts: string }>(server, 'get_event', { event_id });
  expect(start_ts).toContain('T18:00');
});
