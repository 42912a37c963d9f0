import { describe, expect, it } from 'vitest';
import { openAssistant } from '../../../test/open-assistant.ts';

const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };

describe('a user', () => {
  it.each([
    [{ name: '' }, /name/],
    [{ name: 'Ada\r\nBcc: all@example.com' }, /name/],
    [{ name: 'Ada', email: 'ada@example.com\nBcc: x@y' }, /email/],
    [{ name: 'Ada', email: 'ada@a.example, eve@b.example' }, /email/],
    [{ name: 'Ada', email: 'not an address' }, /email/],
    [{ name: 'Ada', phone_e164: '030 1234' }, /phone_e164/],
    [{ name: 'Ada', timezone: 'Mars/Olympus' }, /not a time zone/],
    [{ name: 'Ada', quiet_start: '25:00' }, /quiet_start/],
    [{ name: 'Ada', quiet_end: '7:0' }, /quiet_end/],
    [{ name: 'Ada', channel_pref: 'pigeon' }, /channel_pref/],
    [{ name: 'Ada', max_call_attempts: 99 }, /max_call_attempts/],
    [{ name: 'Ada', escalation_threshold: 'soon' }, /escalation_threshold/],
    [{ name: 'Ada', webhook_url: 'file:///etc/passwd' }, /webhook_url/],
    [{ name: 'Ada', ntfy_topic: '../admin' }, /ntfy_topic/],
    [{ name: 'Ada', id: '../../etc' }, /id/],
    [{ name: 'Ada', recipients: ['x'] }, /recipients/],
  ])('is rejected with %j', async (fields, message) => {
    await using assistant = openAssistant();
    await expect(assistant.call('create_user', fields)).rejects.toThrow(message);
    expect(await assistant.call('list_users')).toEqual({ users: [], count: 0 });
  });

  it('is returned with only the fields that are set', async () => {
    await using assistant = openAssistant();
    const made = await assistant.call('create_user', { ...ada, quiet_start: '22:30' });
    expect(made).toEqual({ ...ada, quiet_start: '22:30' });
    expect(await assistant.call('get_user', { user_id: 'ada' })).toEqual(made);
  });

  it('can unset a preference', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', { ...ada, channel_pref: 'call' });
    const changed = await assistant.call('update_user', {
      user_id: 'ada',
      name: 'Ada L.',
      unset: ['channel_pref'],
    });
    expect(changed).toEqual({ ...ada, name: 'Ada L.' });
  });

  it('has a unique id and email address', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    await expect(assistant.call('create_user', { ...ada, email: 'b@example.com' })).rejects.toThrow(
      /"ada" already exists/,
    );
    await expect(assistant.call('create_user', { name: 'Bo', email: ada.email })).rejects.toThrow(
      /already used by the user "ada"/,
    );
    await assistant.call('create_user', { id: 'bo', name: 'Bo' });
    await expect(assistant.call('update_user', { user_id: 'bo', email: ada.email })).rejects.toThrow(
      /already used by/,
    );
    expect(await assistant.call('update_user', { user_id: 'ada', email: ada.email })).toEqual(ada);
  });

  it('is deleted together with all its data', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    await assistant.call('create_event', { user_id: 'ada', title: 'Haircut', start_ts: '2026-11-17T14:00' });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    await assistant.call('delete_user', { user_id: 'ada' });
    await expect(assistant.call('get_user', { user_id: 'ada' })).rejects.toThrow('User not found');
    expect(await assistant.call('list_events')).toEqual({ events: [], count: 0 });
    expect(await assistant.call('list_notifications')).toEqual({ notifications: [], count: 0 });
  });
});

