import { describe, expect, it } from 'vitest';
import { runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';
import { kindOf } from './reminders.ts';

const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };

async function open(user: JsonObject = {}): Promise<TestAssistant> {
  const assistant = openAssistant();
  const { email, ...person } = { ...ada, ...user };
  await assistant.call('create_user', { ...person, ...(email !== null && { email }) });
  return assistant;
}

const create = (assistant: TestAssistant, more: JsonObject = {}) =>
  assistant.call('create_event', {
    user_id: 'ada',
    id: 'one',
    title: 'Review',
    start_ts: '2026-11-18T14:00',
    ...more,
  });

const importText = (assistant: TestAssistant, ...lines: readonly string[]) =>
  assistant.call('import_calendar', {
    user_id: 'ada',
    name: 'Work',
    content: ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'].join('\r\n'),
  });
const event = (...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  'UID:one',
  'SUMMARY:Review',
  'DTSTART:20261118T130000Z',
  ...lines,
  'END:VEVENT',
];
const alarm = (...lines: readonly string[]) => ['BEGIN:VALARM', 'ACTION:DISPLAY', ...lines, 'END:VALARM'];

interface Row {
  readonly id: string;
  readonly plan_time: string;
  readonly subject: string;
  readonly origin?: string;
  readonly status: string;
  readonly channel: string;
  readonly event_id: string;
}

async function planned(assistant: TestAssistant): Promise<readonly Row[]> {
  await assistant.call('plan_notifications', { user_id: 'ada' });
  const { notifications } = await assistant.call('list_notifications', {
    days_forward: 30,
    status: 'planned',
  });
  return notifications as unknown as Row[];
}

const times = async (assistant: TestAssistant) => (await planned(assistant)).map((row) => row.plan_time);

describe('a train', () => {
  const kindOfTitle = (title: string) =>
    kindOf(
      { kind: null, all_day: 0, conf_link: null, provider: 'local' },
      { title, location: null, description: null },
    );

  it.each([
    ...[
      'ICE 573 Hamburg-Altona',
      'IC 2217',
      'IC2217 nach Köln',
      'EC 173 HAM - PRG',
      'RE 5 nach Rostock',
      'RE4712',
    ],
    ...[
      'RJ 63',
      'RJX 661',
      'NJ 491',
      'Railjet 63 to Vienna',
      'TGV 6607 Paris–Lyon',
      'TGV INOUI 6607',
      'INOUI 6607',
    ],
    ...[
      'Ouigo 7601',
      'Eurostar 9014',
      'eurostar to London',
      'AVE 3102',
      'AVE 03112 a Sevilla',
      'Back home (ICE 1093)',
    ],
    ...[
      'Train to Paris',
      'Zug nach Wien',
      'Zugfahrt von Bonn',
      'Bahnfahrt',
      'Train pour Lyon',
      'Tren a Madrid',
    ],
  ])('is seen in "%s"', (title) => {
    expect(kindOfTitle(title)).toBe('train');
  });

  it.each([
    ...[
      'EC2 migration',
      'ICE cream',
      'RE 2026 budget',
      'Re: 5 things',
      'IC 1',
      'RE 5.000 €',
      'Dinner at 5th AVE 200',
    ],
    ...[
      'Train the new colleagues',
      'Training',
      'Anzug abholen',
      'Estrenar',
      'Entrenar a Pablo',
      'ICE',
      'NICE 573',
    ],
  ])('is not seen in "%s"', (title) => {
    expect(kindOfTitle(title)).toBeUndefined();
  });

  it('is not a flight', () => {
    expect(kindOfTitle('LH 400 FRA-JFK')).toBe('flight');
  });
});

