import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outbox, runWorker, runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

/** A time in Berlin on the Tuesday of the tests, or on another day of that month. */
const at = (time: string, day = 17) => Date.parse(`2026-11-${day}T${time}:00+01:00`);
const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };

/** Ada has a haircut's appointment at 14:00 and received a reminder at 13:00. */
async function reminded(user: JsonObject = {}): Promise<TestAssistant> {
  const assistant = openAssistant();
  await assistant.call('create_user', { ...ada, ...user });
  await assistant.call('create_event', {
    user_id: 'ada',
    id: 'haircut',
    title: 'Haircut',
    start_ts: '2026-11-17T14:00',
  });
  await assistant.call('plan_notifications', { user_id: 'ada' });
  expect(await runWorker(assistant, at('13:00'))).toEqual([expect.stringMatching(/^Haircut, .* 2:00/)]);
  assistant.now = at('13:05');
  return assistant;
}

const move = (assistant: TestAssistant, start_ts: string) =>
  assistant.call('update_event', { event_id: 'haircut', start_ts });

describe('a change after a reminder', () => {
  it('is reported once when the event moves earlier, with the time announced before', async () => {
    await using assistant = await reminded();
    await move(assistant, '2026-11-17T13:40');
    const written = await runWorkerUntil(assistant, at('15:00'));
    expect(written).toEqual([expect.stringMatching(/^Moved: Haircut, now .* 1:40/)]);
    expect(written[0]).toMatch(/Your reminder said .* 2:00/);
  });

  it('is reported even if the new start has passed', async () => {
    await using assistant = await reminded();
    await move(assistant, '2026-11-17T12:30');
    expect(await runWorkerUntil(assistant, at('15:00'))).toEqual([expect.stringMatching(/^Moved: Haircut/)]);
  });

  it('is reported when the event moves later, and the new reminder does not say it again', async () => {
    await using assistant = await reminded();
    await move(assistant, '2026-11-18T10:00');
    const [notice, reminder, ...more] = await runWorkerUntil(assistant, at('15:00', 18));
    expect(notice).toMatch(/^Moved: Haircut, now Wed, .* 10:00/);
    expect(reminder).toMatch(/^Haircut, Wed/);
    expect(reminder).not.toContain('Moved');
    expect(more).toEqual([]);
  });

  it.each<[string, (assistant: TestAssistant) => Promise<unknown>]>([
    [
      'cancelled',
      (assistant) => assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' }),
    ],
    ['deleted', (assistant) => assistant.call('delete_event', { event_id: 'haircut' })],
  ])('is reported when the event is %s', async (_, end) => {
    await using assistant = await reminded();
    await end(assistant);
    const written = await runWorkerUntil(assistant, at('15:00'));
    expect(written).toEqual([expect.stringMatching(/^Cancelled: Haircut, .* 2:00/)]);
  });

  it('is reported in one message for several changes within a minute', async () => {
    await using assistant = await reminded();
    await move(assistant, '2026-11-17T13:40');
    await assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' });
    await assistant.call('update_event', { event_id: 'haircut', status: 'confirmed' });
    await move(assistant, '2026-11-17T13:50');
    expect(await runWorkerUntil(assistant, at('15:00'))).toEqual([expect.stringMatching(/^Moved: .* 1:50/)]);
  });

  it('is not reported when the event moves back to the announced time', async () => {
    await using assistant = await reminded();
    await move(assistant, '2026-11-17T13:40');
    await move(assistant, '2026-11-17T14:00');
    expect(await runWorkerUntil(assistant, at('15:00'))).toEqual([]);
  });

  it('is reported again when a cancelled event takes place after all', async () => {
    await using assistant = await reminded();
    await assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' });
    expect(await runWorkerUntil(assistant, at('13:10'))).toHaveLength(1);
    await assistant.call('update_event', { event_id: 'haircut', status: 'confirmed' });
    expect(await runWorkerUntil(assistant, at('15:00'))).toEqual([
      expect.stringMatching(/^Takes place after all: Haircut/),
    ]);
  });

  it('is reported after quiet hours, unless that is too late', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    for (const [id, start_ts] of [
      ['early', '2026-11-17T06:30'],
      ['later', '2026-11-17T07:30'],
    ])
      await assistant.call('create_event', { user_id: 'ada', id, title: id, start_ts });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    // One silent message before the quiet hours lists both.
    expect(await runWorkerUntil(assistant, at('22:00', 16))).toHaveLength(1);
    assistant.now = at('22:00', 16);
    for (const event_id of ['early', 'later'])
      await assistant.call('update_event', { event_id, status: 'cancelled' });
    expect(await assistant.call('list_notifications', { status: 'planned', days_back: 1 })).toMatchObject({
      notifications: [{ event_id: 'later', plan_time: '2026-11-17T06:00:00Z' }],
    });
    expect(await runWorkerUntil(assistant, at('12:00'))).toEqual([
      expect.stringMatching(/^Cancelled: later/),
    ]);
  });

  it('is not reported if no reminder was sent before', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    await assistant.call('create_event', {
      user_id: 'ada',
      id: 'haircut',
      title: 'D',
      start_ts: '2026-11-17T14:00',
    });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    await assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' });
    expect(await runWorkerUntil(assistant, at('15:00'))).toEqual([]);
  });

  it('is reported for one occurrence of a series, and for a series that moves', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    for (const id of ['one', 'all'])
      await assistant.call('create_event', {
        user_id: 'ada',
        id,
        title: id,
        start_ts: '2026-11-17T14:00',
        rrule: 'FREQ=DAILY;COUNT=3',
      });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    // One message carries both reminders.
    expect(await runWorker(assistant, at('13:00'))).toHaveLength(1);
    assistant.now = at('13:05');
    await assistant.call('delete_event', { event_id: 'one', occurrence: '2026-11-17T13:00:00Z' });
    await assistant.call('update_event', { event_id: 'all', start_ts: '2026-11-17T15:00' });
    // A changed title is not reported.
    await assistant.call('update_event', { event_id: 'all', title: 'all of them' });
    const written = await runWorkerUntil(assistant, at('13:30'));
    expect(written.map((text) => text.split('\n')[0]).toSorted()).toEqual([
      expect.stringMatching(/^Cancelled: one, .* 2:00/),
      expect.stringMatching(/^Moved: all of them, now .* 3:00/),
    ]);
  });

  it.each(['sync', 'import'])('is reported when it arrives through %s', async (method) => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const file = join(dirname(assistant.file), 'runWorker.ics');
    const calendar = (...lines: readonly string[]) =>
      [
        'BEGIN:VCALENDAR',
        ...lines.map((line) => `BEGIN:VEVENT\n${line}\nEND:VEVENT`),
        'END:VCALENDAR',
        '',
      ].join('\n');
    const load = async (text: string) => {
      writeFileSync(file, text);
      if (method === 'import') await assistant.call('import_calendar', { user_id: 'ada', content: text });
      else await assistant.call('add_calendar', { user_id: 'ada', source: file });
    };
    const moving = (time: string) => `UID:m\nSUMMARY:Moves\nDTSTART:20261117T${time}Z`;
    const going = (status: string) => `UID:g\nSUMMARY:Goes\nDTSTART:20261117T130000Z\nSTATUS:${status}`;
    await load(calendar(moving('130000'), going('CONFIRMED')));
    await assistant.call('plan_notifications', { user_id: 'ada' });
    expect(await runWorker(assistant, at('13:00'))).toHaveLength(1);
    assistant.now = at('13:05');
    await load(calendar(moving('123000'), going('CANCELLED')));
    const written = await runWorkerUntil(assistant, at('15:00'));
    expect(written.map((text) => text.split('\n')[0]).toSorted()).toEqual([
      expect.stringMatching(/^Cancelled: Goes, .* 2:00/),
      expect.stringMatching(/^Moved: Moves, now .* 1:30/),
    ]);
  });
});

