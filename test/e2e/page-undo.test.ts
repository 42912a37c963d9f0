import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { wholeList } from '../../src/paging.ts';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { PageServer } from '../page/page-server.ts';
import { bundle } from '../program.ts';

vi.setConfig({ testTimeout: 60_000 });
const server = new PageServer();
const tomorrow = dayFromNow(1);
const calendarFile = join(server.home, 'tides.ics');
const moonFile = join(server.home, 'moon.ics');
let page: Page;

const call = <Result>(name: string, args: object = {}) => callTool<Result>(server, name, args);
type Rows = readonly Readonly<Record<string, unknown>>[];

/** A calendar with events tomorrow, at these hours. */
function calendar(...events: readonly (readonly [title: string, hour: number])[]): string {
  const day = tomorrow.replaceAll('-', '');
  const lines = events.map(([title, hour]) => {
    const start = `DTSTART:${day}T${String(hour).padStart(2, '0')}0000Z`;
    return `BEGIN:VEVENT\r\nUID:${title}\r\nDTSTAMP:20260101T000000Z\r\n${start}\r\nSUMMARY:${title}\r\nEND:VEVENT\r\n`;
  });
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//EN\r\n${lines.join('')}END:VCALENDAR\r\n`;
}

beforeAll(async () => {
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  const messages = [{ role: 'user', content: { type: 'text', text: 'Explain the tides.' } }];
  writeFileSync(
    join(server.home, 'prompts', 'user.jsonl'),
    `${JSON.stringify({ name: 'tides', title: 'Tides', messages })}\n`,
  );
  writeFileSync(calendarFile, calendar(['Ferry', 8]));
  writeFileSync(moonFile, calendar(['New moon', 15], ['Eclipse', 11]));
  await server.start({ ADJUTANT_DELIVERY_WITH_SERVER: 'false' });
  await call('create_user', {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'UTC', locale: 'en' },
    ...{ quiet_start: '21:00', quiet_end: '07:00', reminders: { online: ['5m'] } },
    channels: ['tgram://1'],
  });
  const start_ts = `${tomorrow}T12:00`;
  await call('create_event', { user_id: 'ada', title: 'Dentist', start_ts, location: 'Harbour 1' });
  await call('create_event', { user_id: 'ada', title: 'Taxes', start_ts: `${tomorrow}T17:00`, task: 'open' });
  const series = { title: 'Choir', start_ts: `${tomorrow}T18:00`, rrule: 'FREQ=DAILY;COUNT=4' };
  await call('create_event', { user_id: 'ada', ...series });
  const content = calendar(['New moon', 14], ['Half moon', 10]);
  await call('import_calendar', { user_id: 'ada', name: 'moon.ics', content });
  await call('set_rule', { user_id: 'ada', rule_type: 'travel_buffer', rule_json: { minutes: 20 } });
  page = await server.open();
  await page.setViewportSize({ width: 1400, height: 1000 });
});
afterAll(() => server.stop());

/** Everything that the changes below can change, without identifiers and revisions. */
async function everything(): Promise<string> {
  const pick = (rows: Rows, ...names: readonly string[]) =>
    rows.map((row) => names.map((name) => JSON.stringify(row[name])).join(' ')).sort();
  const ada = { user_id: 'ada', ...wholeList };
  const { prompts } = await call<{ prompts: Rows }>('list_prompts', { source: 'user' });
  const texts = prompts.some(({ name }) => name === 'tides')
    ? pick([await call('show_prompt', { name: 'tides' })], 'title', 'text', 'template', 'messages')
    : [];
  const { users } = await call<{ users: Rows }>('list_users');
  const { events } = await call<{ events: Rows }>('list_events', ada);
  const { rules } = await call<{ rules: Rows }>('list_rules', ada);
  const { calendars } = await call<{ calendars: Rows }>('list_calendars', ada);
  // As the worker does after a change.
  await call('plan_notifications', { user_id: 'ada' });
  const { notifications } = await call<{ notifications: Rows }>('list_notifications', ada);
  return JSON.stringify({
    prompts: pick(prompts, 'name', 'description'),
    texts,
    users: pick(
      users,
      'name',
      'locale',
      'quiet_start',
      'reminders',
      'phone_e164',
      'channels',
      'channel_pref',
    ),
    events: pick(events, 'title', 'start_ts', 'location', 'description', 'task'),
    rules: pick(rules, 'rule_type', 'rule_json'),
    calendars: pick(calendars, 'name'),
    planned: pick(
      notifications.filter(({ status }) => status === 'planned'),
      'plan_time',
      'channel',
      'change',
    ),
  });
}

