import { afterEach, beforeEach, expect, it } from 'vitest';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';

let server: PageServer;
beforeEach(async () => {
  server = new PageServer();
  await server.start();
});
afterEach(async () => {
  await server.closeWindows();
  await server.stop();
});

interface People {
  readonly users: readonly { readonly id: string; readonly channels?: readonly string[] }[];
}

it.each(['#/calendar', '#/today'])(
  'the first reminder, written at %s, creates the person with the desktop',
  async (address) => {
    const page = await server.open();
    await page.evaluate(`location.hash = '${address}'`);
    await page.getByLabel('Remind me of').fill('Call Grace');
    await page.getByLabel('When', { exact: true }).fill('tomorrow 18:00');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remind me' }).click();
    await page
      .locator('.toast')
      .getByText(/^Reminder of “Call Grace” on /)
      .waitFor();
    const { users } = await callTool<People>(server, 'list_users', {});
    expect(users).toMatchObject([{ channels: ['desktop:here'] }]);
    await page.evaluate("location.hash = '#/today'");
    await page.locator('.day-event').getByText('Call Grace').waitFor();
  },
);

it('a reminder whose time is unclear stays in the form, with the reason', async () => {
  const page = await server.open();
  await page.evaluate("location.hash = '#/today'");
  await page.getByLabel('Remind me of').fill('Call Grace');
  await page.getByLabel('When', { exact: true }).fill('some day');
  await page.getByRole('button', { name: 'Remind me' }).click();
  await page
    .getByRole('alert')
    .getByText(/some day/)
    .waitFor();
  expect(await page.getByLabel('Remind me of').inputValue()).toBe('Call Grace');
});

it('a new event and a changed one › show why their reminders may not arrive', async () => {
  await callTool(server, 'create_user', {
    id: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    timezone: 'UTC',
  });
  const page = await server.open();
  await page.evaluate(
    `location.hash = '#/calendar/ada/new?times=${dayFromNow(2)}T12:00/${dayFromNow(2)}T13:00'`,
  );
  await page.getByLabel('Title').fill('Lunch');
  await page.getByRole('button', { name: 'Add event' }).click();
  await shows(page, /Added “Lunch”\..*smtp_url/i);
  await page.evaluate("location.hash = '#/calendar/ada?show=agenda'");
  await page.locator('.agenda-row').click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Title').fill('Late lunch');
  await page.getByRole('button', { name: 'Save' }).click();
  await shows(page, /Saved “Late lunch”\..*smtp_url/i);
});