describe('lead times', () => {
  it.each([
    ['online', { conf_link: 'https://meet.example.com/1' }, ['2026-11-18T12:50:00Z']],
    ['place', { location: 'Main Street 1' }, ['2026-11-18T12:30:00Z']],
    ['all_day', { start_ts: '2026-11-18' }, ['2026-11-17T16:00:00Z']],
    ['doctor', { title: 'Zahnarzt' }, ['2026-11-17T13:00:00Z', '2026-11-18T11:00:00Z']],
    ['flight', { title: 'Flight to Oslo' }, ['2026-11-17T13:00:00Z', '2026-11-18T11:00:00Z']],
    ['train', { title: 'ICE 573', location: 'Hamburg Hbf' }, ['2026-11-18T12:00:00Z']],
    ['default', {}, ['2026-11-18T12:00:00Z']],
  ])('depend on the kind of event (%s) and can be set for it', async (kind, more, standard) => {
    await using assistant = await open();
    await create(assistant, more);
    expect(await times(assistant)).toEqual(standard);
    await assistant.call('update_user', { user_id: 'ada', reminders: { [kind]: ['2d'] } });
    // For the all-day event that time has passed, so the reminder comes shortly before the quiet hours.
    const changed = kind === 'all_day' ? '2026-11-17T19:59:00Z' : '2026-11-16T13:00:00Z';
    expect(await times(assistant)).toEqual([changed]);
    await assistant.call('update_user', { user_id: 'ada', reminders: { [kind]: ['default'] } });
    expect(await times(assistant)).toEqual(standard);
  });

  it('for an event take precedence over alarms, kinds, calendars and the default, in this order', async () => {
    await using assistant = await open();
    const { calendar } = (await importText(
      assistant,
      ...event('LOCATION:Room 1', ...alarm('TRIGGER:-PT15M')),
    )) as {
      calendar?: { id: string };
    };
    const { calendars } = (await assistant.call('list_calendars', { user_id: 'ada' })) as {
      calendars: { id: string }[];
    };
    const id = calendar?.id ?? calendars[0]!.id;
    await assistant.call('update_user', {
      user_id: 'ada',
      reminders: { default: ['1h'], [`calendar:${id}`]: ['2h'], place: ['3h'] },
    });
    const [row] = await planned(assistant);
    expect(row).toMatchObject({ plan_time: '2026-11-18T12:45:00Z', origin: 'alarm' });
    await assistant.call('update_event', { event_id: row!.event_id, reminders: ['4h'] });
    expect(await planned(assistant)).toMatchObject([{ plan_time: '2026-11-18T09:00:00Z', origin: 'event' }]);
    await assistant.call('update_event', { event_id: row!.event_id, unset: ['reminders'] });
    await importText(assistant, ...event('LOCATION:Room 1'));
    expect(await times(assistant)).toEqual(['2026-11-18T10:00:00Z']);
    await assistant.call('update_user', { user_id: 'ada', reminders: { place: ['default'] } });
    expect(await times(assistant)).toEqual(['2026-11-18T11:00:00Z']);
    await assistant.call('update_user', { user_id: 'ada', reminders: { [`calendar:${id}`]: ['default'] } });
    expect(await times(assistant)).toEqual(['2026-11-18T12:00:00Z']);
    await assistant.call('update_user', { user_id: 'ada', reminders: { default: [] } });
    expect(await times(assistant)).toEqual([]);
  });

  it('can be a clock time, several times, and a time for one occurrence only', async () => {
    await using assistant = await open();
    await create(assistant, { rrule: 'FREQ=DAILY;COUNT=2', reminders: ['09:00', '2h'] });
    await assistant.call('update_event', {
      event_id: 'one',
      occurrence: '2026-11-19T13:00:00Z',
      reminders: ['2026-11-18T17:00'],
    });
    expect(await times(assistant)).toEqual([
      '2026-11-18T08:00:00Z',
      '2026-11-18T11:00:00Z',
      '2026-11-18T16:00:00Z',
    ]);
  });

  it('for an event that is closer than each of them lead to one reminder before the start', async () => {
    await using assistant = await open();
    const start_ts = new Date(assistant.now + 45 * 60_000).toISOString();
    await create(assistant, { start_ts, reminders: ['1d', '1h!'] });
    expect(await planned(assistant)).toMatchObject([{ plan_time: '2026-11-16T08:30:00Z', origin: 'event' }]);
    await assistant.call('update_event', { event_id: 'one', reminders: [] });
    expect(await planned(assistant)).toEqual([]);
  });

  it('of a user without an address are reported when the event is saved', async () => {
    await using assistant = await open({ email: null });
    const because = { no_reminders_because: expect.stringMatching(/^Ada has no address .*email/) };
    expect(await create(assistant, { reminders: ['10m'] })).toMatchObject(because);
    expect(await assistant.call('update_event', { event_id: 'one', reminders: ['5m'] })).toMatchObject(
      because,
    );
    for (const more of [{ id: 'silent', reminders: [] }, { id: 'plain' }])
      expect(await create(assistant, more)).not.toHaveProperty('no_reminders_because');
    await assistant.call('update_user', { user_id: 'ada', email: 'ada@example.com' });
    expect(await create(assistant, { id: 'two', reminders: ['10m'] })).not.toHaveProperty(
      'no_reminders_because',
    );
  });

  it('are refused for unknown kinds and in free text', async () => {
    await using assistant = await open();
    await expect(
      assistant.call('update_user', { user_id: 'ada', reminders: { meetings: ['1h'] } }),
    ).rejects.toThrow(/no kind "meetings"/);
    await expect(
      assistant.call('update_user', { user_id: 'ada', reminders: { online: ['soon'] } }),
    ).rejects.toThrow();
    await expect(create(assistant, { reminders: ['tomorrow'] })).rejects.toThrow();
  });

  it('move before the quiet hours, unless the user permits this one reminder', async () => {
    await using assistant = await open({ reminders: { default: ['05:30'] } });
    await create(assistant);
    expect(await times(assistant)).toEqual(['2026-11-17T19:59:00Z']);
    await assistant.call('update_event', { event_id: 'one', reminders: ['8h'] });
    expect(await times(assistant)).toEqual(['2026-11-17T19:59:00Z']);
    await assistant.call('update_event', { event_id: 'one', reminders: ['8h!'] });
    expect(await planned(assistant)).toMatchObject([
      { plan_time: '2026-11-18T05:00:00Z', origin: 'event-quiet' },
    ]);
  });

  it.each(['05:30', '2026-11-18T05:30', '0d 05:30'])(
    'of an event keep a time that the user named, such as %s, and make a sound',
    async (lead) => {
      await using assistant = await open();
      await create(assistant, { reminders: [lead] });
      expect(await planned(assistant)).toMatchObject([
        { plan_time: '2026-11-18T04:30:00Z', origin: 'event-quiet', urgency: 'normal' },
      ]);
      await runWorkerUntil(assistant, Date.parse('2026-11-18T04:31:00Z'));
      const { notifications } = await assistant.call('list_notifications', { days_back: 1, status: 'sent' });
      expect(notifications).toMatchObject([{ sent_time: expect.stringContaining('2026-11-18T04:30') }]);
    },
  );

  it('name a channel of the person, which then counts on every day', async () => {
    await using assistant = await open({
      channels: ['tel:+4915112345678', 'sms:+4915112345678'],
      weekend_policy: 'email',
      quiet_start: '21:00',
      quiet_end: '07:00',
    });
    // A Saturday.
    await create(assistant, {
      start_ts: '2026-11-21T14:00',
      reminders: ['2026-11-17T09:00 email', '1d 18:00 sms', '2h', '1h call', '06:15! call'],
    });
    const rows = await planned(assistant);
    expect(rows).toMatchObject([
      { plan_time: '2026-11-17T08:00:00Z', channel: 'email' },
      { plan_time: '2026-11-20T17:00:00Z', channel: 'sms' },
      { plan_time: '2026-11-21T05:15:00Z', channel: 'call', origin: 'event-quiet' },
      { plan_time: '2026-11-21T11:00:00Z', channel: 'email' },
      { plan_time: '2026-11-21T12:00:00Z', channel: 'call' },
    ]);
    expect(rows[1]).toMatchObject({ reason: expect.stringContaining('by sms, as the user asked') });
    // The calls ring in quiet hours and on a weekend without calls.
    await runWorkerUntil(assistant, Date.parse('2026-11-21T12:30:00Z'));
    const { notifications } = await assistant.call('list_notifications', { days_back: 30 });
    expect((notifications as unknown as Row[]).map(({ channel, status }) => [channel, status])).toEqual(
      ['email', 'sms', 'call', 'email', 'call'].map((channel) => [
        channel,
        expect.stringMatching('sent|delivered'),
      ]),
    );
  });

  it('are refused with a channel that does not exist or that the person does not have', async () => {
    await using assistant = await open({ channels: ['tel:+4915112345678'] });
    await expect(create(assistant, { reminders: ['1d fax'] })).rejects.toThrow(
      '"fax" is no channel. Ada has email, call.',
    );
    await expect(create(assistant, { reminders: ['30 minutes before sms'] })).rejects.toThrow(
      'Ada has no address for sms. Ada has email, call.',
    );
    await create(assistant, { reminders: ['30 minutes before email'] });
    await expect(
      assistant.call('update_event', { event_id: 'one', title: 'New', reminders: ['0m! telegram'] }),
    ).rejects.toThrow(/no address for telegram/);
    expect(await assistant.call('get_event', { event_id: 'one' })).toMatchObject({
      title: 'Review',
      reminders: ['30m email'],
    });
  });

  it('are limited to five, and merged if they are less than two minutes apart', async () => {
    await using assistant = await open();
    const more = [1, 2, 3, 4, 5, 6].flatMap((hours) => alarm(`TRIGGER:-PT${hours}H`));
    await importText(assistant, ...event(...more, ...alarm('TRIGGER:-PT59M59S')));
    expect(await times(assistant)).toHaveLength(5);
  });
});

