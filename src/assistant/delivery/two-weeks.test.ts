import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runWorker } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

/** Every message of two weeks. Review the changes after an update with UPDATE_TRANSCRIPT=1. */
const transcript = fileURLToPath(new URL('../../../test/fixtures/assistant/two-weeks.txt', import.meta.url));
const minute = 60_000;

/** Local time of Ada, who is in Berlin in the first week and in New York in the second. */
const berlin = (day: number, time: string) =>
  Date.parse(`2026-11-${String(day).padStart(2, '0')}T${time}:00+01:00`);
const newYork = (day: number, time: string) =>
  Date.parse(`2026-11-${String(day).padStart(2, '0')}T${time}:00-05:00`);

const work = (review: string, extra: readonly string[] = []) =>
  [
    'BEGIN:VCALENDAR',
    'X-WR-CALNAME:Work',
    'X-WR-TIMEZONE:Europe/Berlin',
    'BEGIN:VEVENT',
    'UID:standup',
    'SUMMARY:Standup',
    'DTSTART;TZID=Europe/Berlin:20261116T091500',
    'DURATION:PT15M',
    'RRULE:FREQ=WEEKLY;BYDAY=MO,WE',
    'URL:https://meet.example.com/standup',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:review',
    'SUMMARY:Design review',
    review,
    'LOCATION:Room 4',
    'ORGANIZER:mailto:cleo@example.com',
    'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.com',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:party',
    'SUMMARY:Office party',
    'DTSTART:20261119T190000',
    'ORGANIZER:mailto:cleo@example.com',
    'ATTENDEE;PARTSTAT=DECLINED:mailto:ada@example.com',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:pickup',
    'SUMMARY:Pick up the keys',
    'DTSTART:20261118T160000',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-PT45M',
    'END:VALARM',
    'END:VEVENT',
    ...extra,
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const task = (...lines: readonly string[]) => [
  'BEGIN:VTODO',
  'UID:taxes',
  'SUMMARY:Tax return',
  'DUE:20261119T120000',
  ...lines,
  'END:VTODO',
];

type Step = readonly [at: number, what: string, act: (assistant: TestAssistant) => Promise<unknown>];

const load = (text: string) => async (assistant: TestAssistant) => {
  const source = join(dirname(assistant.file), 'work.ics');
  writeFileSync(source, text);
  await assistant.call('add_calendar', { user_id: 'ada', source });
};
const update = (event_id: string, more: JsonObject) => (assistant: TestAssistant) =>
  assistant.call('update_event', { event_id, ...more });
const last = async (assistant: TestAssistant) => {
  const { notifications } = await assistant.call('list_notifications', {
    status: 'sent',
    days_back: 30,
    days_forward: 1,
  });
  const sent = notifications as unknown as { id: string; event_id: string; sent_time: string }[];
  return sent
    .filter(({ event_id }) => event_id !== '')
    .toSorted((a, b) => a.sent_time.localeCompare(b.sent_time))
    .at(-1)!.id;
};

const moved = 'DTSTART:20261117T150000';
const steps: readonly Step[] = [
  [berlin(15, '18:00'), 'Ada imports her calendar', load(work('DTSTART:20261117T140000', task()))],
  [
    berlin(15, '18:01'),
    'Ada adds a flight, a dentist and a birthday',
    async (assistant) => {
      const create = (id: string, title: string, start_ts: string, more: JsonObject = {}) =>
        assistant.call('create_event', { user_id: 'ada', id, title, start_ts, ...more });
      await create('flight', 'Flight to New York', '2026-11-21T10:30', { location: 'Airport' });
      await create('dentist', 'Dentist', '2026-11-20T08:30', { location: 'Park Lane 2' });
      await create('birthday', 'Birthday of Bo', '2026-11-18');
      await create('call', 'Call with Dan', '2026-11-18T20:30', {
        conf_link: 'https://meet.example.com/dan',
      });
    },
  ],
  [
    berlin(16, '09:06'),
    'Ada confirms the standup',
    async (assistant) =>
      assistant.call('acknowledge_notification', { notification_id: await last(assistant) }),
  ],
  [
    berlin(17, '13:31'),
    'Ada snoozes the design review',
    async (assistant) =>
      assistant.call('snooze_notification', { notification_id: await last(assistant), minutes: 15 }),
  ],
  [berlin(17, '13:50'), 'Cleo moves the design review by an hour', load(work(moved, task('SEQUENCE:1')))],
  [
    berlin(18, '10:00'),
    'Ada wants to be reminded of the call at 20:25 although it is late',
    update('call', { reminders: ['20:25!'] }),
  ],
  [berlin(19, '15:00'), 'Ada does the tax return a bit late', load(work(moved, task('STATUS:COMPLETED')))],
  [
    berlin(19, '20:00'),
    'the dentist moves to another place',
    update('dentist', { location: 'Main Street 1' }),
  ],
  [berlin(20, '08:00'), 'the dentist cancels', update('dentist', { status: 'cancelled' })],
  [
    berlin(21, '11:00'),
    'Ada boards the plane',
    async (assistant) => assistant.call('update_user', { user_id: 'ada', timezone: 'America/New_York' }),
  ],
  [
    newYork(22, '12:00'),
    'Ada plans her week in New York',
    async (assistant) => {
      const create = (id: string, title: string, start_ts: string, more: JsonObject = {}) =>
        assistant.call('create_event', { user_id: 'ada', id, title, start_ts, ...more });
      await create('lunch', 'Lunch with Eve', '2026-11-24T12:00', {
        location: 'Broadway 1',
        timezone: 'America/New_York',
      });
      await create('museum', 'Museum', '2026-11-26T15:00', {
        status: 'tentative',
        timezone: 'America/New_York',
      });
      await assistant.call('update_user', { user_id: 'ada', locale: 'de' });
    },
  ],
  [newYork(24, '09:00'), 'Eve moves the lunch', update('lunch', { start_ts: '2026-11-24T13:00' })],
  [newYork(24, '12:40'), 'Eve cancels the lunch', update('lunch', { status: 'cancelled' })],
];

it('sends exactly the messages of the transcript in two weeks of one person', async () => {
  await using assistant = openAssistant();
  assistant.now = berlin(15, '17:59');
  await assistant.call('create_user', {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin', quiet_start: '20:15' },
    reminders: { digest: ['07:30'] },
  });
  const lines: string[] = [];
  const write = (text: string) =>
    lines.push(`── ${new Date(assistant.now).toISOString().slice(0, 16)}Z  ${text}`);
  const advance = async (untilMs: number) => {
    for (;;) {
      const { notifications } = await assistant.call('list_notifications', {
        status: 'planned',
        days_back: 1,
        days_forward: 30,
      });
      const due = (notifications as unknown as { plan_time: string }[])
        .map(({ plan_time }) => Date.parse(plan_time))
        .map((ms) => Math.max(assistant.now, ms));
      // A worker plans every hour; twice a day is enough here.
      const next = Math.min(assistant.now + 12 * 60 * minute, ...due);
      if (next > untilMs) break;
      const mails = await runWorker(assistant, next);
      for (const mail of mails.toSorted()) {
        write('mail');
        lines.push(
          ...mail
            .trimEnd()
            .split('\n')
            .map((line) => `   ${line}`.trimEnd()),
        );
      }
    }
    assistant.now = untilMs;
  };
  for (const [at, what, act] of steps) {
    await advance(at);
    write(what);
    await act(assistant);
    await runWorker(assistant, assistant.now + 1);
  }
  await advance(newYork(29, '12:00') + minute);
  const text = `${lines.join('\n')}\n`;
  if (process.env['UPDATE_TRANSCRIPT']) writeFileSync(transcript, text);
  expect(text).toBe(readFileSync(transcript, 'utf8'));
}, 60_000);