describe('an event', () => {
  it.each([
    [{ title: '' }, /title/],
    [{ title: 'Lunch\r\nBcc: all@example.com' }, /title/],
    [{ start_ts: 'someday' }, /start_ts "someday" is not a time that is understood/],
    [{ start_ts: 'after the storm' }, /start_ts "after the storm" is not a time that is understood/],
    [{ start_ts: 'tomorrow at 3' }, /start_ts "tomorrow at 3" can be 03:00 or 15:00 on 2026-11-17/],
    [{ start_ts: 'now' }, /start_ts "now" is past/],
    [
      { start_ts: 'soon' },
      /Write, for example, .*Now it is Mon 16 Nov 2026 09:00 Europe\/Berlin \(2026-11-16T09:00\)/,
    ],
    [{ start_ts: 'tomorrow 14:00', end_ts: 'today 15:00' }, /end before it starts/],
    [{ start_ts: '2026-02-30T10:00' }, /start_ts must be a time/],
    [{ start_ts: '2026-11-17T25:00' }, /start_ts must be a time/],
    [{ start_ts: '9999-01-01' }, /start_ts must be a time/],
    [{ start_ts: '2026-11-17T10:00', end_ts: '2026-11-17T09:00' }, /end before it starts/],
    [
      { start_ts: '2026-11-17T14:0' },
      /not "2026-11-17T14:0". Now it is Mon 16 Nov 2026 09:00 Europe\/Berlin \(2026-11-16T09:00\)/,
    ],
    [
      { start_ts: '2027-03-28T02:30' },
      /does not exist in Europe\/Berlin.* 2027-03-28T03:30:00\+02:00 or 2027-03-28T01:30:00\+01:00/,
    ],
    [
      { start_ts: '2027-10-31T02:30' },
      /occurs twice in Europe\/Berlin.* 2027-10-31T02:30:00\+02:00 or 2027-10-31T02:30:00\+01:00/,
    ],
    [
      { start_ts: '2026-11-17T10:00+02:00', timezone: 'Europe/Berlin' },
      /Write 2026-11-17T09:00:00\+01:00 for that instant, or 2026-11-17T10:00:00\+01:00 for that local time/,
    ],
    [{ timezone: 'Europe/Atlantis' }, /not a time zone/],
    [{ status: 'maybe' }, /status/],
    [{ rrule: 'FREQ=SOMETIMES' }, /rule "FREQ=SOMETIMES" is invalid/],
    [{ rrule: 'INTERVAL=2' }, /no FREQ/],
    [{ conf_link: 'javascript:alert(1)' }, /conf_link/],
    [{ attendees: ['a@example.com\r\nX: y'] }, /attendees/],
    [{ user_id: 'nobody' }, /User not found/],
  ])('is rejected with %j', async (fields, message) => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const event = { user_id: 'ada', title: 'Haircut', start_ts: '2026-11-17T10:00', ...fields };
    await expect(assistant.call('create_event', event)).rejects.toThrow(message);
    expect(await assistant.call('list_events')).toEqual({ events: [], count: 0 });
  });

  it.each([
    ['tomorrow 14:00', undefined, '2026-11-17T13:00:00Z', '2026-11-17T14:00:00Z'],
    ['tomorrow 14:00', '16:00', '2026-11-17T13:00:00Z', '2026-11-17T15:00:00Z'],
    ['tomorrow 14:00', 'tomorrow 16:00', '2026-11-17T13:00:00Z', '2026-11-17T15:00:00Z'],
    ['friday 22:00', '01:00', '2026-11-20T21:00:00Z', '2026-11-21T00:00:00Z'],
    ['2026-01-20T14:00', '15:30', '2026-01-20T13:00:00Z', '2026-01-20T14:30:00Z'],
    ['in 10 minutes', undefined, '2026-11-16T08:10:00Z', '2026-11-16T09:10:00Z'],
  ])('can be from %s to %s', async (start, end, start_ts, end_ts) => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const event = { user_id: 'ada', title: 'Haircut', start_ts: start, ...(end && { end_ts: end }) };
    expect(await assistant.call('create_event', event)).toMatchObject({ start_ts, end_ts });
  });

  it('reads words in the time zone of the event', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const fields = { user_id: 'ada', id: 'call', title: 'Call', timezone: 'Pacific/Auckland' };
    await assistant.call('create_event', { ...fields, start_ts: '2026-11-20T10:00' });
    // In Berlin it is Monday 14:00, in Auckland Tuesday 02:00.
    assistant.now = Date.parse('2026-11-16T13:00:00Z');
    expect(
      await assistant.call('update_event', { event_id: 'call', start_ts: 'tomorrow 09:00' }),
    ).toMatchObject({
      start_ts: '2026-11-17T20:00:00Z',
    });
  });

  it("uses the user's time zone unless it specifies another", async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const create = (start_ts: string, more = {}) =>
      assistant.call('create_event', { user_id: 'ada', title: 'x', start_ts, ...more });
    expect(await create('2026-11-17T14:00')).toMatchObject({
      start_ts: '2026-11-17T13:00:00Z',
      end_ts: '2026-11-17T14:00:00Z',
      timezone: 'Europe/Berlin',
    });
    expect(await create('2026-11-17T14:00:00Z')).toMatchObject({ start_ts: '2026-11-17T14:00:00Z' });
    expect(await create('2026-11-17 14:00+05:30')).toMatchObject({ start_ts: '2026-11-17T08:30:00Z' });
    expect(await create('2026-11-17T14:00', { timezone: 'Asia/Tokyo' })).toMatchObject({
      start_ts: '2026-11-17T05:00:00Z',
    });
    expect(await create('2026-11-17T14:00+01:00', { timezone: 'Europe/Berlin' })).toMatchObject({
      start_ts: '2026-11-17T13:00:00Z',
      start_local: 'Tue 17 Nov 2026 14:00 Europe/Berlin, tomorrow',
    });
    expect(await create('2026-11-17')).toMatchObject({
      start_ts: '2026-11-16T23:00:00Z',
      end_ts: '2026-11-17T23:00:00Z',
      all_day: true,
    });
  });

  it('keeps its dates if it is all-day and the user moves to another time zone', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', { ...ada, timezone: 'Asia/Tokyo' });
    const days = { start_date: '2026-11-20', end_date: '2026-11-22' };
    const given = { user_id: 'ada', id: 'fair', title: 'Fair', start_ts: '2026-11-20', end_ts: '2026-11-22' };
    expect(await assistant.call('create_event', given)).toMatchObject({
      ...days,
      start_ts: '2026-11-19T15:00:00Z',
    });
    await assistant.call('update_user', { user_id: 'ada', timezone: 'America/New_York' });
    expect(await assistant.call('get_event', { event_id: 'fair' })).toMatchObject({
      ...days,
      start_ts: '2026-11-20T05:00:00Z',
    });
    expect(await assistant.call('list_events', { user_id: 'ada' })).toMatchObject({ events: [days] });
    const { contents } = (await assistant.client.request('resources/read', {
      uri: 'resources://events/fair',
    })) as unknown as { contents: { text: string }[] };
    expect(JSON.parse(contents[0]!.text)).toMatchObject(days);
  });

  it('is listed if it started before the requested days and has not ended', async () => {
    await using assistant = openAssistant();
    assistant.now = Date.parse('2026-11-20T12:00:00Z');
    await assistant.call('create_user', { ...ada, timezone: 'UTC' });
    const add = (id: string, start_ts: string, end_ts: string, more = {}) =>
      assistant.call('create_event', { user_id: 'ada', id, title: id, start_ts, end_ts, ...more });
    await add('over', '2026-11-10T12:00:00Z', '2026-11-18T12:00:00Z');
    await add('journey', '2026-10-20T12:00:00Z', '2026-11-18T12:00:01Z');
    await add('shifts', '2026-11-01T12:00:00Z', '2026-11-04T12:00:00Z', { rrule: 'FREQ=WEEKLY;COUNT=3' });
    const { events } = (await assistant.call('list_events', { user_id: 'ada' })) as {
      events: { id: string; start_ts: string }[];
    };
    expect(events.map(({ id, start_ts }) => `${id} ${start_ts}`)).toEqual(['journey 2026-10-20T12:00:00Z']);
    const earlier = (await assistant.call('list_events', { user_id: 'ada', days_back: 3 })) as {
      events: { id: string; start_ts: string }[];
    };
    expect(earlier.events.map(({ id, start_ts }) => `${id} ${start_ts}`)).toEqual([
      'journey 2026-10-20T12:00:00Z',
      'over 2026-11-10T12:00:00Z',
      'shifts 2026-11-15T12:00:00Z',
    ]);
  });

  it('is listed once per occurrence if it repeats, with correct times after a clock change', async () => {
    await using assistant = openAssistant();
    assistant.now = Date.parse('2026-10-20T00:00:00Z');
    await assistant.call('create_user', ada);
    const series = {
      user_id: 'ada',
      id: 'jour',
      title: 'Jour fixe',
      start_ts: '2026-10-21T09:00',
      rrule: 'FREQ=WEEKLY',
    };
    expect(await assistant.call('create_event', series)).toMatchObject({ recurring: true });
    const { events } = (await assistant.call('list_events', { user_id: 'ada', days_forward: 20 })) as {
      events: unknown;
    };
    expect(events).toMatchObject([
      { id: 'jour', occurrence: '2026-10-21T07:00:00Z', start_ts: '2026-10-21T07:00:00Z' },
      { id: 'jour', occurrence: '2026-10-28T08:00:00Z', start_ts: '2026-10-28T08:00:00Z' },
      { id: 'jour', occurrence: '2026-11-04T08:00:00Z', start_ts: '2026-11-04T08:00:00Z' },
    ]);
    await assistant.call('delete_event', { event_id: 'jour', occurrence: '2026-10-28T08:00:00Z' });
    await assistant.call('update_event', {
      event_id: 'jour',
      end_ts: '2026-10-21T09:30',
      location: 'Room 1',
    });
    expect(await assistant.call('list_events', { user_id: 'ada', days_forward: 20 })).toMatchObject({
      events: [
        { start_ts: '2026-10-21T07:00:00Z', end_ts: '2026-10-21T07:30:00Z', location: 'Room 1' },
        { start_ts: '2026-11-04T08:00:00Z' },
      ],
      count: 2,
    });
    await expect(assistant.call('delete_event', { event_id: 'jour', occurrence: 'never' })).rejects.toThrow(
      'Occurrence not found',
    );
  });

  it('keeps its duration when it moves, and its other fields when only the time changes', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const event = {
      user_id: 'ada',
      id: 'e',
      title: 'Haircut',
      start_ts: '2026-11-17T14:00',
      end_ts: '2026-11-17T14:20',
    };
    await assistant.call('create_event', { ...event, location: 'Main Street 1' });
    expect(
      await assistant.call('update_event', { event_id: 'e', start_ts: '2026-11-18T09:00' }),
    ).toMatchObject({
      title: 'Haircut',
      location: 'Main Street 1',
      start_ts: '2026-11-18T08:00:00Z',
      end_ts: '2026-11-18T08:20:00Z',
    });
    expect(await assistant.call('update_event', { event_id: 'e', unset: ['location'] })).not.toHaveProperty(
      'location',
    );
  });

  it('is not found if the id is unknown', async () => {
    await using assistant = openAssistant();
    for (const tool of ['get_event', 'update_event', 'delete_event'])
      await expect(assistant.call(tool, { event_id: 'nothing' })).rejects.toThrow('Event not found');
    await expect(assistant.call('list_events', { user_id: 'nobody' })).rejects.toThrow('User not found');
    await expect(assistant.call('list_notifications', { user_id: 'nobody' })).rejects.toThrow(
      'User not found',
    );
    for (const tool of ['cancel_notification', 'acknowledge_notification'])
      await expect(assistant.call(tool, { notification_id: 'none' })).rejects.toThrow(
        'Notification not found',
      );
  });

  it('is listed within the requested days, and days out of range are rejected', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    for (const [id, start_ts] of [
      ['old', '2026-11-13T10:00'],
      ['recent', '2026-11-15T10:00'],
      ['soon', '2026-12-15T10:00'],
      ['later', '2026-12-20T10:00'],
    ])
      await assistant.call('create_event', { user_id: 'ada', id: id!, title: id!, start_ts: start_ts! });
    const ids = async (args = {}) =>
      ((await assistant.call('list_events', args)) as { events: { id: string }[] }).events.map(
        ({ id }) => id,
      );
    expect(await ids()).toEqual(['recent', 'soon']);
    expect(await ids({ days_back: 5, days_forward: 90 })).toEqual(['old', 'recent', 'soon', 'later']);
    for (const args of [
      { days_back: -1 },
      { days_back: 31 },
      { days_forward: 0 },
      { days_forward: 91 },
      { days_back: 1.5 },
    ])
      await expect(ids(args)).rejects.toThrow(/days_/);
  });
});