describe('a new place', () => {
  const relocate = (assistant: TestAssistant, location: string) =>
    assistant.call('update_event', { event_id: 'haircut', location });

  it('is reported once, with the place announced before', async () => {
    await using assistant = await reminded();
    await relocate(assistant, 'Main Street 1');
    await relocate(assistant, 'Park Lane 2');
    const [notice, ...more] = await runWorkerUntil(assistant, at('15:00'));
    expect(notice).toMatch(/^New place: Haircut, Park Lane 2\n/);
    expect(notice).toContain('The place has changed. You were told: no place.');
    expect(more.filter((text) => !text.startsWith('Haircut,'))).toEqual([]);
  });

  it('is part of the message about a move', async () => {
    await using assistant = await reminded();
    await relocate(assistant, 'Park Lane 2');
    await move(assistant, '2026-11-17T15:30');
    const [notice] = await runWorkerUntil(assistant, at('13:20'));
    expect(notice).toMatch(/^Moved: Haircut, now .* 3:30/);
    expect(notice).toContain('You were told: no place.');
  });
});

describe('a change shortly before a reminder', () => {
  async function planned(start_ts: string): Promise<TestAssistant> {
    const assistant = openAssistant();
    await assistant.call('create_user', ada);
    await assistant.call('create_event', { user_id: 'ada', id: 'haircut', title: 'Haircut', start_ts });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    return assistant;
  }

  it('is reported if the event was less than a day away', async () => {
    await using assistant = await planned('2026-11-16T14:00');
    await move(assistant, '2026-11-19T10:00');
    // Planning again does not forget the time before.
    await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
    const [notice, ...more] = await runWorkerUntil(assistant, at('20:00', 16));
    expect(notice).toMatch(/^Moved: Haircut, now Thu, /);
    expect(notice).toMatch(/Before, it was Monday.* 2:00/);
    expect(more).toEqual([]);
  });

  it('is not reported if the event moves back', async () => {
    await using assistant = await planned('2026-11-16T14:00');
    await move(assistant, '2026-11-19T10:00');
    await move(assistant, '2026-11-16T14:00');
    expect(await runWorkerUntil(assistant, at('10:00', 16))).toEqual([]);
  });

  it('is reported if the event is deleted, but not if it was added a moment ago', async () => {
    await using assistant = await planned('2026-11-16T14:00');
    await assistant.call('create_event', {
      user_id: 'ada',
      id: 'slip',
      title: 'Slip',
      start_ts: '2026-11-16T15:00',
    });
    assistant.now += 11 * 60_000;
    await assistant.call('create_event', {
      user_id: 'ada',
      id: 'typo',
      title: 'Typo',
      start_ts: '2026-11-16T16:00',
    });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    for (const event_id of ['slip', 'typo']) await assistant.call('delete_event', { event_id });
    const left = await assistant.call('list_notifications', { status: 'planned' });
    expect(left).toMatchObject({
      notifications: expect.arrayContaining([
        expect.objectContaining({ change: 'cancelled', event_id: 'slip' }),
      ]),
    });
    expect(JSON.stringify(left)).not.toContain('typo');
  });

  it('does not replace a reminder at the start of the event', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    const event = { user_id: 'ada', id: 'haircut', title: 'Haircut', start_ts: '2026-11-17T14:00' };
    await assistant.call('create_event', { ...event, reminders: ['0m'] });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    assistant.now = at('13:56');
    await move(assistant, '2026-11-17T14:03');
    expect(await assistant.call('plan_notifications', { user_id: 'ada' })).not.toHaveProperty('dropped');
    const [notice] = await runWorkerUntil(assistant, at('13:58'));
    expect(notice).toMatch(/^Moved: Haircut, now .* 2:03/);
    // The sent notice does not count as the reminder either.
    await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
    expect(await runWorkerUntil(assistant, at('15:00'))).toEqual([
      expect.stringMatching(/^Haircut, .* 2:03/),
    ]);
  });

  it('is not reported if the event was further away', async () => {
    await using assistant = await planned('2026-11-18T14:00');
    await move(assistant, '2026-11-19T10:00');
    await assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' });
    expect(await runWorkerUntil(assistant, at('20:00', 19))).toEqual([]);
  });
});