describe('alarms', () => {
  it.each([
    ['by another channel if the preferred one always makes a sound', {}, '2026-11-18T02:00:00Z', 'email'],
    ['before the quiet hours if every channel makes a sound', { email: null }, '2026-11-17T19:59:00Z', 'sms'],
  ])('in quiet hours come %s', async (_, more, plan_time, channel) => {
    await using assistant = await open({ channel_pref: 'sms', channels: ['sms:+4915112345678'], ...more });
    await importText(assistant, ...event(...alarm('TRIGGER:-PT11H')));
    expect(await planned(assistant)).toMatchObject([{ plan_time, channel, origin: 'alarm', urgency: 'low' }]);
  });

  it('of events that others organize are ignored unless the user asks for them', async () => {
    await using assistant = await open();
    await importText(assistant, ...event('ORGANIZER:mailto:boss@example.com', ...alarm('TRIGGER:-PT15M')));
    expect(await planned(assistant)).toMatchObject([{ plan_time: '2026-11-18T12:00:00Z' }]);
    const { calendars } = (await assistant.call('list_calendars', { user_id: 'ada' })) as {
      calendars: { id: string }[];
    };
    await assistant.call('update_user', {
      user_id: 'ada',
      reminders: { [`calendar:${calendars[0]!.id}`]: ['alarms'] },
    });
    expect(await planned(assistant)).toMatchObject([{ plan_time: '2026-11-18T12:45:00Z', origin: 'alarm' }]);
  });

  it('acknowledged in another program are not repeated', async () => {
    await using assistant = await open();
    const done = alarm('TRIGGER:-PT2H', 'ACKNOWLEDGED:20261118T110000Z');
    await importText(assistant, ...event(...done, ...alarm('TRIGGER:-PT10M')));
    expect(await times(assistant)).toEqual(['2026-11-18T12:50:00Z']);
  });
});

