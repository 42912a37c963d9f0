import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow, findings } from '../page/calendar-client.ts';
import { PageServer, shows } from '../page/page-server.ts';

vi.setConfig({ testTimeout: 90_000 });
const server = new PageServer();
beforeAll(() => server.start({ ADJUTANT_DELIVERY_WITH_SERVER: 'false' }));
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const call = <Result = object>(name: string, args: object) => callTool<Result>(server, name, args);
const tomorrow = dayFromNow(1);

async function open(id: string, panel?: string): Promise<Page> {
  const page = await server.open();
  await page.goto(server.view(`#/calendar/${id}${panel === undefined ? '' : `/${panel}`}`));
  return page;
}
const add = (id: string, more: object = {}) =>
  call('create_user', { id, name: id, email: `${id}@example.com`, timezone: 'UTC', ...more });

describe('people on the calendar page', () => {
  it('can be added beside the sample, and changed: channels, quiet hours, lead times, rules, test message', async () => {
    await call('load_demo', {});
    const page = await server.open();
    await page.goto(server.view('#/calendar'));
    await page.getByRole('button', { name: 'More about this calendar' }).click();
    await page.getByRole('button', { name: 'Add person' }).click();
    const panel = page.locator('.panel');
    await panel.getByLabel('Name').fill('Gus');
    await panel.getByLabel('Email address').fill('gus@example.com');
    await panel.getByLabel('Time zone').fill('Europe/Berlin');
    await panel.getByRole('button', { name: 'Add person' }).click();
    await page.getByRole('heading', { name: 'Gus' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'More about this calendar' }).click();
    await page.getByRole('button', { name: 'Settings' }).click();
    await panel.getByLabel('Language of messages').selectOption('de');
    await panel.getByLabel('Phone number').fill('+4930123456');
    await panel.getByLabel('More addresses, one per line').fill('tgram://77');
    await panel.getByLabel('From').selectOption('1320');
    await panel.getByLabel('Online meeting').fill('5m, 1h email');
    await panel.getByLabel('Flight').fill('none');
    await panel.getByLabel('Daily agenda at').fill('07:30');
    expect(await findings(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Save' }).click();
    await shows(page, /^Saved\./);
    const { users } = await call<{ users: { id: string; name: string }[] }>('list_users', {});
    const { id } = users.find(({ name }) => name === 'Gus')!;
    expect(await call('get_user', { user_id: id })).toMatchObject({
      ...{ locale: 'de', phone_e164: '+4930123456', quiet_start: '22:00', quiet_end: '07:00' },
      channels: ['tgram://77'],
      reminders: { online: ['5m', '1h email'], flight: [], digest: ['07:30'] },
    });
    await panel.getByRole('button', { name: 'Send test message' }).click();
    await panel.getByText(/email to gus@example\.com/).waitFor();
    await panel.getByLabel('Addresses, or @example.com').fill('boss@example.com');
    await panel.getByRole('button', { name: 'Add rule' }).click();
    await shows(page, 'Events of boss@example.com are important');
    await panel.getByRole('button', { name: 'Delete rule' }).click();
    await shows(page, 'Rule deleted.');
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await shows(page, 'Events of boss@example.com are important');
    await panel.getByLabel('More addresses, one per line').fill('nonsense');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('alert').waitFor();
  });

  it('have calendars with their state, which can be subscribed to, synced and removed', async () => {
    await add('hal');
    const file = join(server.home, 'work.ics');
    const event = (uid: string, rule = '') =>
      `BEGIN:VEVENT\nUID:${uid}\nSUMMARY:${uid}\nDTSTART:${tomorrow.replaceAll('-', '')}T120000Z\n${rule}END:VEVENT\n`;
    const write = (...parts: readonly string[]) =>
      writeFileSync(file, `BEGIN:VCALENDAR\nVERSION:2.0\n${parts.join('')}END:VCALENDAR\n`);
    write(event('one'), event('two', 'RRULE:FREQ=NEVER\n'));
    const page = await open('hal', 'calendars');
    await page.getByLabel('Address or path').fill('/nowhere.ics');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.locator('.panel').getByRole('alert').waitFor();
    await page.getByLabel('Address or path').fill(file);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await shows(page, /^File, 2 events, last sync/);
    await shows(page, '1 problem in this calendar');
    expect(await findings(page)).toEqual([]);
    write(event('one'));
    await page.getByRole('button', { name: 'Sync now' }).click();
    await shows(page, /^File, 1 event, last sync/);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove with 1 event' }).click();
    await shows(page, /^No calendars\./);
  });

  it('have tasks, which are added and done', async () => {
    await add('ida');
    const page = await open('ida', 'tasks');
    await page.getByLabel('Task', { exact: true }).fill('Tax return');
    await page.getByLabel('Date').fill(tomorrow);
    await page.getByRole('button', { name: 'Add task' }).click();
    await page.locator('.panel').getByText('Tax return').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    const list = () => call<{ events: { task: string }[] }>('list_events', { user_id: 'ida' });
    expect((await list()).events).toMatchObject([{ task: 'done' }]);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Open' }).waitFor();
    expect((await list()).events).toMatchObject([{ task: 'open' }]);
  });

  it('find a time together: busy times beside the week, proposals, and a booking for all', async () => {
    for (const id of ['jan', 'kim']) await add(id);
    const busy = (start_ts: string, end_ts: string) =>
      call('create_event', { user_id: 'kim', title: 'Secret', start_ts, end_ts });
    // All of today, so that the first proposal does not depend on the time of the day.
    await busy(`${dayFromNow(0)}T00:00`, `${dayFromNow(1)}T00:00`);
    for (let day = 1; day < 7; day++) await busy(`${dayFromNow(day)}T09:00`, `${dayFromNow(day)}T15:00`);
    const page = await open('jan', 'find');
    await page.getByLabel('kim').check();
    await page.locator('.busy').first().waitFor();
    await page
      .getByRole('list', { name: 'Busy times' })
      .getByText(/kim: busy \d times this week/)
      .waitFor();
    expect(await page.locator('main').textContent()).not.toContain('Secret');
    await page.locator('.panel').getByLabel('Title').fill('Planning');
    await page.locator('.panel form').getByRole('button', { name: 'Find a time' }).click();
    await page.locator('.slots li').first().waitFor();
    expect(await page.locator('.slots li').first().textContent()).toMatch(/3:00\sPM/);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Book' }).first().click();
    await shows(page, 'Booked. Invited: kim.');
    const booked = async (user_id: string) =>
      (await call<{ events: { title: string }[] }>('list_events', { user_id })).events.filter(
        ({ title }) => title === 'Planning',
      ).length;
    expect([await booked('jan'), await booked('kim')]).toEqual([1, 1]);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => [await booked('jan'), await booked('kim')]).toEqual([0, 0]);
  });

  it('find messages that were not sent in the outbox, as they would read them on each channel', async () => {
    await add('mia', { ntfy_topic: 'mia-tides', channels: ['tgram://77'] });
    for (const channel of ['email', 'ntfy', 'telegram'])
      await call('test_notification', { user_id: 'mia', channel });
    const page = await open('mia');
    await page.goto(server.view('#/server/+messages/outbox?person=mia'));
    for (const title of [/by email to mia <mia@example\.com>/, /by ntfy to mia-tides/, /by telegram/]) {
      const message = page.locator('.outbox details').filter({ hasText: title });
      await message.locator('summary').click();
      const text = await message.locator('pre').textContent();
      expect(text).toContain('This is a test.');
      expect(text).not.toMatch(/[{}]|Content-Type|MIME-Version|=20/);
    }
    expect(await findings(page)).toEqual([]);
  });

  it('read their messages, their daily agenda, and what other settings would have sent', async () => {
    await add('lea', { locale: 'de', quiet_start: '00:00', quiet_end: '00:00' });
    await call('create_event', { user_id: 'lea', title: 'Friseur', start_ts: `${tomorrow}T14:00` });
    await call('plan_notifications', { user_id: 'lea' });
    const page = await open('lea');
    await page.goto(server.view('#/server/+messages/agenda?person=lea'));
    await shows(page, /^lea gets no daily agenda/);
    await page.getByLabel('Day', { exact: true }).fill(tomorrow);
    await page.locator('.message').getByText('14:00–15:00 Uhr, Friseur').waitFor();
    await page.goto(server.view('#/calendar/lea?show=agenda'));
    await page.getByText('Friseur').first().click();
    await shows(page, /^1 hour before/);
    await page.getByRole('button', { name: /^More about this reminder/ }).click();
    await page.getByRole('button', { name: 'Read message' }).click();
    await page.locator('.message').getByText('Warum: 1 Stunde vorher').waitFor();
    // Hours of the German locale, in every part of the panel.
    expect(await page.locator('.panel').textContent()).not.toMatch(/[AP]M/);
    const moment = Date.now() - 3 * 86_400_000;
    const store = new DatabaseSync(join(server.home, 'adjutant.db'), { timeout: 5000 });
    store.exec(`update events set start_ms = ${moment}, end_ms = ${moment + 3_600_000}, first_ms = ${moment},
      last_ms = ${moment} where user_id = 'lea'`);
    store.exec(`update notifications set status = 'sent', plan_ms = ${moment - 3_600_000}, event_start_ms = ${moment},
      sent_ms = ${moment - 3_600_000} where user_id = 'lea'`);
    store.close();
    await page.goto(server.view('#/server/+messages/replay?person=lea'));
    await page.getByLabel('Any event').fill('2h, 10m');
    await page.locator('.messages').getByRole('button', { name: 'Replay' }).click();
    await shows(page, /^Sent: 1\. With these settings: 2\./);
    expect(await page.locator('.messages tbody tr').count()).toBe(3);
    expect(await findings(page)).toEqual([]);
  });
});

describe('the calendar page', () => {
  it('fits from 390 to 1920 pixels in both themes, as week, month and agenda', async () => {
    await add('max');
    for (const title of ['Fair', 'Holiday'])
      await call('create_event', { user_id: 'max', title, start_ts: tomorrow, end_ts: dayFromNow(4) });
    for (let index = 0; index < 4; index++)
      await call('create_event', {
        user_id: 'max',
        title: `Talk ${index}`,
        start_ts: `${tomorrow}T1${index}:00`,
      });
    const page = await open('max');
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [740, 'light'],
      [1920, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      for (const layout of ['Week', 'Month', 'Agenda']) {
        await page.getByRole('tab', { name: layout }).click();
        await page.locator('main').getByText('Fair').first().waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        if (colorScheme === 'dark') expect(await findings(page)).toEqual([]);
      }
    }
    await page.getByRole('tab', { name: 'Month' }).click();
    await page.getByRole('button', { name: /^\d more on/ }).click();
    await page.locator('.overflow-list').getByText('Talk 3').click();
    await page.getByRole('heading', { name: 'Talk 3' }).waitFor();
    await page.getByRole('button', { name: 'Next month' }).click();
    await page.getByRole('button', { name: 'Today' }).click();
    await page
      .getByRole('button', { name: /^New event on/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'New event' }).waitFor();
  });
});
