import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CalDavServer, startCalDav } from '../caldav/server.ts';
import type { Locator, Page } from '../page/browser.ts';
import { callTool, dayFromNow, findings } from '../page/calendar-client.ts';
import { PageServer, shows } from '../page/page-server.ts';

vi.setConfig({ testTimeout: 90_000 });
const server = new PageServer();
let caldav: CalDavServer;
beforeAll(async () => {
  caldav = await startCalDav('ann@example.com');
  await server.start({
    ADJUTANT_DELIVERY_WITH_SERVER: 'false',
    ADJUTANT_CALENDARS_PRIVATE_HOSTS: '127.0.0.1',
  });
});
afterEach(() => server.closeWindows());
afterAll(async () => {
  await server.stop();
  await caldav.close();
});

const call = <Result = object>(name: string, args: object) => callTool<Result>(server, name, args);
const tomorrow = dayFromNow(1);

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly start_ts: string;
  readonly end_ts: string;
}
const events = async (user_id: string) => {
  const { events: all } = await call<{ events: Listed[] }>('list_events', { user_id });
  return all.map(
    ({ title, start_ts, end_ts }) => `${title} ${start_ts.slice(0, 16)} ${end_ts.slice(11, 16)}`,
  );
};

async function open(id: string): Promise<Page> {
  const person = { id, name: id, email: `${id}@example.com`, timezone: 'UTC' };
  // A second attempt of a test starts with nothing of the first one.
  await call('delete_user', { user_id: id }).catch(() => {});
  await call('create_user', { ...person, quiet_start: '00:00', quiet_end: '00:00' });
  const page = await server.open();
  await page.goto(server.view(`#/calendar/${id}`));
  await page.locator('.week').waitFor();
  return page;
}

/** The middle of an hour in the column of tomorrow. */
async function placeOf(page: Page, hour: number): Promise<{ x: number; y: number }> {
  const column = page.locator(`.week-column[data-day="${tomorrow}"]`);
  await column.waitFor();
  await page.evaluate(
    `document.querySelector('.week').scrollTop = ${hour - 3} * document.querySelector('.week-column').offsetHeight / 24`,
  );
  const { x, y, width, height } = (await column.boundingBox())!;
  return { x: x + width / 2, y: y + (height / 24) * (hour + 0.5) + 2 };
}

const hourHeight = (page: Page) =>
  page.evaluate<number>("document.querySelector('.week-column').offsetHeight / 24");

/** Holds back the answers to create_event until `answerCreation` is called. */
const delayCreation = `{
  const { fetch } = window;
  const answered = new Promise((resolve) => (window.answerCreation = resolve));
  window.fetch = async (url, options) => {
    const response = await fetch(url, options);
    if (String(options?.body).includes('"create_event"')) await answered;
    return response;
  };
}`;

async function dragTo(
  page: Page,
  from: { x: number; y: number },
  to: { x: number; y: number },
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.locator('.ghost').first().waitFor();
  await page.mouse.up();
}

const block = (page: Page, title: string): Locator =>
  page.locator(`.week-column[data-day="${tomorrow}"] .event`).getByText(title).first();