describe('invitations', () => {
  const attendee = (answer: string) => `ATTENDEE;PARTSTAT=${answer}:mailto:Ada@Example.com`;

  it('that the user declined are silent, also after a reminder was planned', async () => {
    await using assistant = await open();
    await importText(assistant, ...event(attendee('ACCEPTED')));
    expect(await times(assistant)).toHaveLength(1);
    await importText(assistant, ...event('SEQUENCE:1', attendee('DECLINED')));
    const { notifications } = await assistant.call('list_notifications', {
      days_forward: 30,
      status: 'planned',
    });
    expect(notifications).toEqual([]);
    expect(await times(assistant)).toEqual([]);
  });

  it('are recognized by every mail address of the user', async () => {
    await using assistant = await open({ email: 'other@example.com', channels: ['mailto:ada@example.com'] });
    await importText(assistant, ...event(attendee('DECLINED')));
    expect(await times(assistant)).toEqual([]);
  });

  it.each([
    ['TENTATIVE', 'You accepted tentatively.'],
    ['NEEDS-ACTION', 'You have not answered this invitation yet.'],
  ])('that are %s say so', async (answer, text) => {
    await using assistant = await open();
    await importText(assistant, ...event(attendee(answer)));
    const { payload } = await firstRow(assistant);
    expect(JSON.parse(payload).text).toContain(text);
  });

  it('that the organizer marked as tentative say so', async () => {
    await using assistant = await open();
    await create(assistant, { status: 'tentative' });
    const { payload } = await firstRow(assistant);
    expect(JSON.parse(payload).text).toContain('This event is not confirmed yet.');
  });
});

