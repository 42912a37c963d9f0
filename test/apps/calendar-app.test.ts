import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AppRig, expand, findings, fitsAtOnce, heights } from './app-rig.ts';

vi.setConfig({ testTimeout: 60_000 });
let rig: AppRig;
let call: Awaited<ReturnType<AppRig['otherClient']>>;
const start_ts = new Date(Date.now() + 3_600_000).toISOString();
beforeAll(async () => {
  rig = await AppRig.open();
  call = await rig.otherClient();
  for (const id of ['ada', 'bo', 'cy', 'di'])
    await call('create_user', { id, name: id, email: `${id}@example.com`, timezone: 'UTC' });
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const reminders = ['30m!'];
  await call('create_event', { user_id: 'cy', title: 'Regatta', start_ts: inHours(20), reminders });
  await call('plan_notifications', { user_id: 'cy' });
  for (let day = 1; day <= 7; day++)
    await call('create_event', {
      user_id: 'di',
      title: `Watch ${day}`,
      start_ts: inHours(day * 24),
      reminders,
    });
});
afterAll(() => rig[Symbol.asyncDispose]());

const titles = async (user_id: string) =>
  (await call<{ events: { title: string }[] }>('list_events', { user_id })).events.map(({ title }) => title);

it('shows events, finds a time for two people, books it and takes it back', async () => {
  await call('create_event', { user_id: 'ada', title: 'Board meeting', start_ts });
  const app = await rig.show({ tool: 'list_events', args: { user_id: 'ada' }, theme: 'dark', width: 400 });
  const { view } = app;
  await view.locator('.chat-row').getByText('Board meeting').waitFor();
  expect(await fitsAtOnce(app)).toBe(true);
  await expand(app);
  await view.getByText('Board meeting').first().waitFor();
  await call('create_event', { user_id: 'ada', title: 'Dentist', start_ts });
  await view.getByText('Dentist').first().waitFor();
  expect(await findings(app)).toEqual([]);
  await view.getByRole('button', { name: 'Find a time' }).click();
  const panel = view.getByRole('complementary', { name: 'Find a time' });
  await panel.getByLabel('Title').fill('Planning');
  await panel.getByLabel('bo').check();
  await panel.getByRole('button', { name: 'Find a time' }).click();
  await panel.getByRole('button', { name: 'Book' }).first().waitFor();
  expect(await findings(app)).toEqual([]);
  await expect.poll(async () => new Set(await heights(app)).size).toBe(1);
  await panel.getByRole('button', { name: 'Book' }).first().click();
  await view.getByText('Booked. Invited: bo.').waitFor();
  await view.getByRole('list', { name: 'Agenda' }).getByText('Planning').waitFor();
  expect([await titles('ada'), await titles('bo')]).toEqual([
    expect.arrayContaining(['Planning']),
    ['Planning'],
  ]);
  await view.getByRole('button', { name: 'Undo' }).click();
  await view.getByRole('list', { name: 'Agenda' }).getByText('Planning').waitFor({ state: 'detached' });
  expect(await titles('bo')).toEqual([]);
});

it('shows the proposals of find_time and books one of them, or nothing at all', async () => {
  const args = { people: ['bo@example.com', 'ada@example.com'], duration_minutes: 25 };
  const { page, view } = await rig.show({ tool: 'find_time', args });
  await view.getByRole('button', { name: 'Choose a time' }).click();
  const panel = view.getByRole('complementary', { name: 'Find a time' });
  await panel.getByRole('button', { name: 'Book' }).first().waitFor();
  expect(await panel.getByLabel('Length').inputValue()).toBe('25');
  await panel.getByLabel('Title').fill('Sailing');
  await page.evaluate("refused.push('create_event')");
  await panel.getByRole('button', { name: 'Book' }).first().click();
  await panel.getByText('The chat could not use create_event: The user declined the call.').waitFor();
  await page.evaluate('refused.splice(0)');
  await panel.getByRole('button', { name: 'Book' }).first().click();
  await view.getByText('Booked. Invited: ada.').waitFor();
  expect([await titles('bo'), await titles('ada')]).toEqual([
    expect.arrayContaining(['Sailing']),
    expect.arrayContaining(['Sailing']),
  ]);
});

it('creates an event with a form and asks the chat to open its link', async () => {
  const app = await rig.show({ tool: 'list_events', args: { user_id: 'bo' } });
  const { page, view } = app;
  await expand(app);
  await view.getByRole('button', { name: 'New event' }).click();
  const panel = view.getByRole('complementary', { name: 'New event' });
  await panel.getByLabel('Title').fill('Call');
  await panel.getByRole('button', { name: 'Add event' }).click();
  const entry = view.getByRole('list', { name: 'Agenda' }).getByText('Call');
  await entry.waitFor();
  await view.getByRole('button', { name: 'Undo' }).waitFor();
  // The message must not cover the last entries.
  const [covered, message] = [await entry.boundingBox(), await view.locator('.toast').boundingBox()];
  expect(message!.y).toBeGreaterThanOrEqual(covered!.y + covered!.height);
  const { events } = await call<{ events: { id: string; title: string }[] }>('list_events', {
    user_id: 'bo',
  });
  const { id } = events.find(({ title }) => title === 'Call')!;
  await call('update_event', { event_id: id, conf_link: 'https://meet.example.com/1' });
  await entry.click();
  await view.getByRole('link', { name: 'Join' }).click();
  await expect.poll(() => page.evaluate('links')).toEqual(['https://meet.example.com/1']);
});

it('shows the calendar of a person if list_channels is refused', async () => {
  const shown = { tool: 'list_events', args: { user_id: 'cy' } };
  const app = await rig.show(shown, '--exclude-tools', 'list_channels');
  const { view } = app;
  await view.locator('.chat-row').getByText('Regatta').waitFor();
  await expand(app);
  const event = view.getByRole('list', { name: 'Agenda' }).getByText('Regatta').first();
  await event.waitFor();
  // The mark of a notification has a bell instead of the icon of its channel, which its hidden text names.
  const mark = view.getByRole('list', { name: 'Agenda' }).locator('.mark').first();
  expect(await mark.textContent()).toMatch(/^\D*\d.* email planned$/);
  expect(await mark.locator('svg').count()).toBe(1);
  // A chat is no place for settings.
  expect(await view.getByRole('button', { name: 'More about this calendar' }).count()).toBe(0);
});

it('shows the next five events with their reminders, in the language of the chat', async () => {
  const shown = { tool: 'list_events', args: { user_id: 'di' }, host: { locale: 'de-DE' }, width: 400 };
  const app = await rig.show(shown);
  await app.view.locator('.chat-row').getByText('Watch 5').waitFor();
  expect(await app.view.locator('.chat-row').count()).toBe(5);
  const days = ['So', 'Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa'];
  const tomorrow = days[new Date(Date.now() + 86_400_000).getUTCDay()]!;
  await app.view
    .locator('.chat-row time')
    .getByText(new RegExp(`^${tomorrow}`))
    .first()
    .waitFor();
  expect(await fitsAtOnce(app)).toBe(true);
});
