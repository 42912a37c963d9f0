import { beforeEach, describe, expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

let assistant: TestAssistant;

beforeEach(async () => {
  assistant = openAssistant({ plansOnWrite: true });
  await assistant.call('create_user', {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' },
  });
  return async () => assistant[Symbol.asyncDispose]();
});

const change = (id: unknown, fields: JsonObject) => {
  assistant.now += 60_000;
  return assistant.call('update_event', { event_id: String(id), ...fields });
};
const update = (fields: JsonObject) => assistant.call('update_user', { user_id: 'ada', ...fields });
const create = (title: string, start_ts: string, more: JsonObject = {}) =>
  assistant.call('create_event', { user_id: 'ada', title, start_ts, ...more });
const plannedFor = async (title: string, start_ts: string, more?: JsonObject) =>
  (await create(title, start_ts, more))['planned'] as { plan_time: string; channel: string }[];

describe('lead times of a kind', () => {
  it('with a ! wake the person, and others do not', async () => {
    await update({ reminders: { flight: ['3h!'], default: ['3h'] } });
    const early = '2026-11-18T06:00';
    expect(await plannedFor('Flight LH 400', early)).toMatchObject([{ plan_time: '2026-11-18T02:00:00Z' }]);
    expect(await plannedFor('Breakfast', early)).toMatchObject([{ plan_time: '2026-11-17T19:59:00Z' }]);
  });

  it('with a ! are sent in quiet hours', async () => {
    await update({ reminders: { flight: ['3h!'] } });
    await create('Flight LH 400', '2026-11-18T06:00');
    const { notifications } = await assistant.call('list_notifications', { event_id: 'Flight LH 400' });
    expect(notifications).toMatchObject([{ origin: 'preference-quiet', urgency: 'normal' }]);
  });

  it('with a ! rest in a pause, as other settings do, but reminders of one event do not', async () => {
    await update({ reminders: { flight: ['3h!'] }, pause_to: '2026-11-20' });
    await create('Flight LH 400', '2026-11-18T06:00');
    await create('Lunch', '2026-11-18T12:00', { reminders: ['11:00'] });
    const { notifications } = await assistant.call('list_notifications', {});
    const dropped = (notifications as JsonObject[]).map(({ subject, attention }) => [
      String(subject).split(',')[0],
      String(attention).split(':')[0],
    ]);
    expect(dropped).toEqual([
      ['Flight LH 400', 'dropped'],
      ['Lunch', 'undefined'],
    ]);
  });

  it.each([
    [['3 months'], /"3 months" is no lead time: after the number comes m, h, d or w/],
    [['25:00'], /"25:00" is no lead time: a time of day has the form HH:MM/],
    [['soon'], /"soon" is no lead time: it begins with neither a number nor a time of day/],
    [['alarms'], /"alarms" is no lead time/],
    [['1h', 'default'], /"default" is no lead time/],
    [['2026-11-20T09:00'], /only a reminder for one event can have a date/],
  ])('%j are refused with what is wrong and examples', async (leads, message) => {
    await expect(update({ reminders: { flight: leads } })).rejects.toThrow(message);
    await expect(update({ reminders: { flight: leads } })).rejects.toThrow(
      'Examples: "2h", "1d 17:00 email".',
    );
  });

  it('of one event are refused in the same way', async () => {
    await expect(create('Lunch', '2026-11-18T12:00', { reminders: ['soon'] })).rejects.toThrow(
      /"soon" is no lead time: .*Examples/,
    );
  });
});

describe('words for channels', () => {
  it.each([
    [{ ntfy_topic: 'ada' }, 'push', 'ntfy'],
    [{ channels: ['desktop:here'] }, 'push', 'desktop'],
    [{ channels: ['desktop:here'], ntfy_topic: 'ada' }, 'pop up', 'desktop'],
    [{ phone_e164: '+4915112345678' }, 'phone', 'call'],
    [{ phone_e164: '+4915112345678' }, 'text', 'sms'],
    [{}, 'mail', 'email'],
  ])('with %j, %s is %s', async (addresses, word, channel) => {
    await update({ ...addresses, reminders: { flight: [`3h ${word}`] } });
    expect(await assistant.call('get_user', { user_id: 'ada' })).toMatchObject({
      reminders: { flight: [`3h ${channel}`] },
    });
    expect(await plannedFor('Lunch', '2026-11-18T12:00', { reminders: [`1h ${word}`] })).toMatchObject([
      { channel },
    ]);
  });

  it('stand for channels of kinds and for the preferred one', async () => {
    const answer = await update({
      ntfy_topic: 'ada',
      kind_channels: { doctor: 'push' },
      channel_pref: 'push',
    });
    expect(answer).toMatchObject({ kind_channels: { doctor: 'ntfy' }, channel_pref: 'ntfy' });
  });

  it.each([
    { reminders: { flight: ['3h push'] } },
    { kind_channels: { flight: 'push' } },
    { channel_pref: 'push' },
  ])('without such a channel: %j names what can be set up', async (fields) => {
    await expect(update(fields)).rejects.toThrow(
      'Ada has no address for "push". Ada has email. With update_user: ntfy (set ntfy_topic), Telegram (add tgram://CHAT to channels)',
    );
    await expect(update(fields)).rejects.toThrow('Desktop (add desktop:here to channels)');
  });
});

describe('a new address', () => {
  it('does not change the usual channel', async () => {
    await update({ channels: ['sms:+4915112345678'] });
    expect(await plannedFor('Lunch', '2026-11-18T12:00')).toMatchObject([{ channel: 'email' }]);
  });

  it('that a setting brings along does not change it either', async () => {
    await update({ phone_e164: '+4915112345678', reminders: { doctor: ['1d sms'] } });
    expect(await plannedFor('Lunch', '2026-11-18T12:00')).toMatchObject([{ channel: 'email' }]);
  });

  it('in place of the usual one says which channel is used now', async () => {
    await update({ channels: ['ntfy://ada'], unset: ['email'] });
    const { warnings } = await update({ channels: ['tgram://1'] });
    expect(warnings).toContain(
      'Reminders usually come by telegram now. channel_pref chooses another channel.',
    );
  });
});

describe('notifications of one event', () => {
  it('are listed by its title, also those that are not due this week', async () => {
    await create('Lunch', '2026-11-18T12:00');
    await create('Review', '2026-12-10T14:00');
    const { notifications } = await assistant.call('list_notifications', { event_id: 'review' });
    expect(notifications).toMatchObject([{ subject: expect.stringContaining('Review') }]);
  });
});

describe('a birthday', () => {
  const yearly = { rrule: 'FREQ=YEARLY' };

  it.each(["Ben's birthday", 'Geburtstag von Ben', 'Anniversaire de Ben', 'Cumpleaños de Ben', '🎂 Ben'])(
    '%s is mentioned on the evening before and on its day',
    async (title) => {
      expect(await plannedFor(title, '2020-12-03', yearly)).toMatchObject([
        { plan_time: '2026-12-02T16:00:00Z' },
        { plan_time: '2026-12-03T08:00:00Z' },
      ]);
    },
  );

  it('of a contact is seen by its properties', async () => {
    const lines = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:ben',
      'SUMMARY:Ben (2000)',
      'DTSTART;VALUE=DATE:20201203',
      'RRULE:FREQ=YEARLY',
      'X-NEXTCLOUD-BC-FIELD-TYPE:BDAY',
      'END:VEVENT',
      'END:VCALENDAR',
    ];
    await update({ reminders: { birthday: ['7d 09:00'] } });
    await assistant.call('import_calendar', { user_id: 'ada', content: lines.join('\r\n') });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    const { notifications } = await assistant.call('list_notifications', { event_id: 'Ben (2000)' });
    expect(notifications).toMatchObject([{ plan_time: '2026-11-26T08:00:00Z' }]);
  });

  it('follows the settings for whole days unless it has its own', async () => {
    await update({ reminders: { all_day: ['2d 10:00'] } });
    expect(await plannedFor('Birthday of Ben', '2020-12-03', yearly)).toMatchObject([
      { plan_time: '2026-12-01T09:00:00Z' },
    ]);
    await update({ reminders: { birthday: ['08:00'] } });
    expect(await plannedFor('Birthday of Bo', '2020-12-04', yearly)).toMatchObject([
      { plan_time: '2026-12-04T07:00:00Z' },
    ]);
  });

  it.each([
    ['Birthday party', '2026-12-03T18:00', {}],
    ['Birthday of the company', '2026-12-03', {}],
    ['Bank holiday', '2020-12-03', yearly],
  ])('is not %s on %s %j', async (title, start, more) => {
    await update({ reminders: { birthday: ['7d'] } });
    const planned = await plannedFor(title, start, more);
    expect(planned[0]!.plan_time >= '2026-12-02').toBe(true);
  });
});