const panel = () => page.locator('.panel');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const go = (hash: string) => page.evaluate(`location.hash = '#/'; location.hash = '${hash}'`);
const openPanel = async (name: string) => {
  await go(`#/calendar/ada/${name}?show=agenda`);
  await panel().waitFor();
};
const openEvent = async (title: string) => {
  await go('#/calendar/ada?show=agenda');
  await page.getByRole('list', { name: 'Agenda' }).getByText(title).click();
};

it.each<readonly [string, () => Promise<void>]>([
  [
    'a new prompt',
    async () => {
      await go('#/prompts/+new');
      await page.getByLabel('Name').fill('moon');
      await page.getByLabel('Title').fill('Moon');
      await page.getByLabel('Text', { exact: true }).fill('Explain the moon.');
      await button('Create').click();
    },
  ],
  [
    'a changed prompt',
    async () => {
      await go('#/prompts/tides/edit');
      await page.getByLabel('Text', { exact: true }).fill('Explain the tides again.');
      await button('Save').click();
    },
  ],
  [
    'a deleted prompt',
    async () => {
      await go('#/prompts/tides');
      await page.getByRole('button', { name: /^More about/ }).click();
      await page.locator('article').getByRole('button', { name: 'Delete' }).click();
    },
  ],
  [
    'a new event',
    async () => {
      await go('#/calendar/ada?show=agenda');
      await button('New event').click();
      await panel().getByLabel('Title').fill('Concert');
      await button('Add event').click();
    },
  ],
  [
    'a changed event',
    async () => {
      await openEvent('Dentist');
      await panel().getByRole('button', { name: 'Edit' }).click();
      await panel().getByLabel('Title').fill('Surgeon');
      await panel().getByLabel('Place').fill('');
      await panel().getByLabel('Notes').fill('Bring the card.');
      await button('Save').click();
    },
  ],
  [
    'a deleted event',
    async () => {
      await openEvent('Dentist');
      await panel().getByRole('button', { name: 'Delete' }).click();
      expect(await button('Delete event').count()).toBe(0);
    },
  ],
  [
    'a cancelled notification',
    async () => {
      await openEvent('Dentist');
      await panel()
        .getByRole('button', { name: /^More about this reminder/ })
        .first()
        .click();
      await panel().getByRole('button', { name: 'Cancel', exact: true }).first().click();
    },
  ],
  [
    'a rule from “Fewer like these”',
    async () => {
      await openEvent('Dentist');
      await panel().getByRole('button', { name: 'Fewer like these' }).click();
    },
  ],
  [
    'a deleted date of a series',
    async () => {
      await go('#/calendar/ada?show=agenda');
      await page.getByRole('list', { name: 'Agenda' }).getByText('Choir').nth(1).click();
      await panel().getByRole('button', { name: 'Delete' }).click();
      await button('Delete event').click();
    },
  ],
  [
    'a new task',
    async () => {
      await openPanel('tasks');
      await panel().getByLabel('Task', { exact: true }).fill('Paint the boat');
      await button('Add task').click();
    },
  ],
  [
    'a completed task',
    async () => {
      await openPanel('tasks');
      await panel()
        .locator('li')
        .filter({ hasText: /Taxes/ })
        .getByRole('button', { name: 'Done', exact: true })
        .click();
    },
  ],
  [
    'a new rule',
    async () => {
      await openPanel('settings');
      await panel().getByLabel('Addresses, or @example.com').fill('boss@example.com');
      await button('Add rule').click();
    },
  ],
  [
    'a deleted rule',
    async () => {
      await openPanel('settings');
      await button('Delete rule').click();
    },
  ],
  [
    'changed settings of a person',
    async () => {
      await openPanel('settings');
      await panel().getByLabel('Phone number').fill('+4930123456');
      await panel().getByLabel('Language of messages').selectOption('de');
      await panel().getByLabel('Flight').fill('3h');
      await panel().getByRole('button', { name: 'Save' }).click();
    },
  ],
  [
    'changed channels of a person',
    async () => {
      await openPanel('settings');
      await panel().getByLabel('More addresses, one per line').fill('tgram://2');
      await panel().getByLabel('Preferred channel').selectOption('telegram');
      await panel().getByRole('button', { name: 'Save' }).click();
    },
  ],
  [
    'a change of later dates of a series',
    async () => {
      await go('#/calendar/ada?show=agenda');
      await page.getByRole('list', { name: 'Agenda' }).getByText('Choir').nth(1).click();
      await panel().getByRole('button', { name: 'Edit' }).click();
      await panel().getByLabel('This and all later ones').check();
      await panel().getByLabel('Title').fill('Band');
      await button('Save').click();
    },
  ],
  [
    'a calendar that is imported again',
    async () => {
      await openPanel('calendars');
      await page.locator('input[type=file]').setInputFiles(moonFile);
    },
  ],
  [
    'a new person',
    async () => {
      await openPanel('person');
      await panel().getByLabel('Name').fill('Bo');
      await panel().getByRole('button', { name: 'Add person' }).click();
    },
  ],
  [
    'a subscription',
    async () => {
      await openPanel('calendars');
      await panel().getByLabel('Address or path').fill(calendarFile);
      await button('Subscribe').click();
    },
  ],
  [
    'an imported calendar',
    async () => {
      await openPanel('calendars');
      await page.locator('input[type=file]').setInputFiles(calendarFile);
    },
  ],
  [
    'sample data',
    async () => {
      await go('#/server');
      await button('Load sample data').click();
    },
  ],
])('%s is made at once and can be undone', async (_, act) => {
  const before = await everything();
  await act();
  const undo = page.locator('.toast').getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  expect(await everything()).not.toBe(before);
  await undo.click();
  await undo.waitFor({ state: 'detached' });
  expect(await everything()).toBe(before);
});