async function firstRow(assistant: TestAssistant) {
  await planned(assistant);
  const { createStore } = await import('../../store/store.ts');
  const store = createStore(assistant.file);
  try {
    return await store.read((db) => db.selectFrom('notifications').selectAll().executeTakeFirstOrThrow());
  } finally {
    await store.close();
  }
}

describe('tasks', () => {
  const task = (...lines: readonly string[]) => [
    'BEGIN:VTODO',
    'UID:task',
    'SUMMARY:Taxes',
    'DUE:20261118T130000Z',
    ...lines,
    'END:VTODO',
  ];

  it('are mentioned on the day, and then overdue for three days', async () => {
    await using assistant = await open();
    await importText(assistant, ...task());
    expect((await planned(assistant)).map(({ plan_time, subject }) => [plan_time, subject])).toEqual([
      ['2026-11-18T08:00:00Z', 'Due: Taxes, Wed, Nov 18, 2:00 PM'],
      ['2026-11-19T08:00:00Z', 'Overdue for 1 day: Taxes'],
      ['2026-11-20T08:00:00Z', 'Overdue for 2 days: Taxes'],
      ['2026-11-21T08:00:00Z', 'Overdue for 3 days: Taxes'],
    ]);
  });

  it.each([
    ['at a time', 'DUE:20261116T165000Z', '2026-11-16T16:35:00Z'],
    ['on a date', 'DUE;VALUE=DATE:20261116', '2026-11-16T09:01:00Z'],
  ])('due today %s are mentioned today if the usual time has passed', async (_, due, first) => {
    await using assistant = await open();
    assistant.now = Date.parse('2026-11-16T09:00:00Z');
    await importText(assistant, ...task().with(3, due));
    const rows = await planned(assistant);
    expect(rows.map(({ plan_time }) => plan_time)).toEqual([
      first,
      '2026-11-17T08:00:00Z',
      '2026-11-18T08:00:00Z',
      '2026-11-19T08:00:00Z',
    ]);
    expect(rows[0]!.subject).toMatch(/^Due: Taxes/);
    // It was mentioned, so nothing is added when the task is planned again.
    expect(await runWorkerUntil(assistant, Date.parse('2026-11-16T16:36:00Z'))).toEqual([
      expect.stringMatching(/^Due: Taxes/),
    ]);
    await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
    expect((await planned(assistant)).map(({ plan_time }) => plan_time)).toEqual(
      rows.slice(1).map(({ plan_time }) => plan_time),
    );
  });

  it('end their reminders when they are done, without a notice', async () => {
    await using assistant = await open();
    await importText(assistant, ...task());
    expect(await times(assistant)).toHaveLength(4);
    await importText(assistant, ...task('SEQUENCE:1', 'STATUS:COMPLETED'));
    const { notifications } = await assistant.call('list_notifications', { days_forward: 30 });
    expect(new Set((notifications as unknown as Row[]).map(({ status }) => status))).toEqual(
      new Set(['cancelled']),
    );
    expect(await times(assistant)).toEqual([]);
  });
});

describe('less like this', () => {
  it('limits reminders by a rule that is listed and can be deleted', async () => {
    await using assistant = await open({ reminders: { default: ['1h', '2h', '3h'] } });
    await create(assistant, { title: 'Standup 1' });
    const [first] = await planned(assistant);
    await assistant.call('cancel_notification', { notification_id: first!.id, less_like_this: true });
    await create(assistant, { id: 'two', title: 'standup 2', start_ts: '2026-11-19T14:00' });
    expect(await times(assistant)).toEqual(['2026-11-18T12:00:00Z', '2026-11-19T12:00:00Z']);
    const { rules } = (await assistant.call('list_rules', { user_id: 'ada' })) as { rules: JsonObject[] };
    expect(rules).toMatchObject([
      { rule_type: 'fewer_reminders', rule_json: { title: 'Standup 1', max: 1 } },
    ]);
    await assistant.call('delete_rule', { rule_id: rules[0]!['id']! });
    expect(await times(assistant)).toHaveLength(5);
  });
});