it.each([
  { reminders: { default: ['1h'] } },
  { kind_channels: { flight: 'email' } },
  { pause_to: '2026-11-20' },
])('settings › %j say why messages may not arrive', async (fields) => {
  expect((await update(fields))['warnings']).toEqual([
    expect.stringContaining('Email is not set up'),
    expect.stringContaining('Nothing is running that sends reminders'),
  ]);
});

it.each([
  ['2026-11-15T12:00', 1],
  ['2026-11-18T12:00', 0],
  ['2026-11-16', 0],
])('an event at %s has %i warnings that its time has passed', async (start, count) => {
  const { warnings = [] } = await create('Lunch', start);
  expect((warnings as string[]).filter((one) => one.includes('has passed'))).toHaveLength(count);
});

describe('a shared calendar', () => {
  it('without a public address says what to do', async () => {
    const { url, note } = await assistant.call('share_calendar', { user_id: 'ada' });
    expect(url).toMatch(/^\/feeds\//);
    expect(note).toMatch(/start "adjutant serve --http".*set delivery.public_url/);
  });

  it('has the address of a server on this machine', async () => {
    await using other = openAssistant({ localUrl: async () => 'http://127.0.0.1:8377' });
    await other.call('create_user', { id: 'ada', name: 'Ada' });
    const { url, note } = await other.call('share_calendar', { user_id: 'ada' });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8377\/feeds\//);
    expect(note).toMatch(/only on this machine.*set delivery.public_url/);
  });
});

describe('explanations', () => {
  it('begin with what decided, and mention repetitions once', async () => {
    const { id } = await create('Lunch', '2026-11-18T12:00', { location: 'Hall' });
    for (const location of ['Room 1', 'Room 2', 'Room 3']) await change(id, { location });
    await update({ pause_to: '2026-11-20' });
    const { because, entries } = await assistant.call('explain_notifications', { event_id: 'Lunch' });
    expect(because).toMatch(/^The reminder by email.*is not sent: reminders are paused until/);
    const refreshed = (entries as JsonObject[]).filter(({ action }) => action === 'notification.refreshed');
    expect(refreshed).toMatchObject([{ times: 3 }]);
  });

  it('keep a move there and back', async () => {
    const { id } = await create('Lunch', '2026-11-18T12:00');
    for (const start_ts of ['2026-11-18T13:00', '2026-11-18T12:00', '2026-11-18T13:00'])
      await change(id, { start_ts });
    const { entries } = await assistant.call('explain_notifications', { event_id: 'Lunch' });
    const moves = (entries as JsonObject[]).filter(({ action }) => action === 'notification.moved');
    expect(moves).toHaveLength(3);
  });
});