const middle = async (one: Locator) => {
  const { x, y, width, height } = (await one.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
};

describe('events on the calendar page', () => {
  it('are created with a click or a drag, with everything a person needs, and can be undone', async () => {
    const page = await open('ada');
    const { x, y } = await placeOf(page, 9);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.up();
    await page.getByLabel('Title').fill('Clicked');
    await page.getByLabel('Place').fill('Room 4');
    await page.getByLabel('Reminders').fill('20m, 1d 17:00');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add event' }).click();
    await block(page, 'Clicked').waitFor();
    // The week gets wider when the panel closes, which may be after the event has appeared.
    await page.locator('.panel').waitFor({ state: 'detached' });
    const top = await placeOf(page, 12);
    await dragTo(page, top, { x: top.x, y: top.y + (await hourHeight(page)) * 1.5 });
    await page.getByLabel('Title').fill('Dragged');
    await page.keyboard.press('Enter');
    await block(page, 'Dragged').waitFor();
    expect(await events('ada')).toEqual([
      `Clicked ${tomorrow}T09:30 10:30`,
      `Dragged ${tomorrow}T12:30 14:00`,
    ]);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await block(page, 'Dragged').waitFor({ state: 'detached' });
    expect(await events('ada')).toEqual([`Clicked ${tomorrow}T09:30 10:30`]);
    const [{ id }] = (await call<{ events: Listed[] }>('list_events', { user_id: 'ada' })).events as [Listed];
    expect(await call('get_event', { event_id: id })).toMatchObject({
      location: 'Room 4',
      reminders: ['20m', '1d 17:00'],
    });
  });

  it('can be created while the answer to the last one is on its way', async () => {
    const page = await open('eve');
    await page.evaluate(delayCreation);
    await page.getByRole('button', { name: 'New event' }).click();
    await page.getByLabel('Title').fill('Slow');
    await page.getByRole('button', { name: 'Add event' }).click();
    await page.locator('.week .event').getByText('Slow').first().waitFor();
    const { x, y } = await placeOf(page, 9);
    await dragTo(page, { x, y }, { x, y: y + (await hourHeight(page)) });
    await page.getByLabel('Title').fill('Next');
    await page.evaluate('answerCreation()');
    await shows(page, 'Added “Slow”.');
    expect(await page.getByLabel('Title').inputValue()).toBe('Next');
  });

  it('are moved and resized at once by dragging, with undo', async () => {
    const page = await open('bea');
    await call('create_event', {
      user_id: 'bea',
      id: 'visit',
      title: 'Visit',
      start_ts: `${tomorrow}T10:00`,
    });
    await call('plan_notifications', { user_id: 'bea' });
    const store = new DatabaseSync(join(server.home, 'adjutant.db'), { timeout: 5000 });
    store.exec(`update notifications set status = 'sent', sent_ms = ${Date.now()} where user_id = 'bea'`);
    store.close();
    await placeOf(page, 10);
    const from = await middle(block(page, 'Visit'));
    await dragTo(page, from, { x: from.x, y: from.y + 2 * (await hourHeight(page)) });
    await shows(page, /^Moved “Visit”/);
    expect(await findings(page)).toEqual([]);
    expect(await events('bea')).toEqual([`Visit ${tomorrow}T12:00 13:00`]);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => events('bea')).toEqual([`Visit ${tomorrow}T10:00 11:00`]);
    await placeOf(page, 10);
    await page.locator('.week .event[title^="10:00"]').waitFor();
    const { x, y, width, height } = (await page.locator('.placed').first().boundingBox())!;
    const edge = { x: x + width / 2, y: y + height - 3 };
    await dragTo(page, edge, { x: edge.x, y: edge.y + (await hourHeight(page)) });
    await expect.poll(() => events('bea')).toEqual([`Visit ${tomorrow}T10:00 12:00`]);
  });

  it('are moved with the keyboard alone', async () => {
    const page = await open('cleo');
    await call('create_event', { user_id: 'cleo', title: 'Keys', start_ts: `${tomorrow}T10:00` });
    await block(page, 'Keys').waitFor();
    await page.locator('.placed .event').first().focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => events('cleo')).toEqual([`Keys ${tomorrow}T10:15 11:15`]);
    await page.locator('.week .event[title^="10:15"]').focus();
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(() => events('cleo')).toEqual([`Keys ${dayFromNow(2)}T10:15 11:15`]);
  });

  it('take a reminder, and are moved to times that are chosen', async () => {
    const page = await open('fay');
    const event = { user_id: 'fay', id: 'review', title: 'Tide review', start_ts: `${tomorrow}T10:00` };
    await call('create_event', event);
    await block(page, 'Tide review').click();
    const panel = page.locator('.panel');
    await panel.getByRole('heading', { name: 'Reminders' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Add' }).click();
    await expect
      .poll(() => page.evaluate('document.activeElement.closest("label")?.textContent'))
      .toContain('Reminders');
    await page.keyboard.type('20m');
    await panel.getByRole('button', { name: 'Save' }).click();
    await shows(page, /^Saved “Tide review”/);
    expect(await call('get_event', { event_id: 'review' })).toMatchObject({ reminders: ['20m'] });
    await block(page, 'Tide review').click();
    await panel.getByRole('button', { name: 'Move…' }).click();
    await page.getByLabel('Start time').selectOption(String(15 * 60));
    await panel.getByRole('button', { name: 'Move event' }).click();
    await shows(page, /^Moved “Tide review”/);
    expect(await events('fay')).toEqual([`Tide review ${tomorrow}T15:00 16:00`]);
  });

  it('of a series are changed for one date, for later ones or for all, and deleted with undo', async () => {
    const page = await open('dora');
    const rrule = 'FREQ=DAILY;COUNT=4';
    await call('create_event', {
      user_id: 'dora',
      id: 's',
      title: 'Daily',
      start_ts: `${tomorrow}T10:00`,
      rrule,
    });
    const edit = async (title: string, scope: string, to: string) => {
      await page.locator('.week .event').getByText(title).first().click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel(scope).check();
      await page.getByLabel('Title').fill(to);
      await page.getByRole('button', { name: 'Save' }).click();
      await shows(page, `Saved “${to}”.`);
      await page.locator('.week .event').getByText(to, { exact: true }).first().waitFor();
    };
    const titles = async () => (await events('dora')).map((line) => line.split(' ')[0]);
    await edit('Daily', 'Only this one', 'First');
    expect(await titles()).toEqual(['First', 'Daily', 'Daily', 'Daily']);
    await edit('Daily', 'This and all later ones', 'Later');
    expect(await titles()).toEqual(['First', 'Later', 'Later', 'Later']);
    await edit('Later', 'All of the series', 'Rest');
    expect(await titles()).toEqual(['First', 'Rest', 'Rest', 'Rest']);
    const remove = async (scope: string) => {
      await page.locator('.week .event').getByText('Rest').first().click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel(scope).check();
      await shows(page, /^dora is not notified/);
      await page.getByRole('button', { name: 'Delete event' }).click();
      await shows(page, 'Deleted “Rest”.');
    };
    await remove('All of the series');
    await page.locator('.week .event').getByText('Rest').first().waitFor({ state: 'detached' });
    await expect.poll(titles).toEqual(['First']);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.week .event').getByText('Rest').first().waitFor();
    await remove('Only this one');
    await expect.poll(titles).toEqual(['First', 'Rest', 'Rest']);
  });

  it('on a server that invites people are moved only after the recipients were shown', async () => {
    const page = await open('ann');
    const text = [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:board', 'DTSTAMP:20260101T000000Z'],
      ...['SUMMARY:Board', `DTSTART:${tomorrow.replaceAll('-', '')}T100000Z`, 'DURATION:PT1H'],
      ...[
        'ORGANIZER:mailto:ann@example.com',
        'ATTENDEE:mailto:bob@example.com',
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ],
    ].join('\r\n');
    caldav.objects.set('/cal/board.ics', text);
    caldav.schedules = true;
    await page.getByRole('button', { name: 'More about this calendar' }).click();
    await page.getByRole('button', { name: 'Calendars', exact: true }).click();
    await page.getByLabel('Address or path').fill(caldav.url);
    await page.getByLabel('A CalDAV account, which can be changed here').check();
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await shows(page, 'CalDAV, two-way, 1 event');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('.placed .event').filter({ hasText: /Board/ }).press('Alt+ArrowDown');
    await page.getByRole('button', { name: 'Move event' }).click();
    await shows(
      page,
      'The calendar server will send updates to bob@example.com. Nothing was changed or sent yet.',
    );
    expect(caldav.objects.get('/cal/board.ics')).toBe(text);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send and move' }).click();
    await shows(page, /^Moved “Board”/);
    expect(caldav.objects.get('/cal/board.ics')).toContain(`DTSTART:${tomorrow.replaceAll('-', '')}T101500Z`);
    // What was sent cannot be undone.
    expect(await page.locator('.toast').getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });
});