describe('a rule', () => {
  it('is rejected without the field that its type requires, and for an unknown user', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const rule = { user_id: 'ada', rule_type: 'travel_buffer', rule_json: {} };
    await expect(assistant.call('set_rule', rule)).rejects.toThrow(/requires minutes/);
    await expect(assistant.call('set_rule', { ...rule, rule_json: { minutes: 0 } })).rejects.toThrow(
      /minutes/,
    );
    await expect(assistant.call('set_rule', { ...rule, rule_json: { phone: '1' } })).rejects.toThrow(/phone/);
    await expect(
      assistant.call('set_rule', { ...rule, user_id: 'nobody', rule_json: { minutes: 5 } }),
    ).rejects.toThrow('User not found');
    await expect(
      assistant.call('set_rule', { ...rule, rule_id: 'none', rule_json: { minutes: 5 } }),
    ).rejects.toThrow('Rule not found');
    await expect(assistant.call('delete_rule', { rule_id: 'none' })).rejects.toThrow('Rule not found');
  });

  it('can be created, changed and deleted', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const made = await assistant.call('set_rule', {
      user_id: 'ada',
      rule_type: 'travel_buffer',
      rule_json: { minutes: 20 },
    });
    const rule_id = String(made['id']);
    await assistant.call('set_rule', {
      user_id: 'ada',
      rule_id,
      rule_type: 'travel_buffer',
      rule_json: { minutes: 45 },
      priority: 3,
    });
    expect(await assistant.call('list_rules', { user_id: 'ada' })).toMatchObject({
      rules: [{ id: rule_id, rule_json: { minutes: 45 }, priority: 3, enabled: true }],
      count: 1,
    });
    await assistant.call('delete_rule', { rule_id });
    expect(await assistant.call('list_rules', { user_id: 'ada' })).toEqual({ rules: [], count: 0 });
  });
});

describe('a very long list', () => {
  it('is truncated and says so', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const hourly = { user_id: 'ada', title: 'Bell', start_ts: '2026-11-16T00:00', rrule: 'FREQ=HOURLY' };
    await assistant.call('create_event', hourly);
    expect(await assistant.call('list_events', { days_forward: 80 })).toMatchObject({ count: 1930 });
    const listed: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = (await assistant.call('list_events', {
        days_forward: 80,
        ...(cursor !== undefined && { cursor }),
      })) as { events: unknown[]; next_cursor?: string };
      expect(JSON.stringify(page).length).toBeLessThan(10_000);
      listed.push(...page.events);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    const whole = await assistant.call('list_events', { days_forward: 80, limit: 2000 });
    expect(whole).toEqual({ events: listed, count: 1930 });
    expect(await assistant.call('list_events', { days_forward: 90 })).toMatchObject({
      count: 2000,
      truncated: true,
    });
  });
});