describe('a replay', () => {
  it('of a kind and of everything name a channel of the person, which then counts on every day', async () => {
    await using assistant = await open({
      channels: ['tel:+4915112345678', 'sms:+4915112345678'],
      weekend_policy: 'email',
      reminders: { default: ['1h sms'] },
    });
    const reminders = { flight: ['3h call', '1d email', '2h'], all_day: ['1d 17:00 sms'] };
    expect(await assistant.call('update_user', { user_id: 'ada', reminders })).toMatchObject({
      reminders: { ...reminders, default: ['1h sms'] },
    });
    // A Saturday.
    await create(assistant, { start_ts: '2026-11-21T14:00', kind: 'flight' });
    await create(assistant, { id: 'two', start_ts: '2026-11-21T18:00' });
    const rows = await planned(assistant);
    expect(rows).toMatchObject([
      { plan_time: '2026-11-20T13:00:00Z', channel: 'email' },
      { plan_time: '2026-11-21T10:00:00Z', channel: 'call' },
      { plan_time: '2026-11-21T11:00:00Z', channel: 'email' },
      { plan_time: '2026-11-21T16:00:00Z', channel: 'sms' },
    ]);
    expect(rows[1]).toMatchObject({ reason: expect.stringContaining('by call, as the user asked') });
    await runWorkerUntil(assistant, Date.parse('2026-11-21T17:00:00Z'));
    const { notifications } = await assistant.call('list_notifications', { days_back: 30 });
    expect((notifications as unknown as Row[]).map(({ channel, status }) => [channel, status])).toEqual(
      ['email', 'call', 'email', 'sms'].map((channel) => [channel, expect.stringMatching('sent|delivered')]),
    );
  });

  it.each([
    [{ flight: ['3h call'] }, 'Ada has no address for call. Ada has email.'],
    [{ default: ['1d fax'] }, '"fax" is no channel. Ada has email.'],
    [{ digest: ['07:30 email'] }, 'reminders.digest must be one time of day'],
    [{ 'calendar:x': ['alarms email'] }, /reminders/],
  ])('of a kind are refused as %j if the channel cannot be used', async (reminders, message) => {
    await using assistant = await open();
    await expect(assistant.call('update_user', { user_id: 'ada', reminders })).rejects.toThrow(message);
    await expect(
      assistant.call('create_user', { name: 'Ada', email: 'b@example.com', reminders }),
    ).rejects.toThrow(message);
    await expect(
      assistant.call('replay_notifications', { user_id: 'ada', reminders: { default: ['1h call'] } }),
    ).rejects.toThrow('Ada has no address for call.');
    expect(await assistant.call('get_user', { user_id: 'ada' })).not.toHaveProperty('reminders');
    const phone_e164 = '+4915112345678';
    const both = { user_id: 'ada', phone_e164, reminders: { flight: ['3h call'] } };
    expect(await assistant.call('update_user', both)).toMatchObject({ reminders: { flight: ['3h call'] } });
  });

  it('compares what was sent with other settings, and changes nothing', async () => {
    await using assistant = await open();
    await create(assistant, { start_ts: '2026-11-17T14:00' });
    await planned(assistant);
    await runWorkerUntil(assistant, Date.parse('2026-11-17T14:00:00Z'));
    assistant.now = Date.parse('2026-11-17T14:00:00Z');
    const replay = (reminders?: JsonObject) =>
      assistant.call('replay_notifications', { user_id: 'ada', days: 5, ...(reminders && { reminders }) });
    expect(await replay()).toMatchObject({
      before: 1,
      now: 1,
      reminders: [
        { outcome: 'both', plan_time: '2026-11-17T12:00:00Z', title: 'Review', reason: 'built-in rules' },
      ],
    });
    expect(await replay({ default: ['2h', '10m', '00:30'] })).toMatchObject({
      before: 1,
      now: 3,
      reminders: [
        // The reminder at half past midnight moves before the quiet hours.
        { outcome: 'only now', plan_time: '2026-11-16T19:59:00Z' },
        { outcome: 'only now', plan_time: '2026-11-17T11:00:00Z', reason: 'your default reminders' },
        { outcome: 'only before', plan_time: '2026-11-17T12:00:00Z' },
        { outcome: 'only now', plan_time: '2026-11-17T12:50:00Z' },
      ],
    });
    expect(await assistant.call('get_user', { user_id: 'ada' })).not.toHaveProperty('reminders');
    expect(await planned(assistant)).toEqual([]);
  });
});