describe('an acknowledgement', () => {
  /** One mail an hour before the event and one call fifteen minutes before it. */
  const both = { channel_pref: 'both', phone_e164: '+4930123456' };

  async function acknowledged(): Promise<TestAssistant> {
    const assistant = await reminded(both);
    const { notifications } = (await assistant.call('list_notifications', {
      status: 'sent',
      days_back: 1,
    })) as {
      notifications: { id: string }[];
    };
    await assistant.call('acknowledge_notification', { notification_id: notifications[0]!.id });
    return assistant;
  }

  it('ends all reminders of the occurrence on every channel, also after replanning', async () => {
    await using assistant = await acknowledged();
    expect(await assistant.call('list_notifications', { status: 'planned', days_back: 1 })).toMatchObject({
      count: 0,
    });
    await assistant.call('update_event', { event_id: 'haircut', title: 'Haircut, with papers' });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
    expect(await assistant.call('list_notifications', { status: 'planned', days_back: 1 })).toMatchObject({
      count: 0,
    });
    const before = outbox(assistant);
    await runWorker(assistant, at('13:45'));
    await runWorker(assistant, at('13:59'));
    expect(outbox(assistant)).toEqual(before);
  });

  it('does not prevent the report of a later move or cancellation', async () => {
    await using assistant = await acknowledged();
    await move(assistant, '2026-11-17T15:30');
    expect(await runWorkerUntil(assistant, at('13:20'))).toEqual([expect.stringMatching(/^Moved: .* 3:30/)]);
    await assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' });
    expect(await runWorkerUntil(assistant, at('16:00'))).toEqual([expect.stringMatching(/^Cancelled: /)]);
  });

  it('of a reminder does not cancel a planned change notice', async () => {
    await using assistant = await reminded(both);
    await move(assistant, '2026-11-17T13:40');
    const { notifications } = (await assistant.call('list_notifications', {
      status: 'sent',
      days_back: 1,
    })) as {
      notifications: { id: string }[];
    };
    await assistant.call('acknowledge_notification', { notification_id: notifications[0]!.id });
    expect(await runWorkerUntil(assistant, at('13:20'))).toEqual([expect.stringMatching(/^Moved: /)]);
  });
});
