import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PageServer, seriousViolations, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
// A separate worker process delivers the notifications.
beforeAll(() => server.start({ ADJUTANT_DELIVERY_WITH_SERVER: 'false' }));
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

/** Calls a tool as another client would. */
async function call(name: string, args: object): Promise<void> {
  const token = /token=(.*)/.exec(server.address)![1];
  const { status } = await fetch(`${server.view('')}mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  expect(status).toBe(200);
}

const calendar = (title: string) => `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:${title}
DTSTAMP:20260101T000000Z
DTSTART:${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}T120000Z
DURATION:PT1H
SUMMARY:${title}
END:VEVENT
END:VCALENDAR
`;

describe('the calendar', () => {
  it('is empty at first, and loads and removes the sample data', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Calendar' }).click();
    await shows(page, /Begin with a reminder/);
    await page.getByRole('button', { name: 'Load sample data' }).click();
    await shows(page, 'Week');
    // The calendar appears before loading has finished, and removing it earlier would race with loading.
    await shows(page, /^Sample data loaded/);
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('button', { name: 'Remove sample data' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Calendar' }).click();
    await shows(page, /Begin with a reminder/);
  });

  it('shows the calendar of a person who is added on the page', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Calendar' }).click();
    await page.getByLabel('Name').fill('Cleo');
    await page.getByLabel('Time zone').fill('Nowhere/Land');
    await page.getByRole('button', { name: 'Add' }).click();
    await page
      .getByRole('alert')
      .getByText(/Nowhere\/Land/)
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByLabel('Time zone').fill('Africa/Cairo');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: 'Cleo' }).waitFor();
    await shows(page, 'Cairo');
  });

  it('previews a plan before applying it, and shows the reason for each notification', async () => {
    const page = await server.open();
    await call('create_user', {
      id: 'ada',
      name: 'Ada',
      email: 'ada@example.com',
      timezone: 'Europe/Berlin',
    });
    // An event that is created is planned at once; one that is imported waits for the next plan.
    await call('import_calendar', { user_id: 'ada', content: calendar('Board meeting'), name: 'Board' });
    await page.goto(server.view('#/calendar/ada'));
    await page.getByRole('tab', { name: 'Agenda' }).click();
    await shows(page, 'Board meeting');
    await page.goto(server.view('#/server/+messages/plan?person=ada'));
    await shows(page, 'Applying this plan makes these changes:');
    await page.getByRole('button', { name: 'Apply plan' }).click();
    await page.locator('.mark.planned').first().waitFor();
    await page.getByText('Board meeting').first().click();
    await page.locator('.panel .notification.planned').first().waitFor();
    // The page uses the time format of the messages, which are in the person's language.
    const panel = await page.locator('.panel').textContent();
    expect(panel).toMatch(/\d:\d\d\s[AP]M/);
    expect(panel).not.toMatch(/\b(1[3-9]|2[0-3]):\d\d/);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Week' }).click();
    await page.locator('.quiet-hours').first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.goto(server.view('#/server/+messages/plan?person=ada'));
    await shows(page, 'The plan is up to date.');
  });

  it('updates every window when another process sends a notification', async () => {
    await call('create_user', { id: 'bob', name: 'Bob', email: 'bob@example.com', timezone: 'UTC' });
    await call('update_user', { user_id: 'bob', quiet_start: '00:00', quiet_end: '00:00' });
    await call('create_event', {
      user_id: 'bob',
      title: 'Dentist',
      start_ts: new Date(Date.now() + 2 * 3_600_000).toISOString(),
    });
    await call('plan_notifications', { user_id: 'bob' });
    const windows = [await server.open(), await server.open()];
    // A second tab of the same browser window shares the change stream of the first tab.
    windows.push(await server.openTab(windows[0]!));
    for (const page of windows) {
      await page.goto(server.view('#/calendar/bob'));
      await page.getByRole('tab', { name: 'Agenda' }).click();
      await page.getByText('Dentist').first().click();
      await page.locator('.panel .notification.planned').waitFor();
    }
    await windows[1]!.goto(server.view('#/server/+messages/outbox?person=bob'));
    await shows(windows[1]!, /^No messages yet\./);
    // Make the notification due.
    const moment = Date.now() - 1000;
    const store = new DatabaseSync(join(server.home, 'adjutant.db'), { timeout: 5000 });
    store.exec(`update notifications set plan_ms = ${moment}, next_ms = ${moment} where user_id = 'bob'`);
    store.close();
    await promisify(execFile)(process.execPath, [bundle, 'worker', '--once', '--home', server.home]);
    await windows[0]!.locator('.panel .notification.sent').waitFor();
    for (const page of [windows[0]!, windows[2]!]) await page.locator('.list-row .mark.sent').waitFor();
    // The outbox shows the message as its recipient would read it.
    const message = windows[1]!.locator('.outbox details').first();
    await message
      .locator('summary')
      .getByText(/Dentist.* to Bob <bob@example\.com>/)
      .waitFor();
    await message.locator('summary').click();
    expect(await message.locator('pre').textContent()).not.toMatch(/Content-Type|MIME-Version/);
  });

  it('shows the time of each event in the week, and whole chips for all-day events', async () => {
    await call('create_user', { id: 'eve', name: 'Eve', email: 'eve@example.com', timezone: 'UTC' });
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const next = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await call('create_event', { user_id: 'eve', title: 'Checkup', start_ts: `${day}T10:15:00Z` });
    const titles = ['Fair', 'Holiday', 'Market'];
    const lines = titles.map((title) =>
      calendar(title)
        .replace(/^DTSTART.*$/m, `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`)
        .replace(/^DURATION.*$/m, `DTEND;VALUE=DATE:${next.replaceAll('-', '')}`),
    );
    const page = await server.open();
    await page.goto(server.view('#/calendar/eve'));
    await page.locator('input[type=file]').setInputFiles(
      lines.map((text, index) => ({
        name: `${titles[index]}.ics`,
        mimeType: 'text/calendar',
        buffer: Buffer.from(text),
      })),
    );
    await page.getByRole('tab', { name: 'Week' }).click();
    await call('plan_notifications', { user_id: 'eve' });
    await page.locator('.week .event').getByText('10:15').waitFor();
    await page.locator('.all-day .event').nth(2).waitFor();
    const clipped = `[...document.querySelectorAll('.all-day')].filter((box) =>
      box.scrollHeight > box.clientHeight ||
      [...box.querySelectorAll('b')].some((title) => title.offsetHeight > title.parentElement.clientHeight),
    ).length`;
    expect(await page.evaluate(clipped)).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('imports calendar files that are selected or dropped', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Calendar' }).click();
    await page.getByRole('tab', { name: 'Agenda' }).click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'mine.ics',
      mimeType: 'text/calendar',
      buffer: Buffer.from(calendar('Selected')),
    });
    await shows(page, 'mine.ics: 1 added');
    await shows(page, 'Selected');
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(calendar('Dropped in'))}], 'mine.ics'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
    await shows(page, 'Dropped in');
    // A file with the same name but another event does not replace the first import.
    await shows(page, 'Selected');
  });

  it('indents an event that begins later, and lists three or more that overlap', async () => {
    await call('create_user', { id: 'cora', name: 'Cora', timezone: 'UTC' });
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const create = (title: string, start: string, end: string) =>
      call('create_event', {
        ...{ user_id: 'cora', title, start_ts: `${day}T${start}:00Z`, end_ts: `${day}T${end}:00Z` },
      });
    for (let index = 0; index < 7; index++) await create(`Talk ${index}`, '12:00', '13:30');
    await create('Review', '15:00', '16:00');
    await create('Budget', '15:45', '17:00');
    const page = await server.open();
    await page.goto(server.view('#/calendar/cora'));
    // The later event lies on the earlier one, and has the whole width while it has the focus.
    const place = page.locator('.placed').filter({ hasText: /^Budget/ });
    await place.waitFor();
    const share = async () => {
      const { width } = (await place.boundingBox())!;
      return width / (await page.locator(`.week-column[data-day="${day}"]`).boundingBox())!.width;
    };
    expect(await share()).toBeLessThan(0.8);
    await place.locator('button').focus();
    await expect.poll(share).toBeGreaterThan(0.99);
    expect(await page.locator('.cluster .event').count()).toBe(2);
    await page.getByRole('button', { name: /^\+5 more at / }).click();
    expect(await seriousViolations(page)).toEqual([]);
    const last = page.locator('.overflow-list button').nth(3);
    const title = (await last.textContent())!;
    await last.click();
    await page.getByRole('heading', { name: title }).waitFor();
  });

  it('shows grey lines until it arrives, and an empty agenda offers a new event', async () => {
    await call('create_user', { id: 'emil', name: 'Emil', timezone: 'UTC' });
    const page = await server.open();
    const { promise: mayGoOn, resolve } = Promise.withResolvers<void>();
    await page.route('**/page/mcp', async (route) => {
      if (route.request().headers()['mcp-name'] === 'list_users') await mayGoOn;
      await route.continue();
    });
    await page.evaluate("location.hash = '#/calendar/emil?show=agenda'");
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
    resolve();
    await shows(page, /^No events in the next 30 days/);
    expect(await seriousViolations(page)).toEqual([]);
    await page.locator('.empty').getByRole('button', { name: 'New event' }).click();
    await page.locator('.panel').getByLabel('Title').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('reports a file that is not a calendar and imports the others', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Calendar' }).click();
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'text/calendar',
      buffer: Buffer.from(text),
    });
    await page
      .locator('input[type=file]')
      .setInputFiles([file('no.ics', 'not a calendar'), file('yes.ics', calendar('Right'))]);
    // The message lists the results of both files.
    await page
      .locator('.toast.shown')
      .getByText(/^no\.ics: .*calendar.*\s*yes\.ics: 1 added/)
      .waitFor();
    expect(await page.locator('input[type=file]').inputValue()).toBe('');
  });
});