/** The reminders of an event as `status` or `status acknowledged`, by time. */
async function reminders(user_id: string, title: string): Promise<readonly string[]> {
  const { events } = await call<{ events: Rows }>('list_events', { user_id, ...wholeList });
  const { id } = events.find((event) => event['title'] === title)!;
  const span = { user_id, days_back: 1, days_forward: 30, ...wholeList };
  const { notifications } = await call<{ notifications: Rows }>('list_notifications', span);
  return notifications
    .filter(({ event_id }) => event_id === id)
    .map(({ status, acknowledged_at }) => `${status}${acknowledged_at ? ' acknowledged' : ''}`);
}
const undo = () => page.locator('.toast').getByRole('button', { name: 'Undo' });

it('a prompt can be deleted right after a change of it was undone, and restored', async () => {
  await go('#/prompts/tides/edit');
  await page.getByLabel('Text', { exact: true }).fill('Explain the tides once more.');
  await button('Save').click();
  // The page still shows the changed prompt for a while after the undo.
  await page.route('**/page/mcp', async (route) => {
    if (route.request().headers()['mcp-name'] === 'show_prompt') await pause(2000);
    await route.continue();
  });
  await undo().click();
  await undo().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^More about/ }).click();
  await page.locator('article').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.toast').getByText('Deleted tides.').waitFor();
  // Requests that are still held back must go on before the browser stops asking about them.
  await page.unrouteAll({ behavior: 'wait' });
  await undo().click();
  await undo().waitFor({ state: 'detached' });
  expect((await call<{ prompts: Rows }>('list_prompts', { source: 'user' })).prompts).toHaveLength(1);
});

it('several changes are undone one after the other after a reload and a restart of the server', async () => {
  const before = await everything();
  await openEvent('Dentist');
  await panel().getByRole('button', { name: 'Delete' }).click();
  await page.locator('.toast').getByText('Deleted “Dentist”.').waitFor();
  await go('#/prompts/tides');
  await page.getByRole('button', { name: /^More about/ }).click();
  await page.locator('article').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.toast').getByText('Deleted tides.').waitFor();
  await server.stopServer();
  await server.startServer();
  await page.reload();
  await page.locator('.live.on').waitFor();
  await page.keyboard.press('z');
  await page.locator('.toast').getByText('Undone: Deleted tides.').waitFor();
  await page.keyboard.press('z');
  await page.locator('.toast').getByText('Undone: Deleted “Dentist”.').waitFor();
  expect(await everything()).toBe(before);
});

it('a deleted event is gone although the tab is closed and offline right after “Deleted”', async () => {
  const start_ts = `${dayFromNow(2)}T12:00`;
  // A retry finds only its own event.
  const title = `Sailing ${Date.now()}`;
  const event = { user_id: 'ada', title, start_ts };
  const { id } = await call<{ id: string }>('create_event', event);
  await call('plan_notifications', { user_id: 'ada' });
  expect(await reminders('ada', title)).toContain('planned');
  const tab = await server.open();
  await tab.evaluate("location.hash = '#/calendar/ada'");
  await tab.getByRole('tab', { name: 'Agenda' }).click();
  await tab.getByRole('list', { name: 'Agenda' }).getByText(title).click();
  await tab.locator('.panel').getByRole('button', { name: 'Delete' }).click();
  await tab.locator('.toast').getByText(`Deleted “${title}”.`).waitFor();
  await tab.context().setOffline(true);
  await tab.close();
  const { events } = await call<{ events: Rows }>('list_events', { user_id: 'ada', ...wholeList });
  expect(events.map((one) => one['title'])).not.toContain(title);
  const { notifications } = await call<{ notifications: Rows }>('list_notifications', {
    ...{ user_id: 'ada', status: 'planned', days_forward: 30, ...wholeList },
  });
  expect(notifications.filter(({ event_id }) => event_id === id)).toEqual([]);
});

it('an applied plan can be undone, and stays so', async () => {
  await everything();
  // An event that is created is planned at once; one that is imported waits for the next plan.
  await call('import_calendar', { user_id: 'ada', content: calendar(['Regatta', 12]), name: 'Regattas' });
  await go('#/server/+messages/plan?person=ada');
  await button('Apply plan').click();
  await undo().waitFor();
  expect(await reminders('ada', 'Regatta')).toContain('planned');
  await undo().click();
  await undo().waitFor({ state: 'detached' });
  await everything();
  expect(new Set(await reminders('ada', 'Regatta'))).toEqual(new Set(['cancelled']));
});

it('an acknowledgement can be undone, and the other reminders come again', async () => {
  const always = { quiet_start: '00:00', quiet_end: '00:00' };
  await call('create_user', { id: 'kim', name: 'Kim', email: 'kim@example.com', timezone: 'UTC', ...always });
  const start_ts = new Date(Date.now() + 3_602_000).toISOString();
  await call('create_event', { user_id: 'kim', title: 'Launch', start_ts, reminders: ['1h', '10m'] });
  await call('plan_notifications', { user_id: 'kim' });
  const worker = [bundle, 'worker', '--once', '--home', server.home];
  await expect
    .poll(() => execFileSync(process.execPath, worker, { stdio: 'ignore' }) ?? reminders('kim', 'Launch'), {
      timeout: 30_000,
    })
    .toEqual(['sent', 'planned']);
  await go('#/calendar/kim');
  await page.getByRole('tab', { name: 'Agenda' }).click();
  await page.getByRole('list', { name: 'Agenda' }).getByText('Launch').click();
  await button('Acknowledge').click();
  await undo().waitFor();
  expect(await reminders('kim', 'Launch')).toEqual(['sent acknowledged', 'cancelled']);
  await undo().click();
  await undo().waitFor({ state: 'detached' });
  expect(await reminders('kim', 'Launch')).toEqual(['sent', 'planned']);
});
