import type { JsonObject } from '../../../src/json.ts';

/** Four weeks with the clock changes of New York (8 March) and Berlin (29 March). */
export const firstDay = Date.parse('2026-03-02T00:00:00Z');
export const lastDay = Date.parse('2026-03-30T00:00:00Z');

/** The laptop with the worker is closed. */
export const closed = [Date.parse('2026-03-11T12:00:00Z'), Date.parse('2026-03-12T09:00:00Z')] as const;

interface Happening {
  readonly at: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

const weekly = (days: string) => `FREQ=WEEKLY;BYDAY=${days}`;
const workdays = weekly('MO,TU,WE,TH,FR');

/** An event as `[title, start, minutes, more]`. */
type Entry = readonly [string, string, number, JsonObject?];

const ada: readonly Entry[] = [
  ['Stand-up', '2026-03-02T09:15', 15, { rrule: workdays, conf_link: 'https://meet.example.com/standup' }],
  ['Design review', '2026-03-03T09:30', 60, { rrule: weekly('TU'), conf_link: 'https://zoom.us/j/1' }],
  ['1:1 with Cem', '2026-03-04T10:00', 30, { rrule: weekly('WE'), location: 'Room 2' }],
  ['1:1 with Dana', '2026-03-04T10:30', 30, { rrule: weekly('WE'), location: 'Room 2' }],
  ['Sprint planning', '2026-03-02T10:00', 120, { rrule: weekly('MO'), location: 'Room 4' }],
  ['Lunch with Eva', '2026-03-05T12:30', 60, { rrule: weekly('TH'), location: 'Canteen' }],
  ['Gym', '2026-03-03T06:30', 60, { rrule: weekly('TU,TH'), location: 'Gym' }],
  ['Bug triage', '2026-03-06T10:00', 30, { conf_link: 'https://zoom.us/j/2' }],
  ['Budget round', '2026-03-06T10:00', 60, { location: 'Room 4' }],
  ['Call with the supplier', '2026-03-06T10:00', 30, { conf_link: 'https://zoom.us/j/3' }],
  ['Team photo', '2026-03-06T10:00', 15, { location: 'Lobby' }],
  ['Dentist', '2026-03-05T08:30', 30, { location: 'Main Street 1' }],
  ["Parents' evening", '2026-03-12T19:00', 90, { location: 'School' }],
  ['LH 400 FRA-JFK', '2026-03-17T10:45', 540, { location: 'Frankfurt Airport' }],
  ['Concert', '2026-03-27T20:00', 120, { location: 'Konzerthaus' }],
  ['Interview', '2026-03-10T15:00', 60, { id: 'interview', location: 'Room 3' }],
  ['Workshop', '2026-03-13T13:00', 120, { id: 'workshop', location: 'Room 3' }],
  ['Board meeting', '2026-03-26T14:00', 60, { location: 'Room 1', organizer: 'chief@example.com' }],
  ["Grandma's birthday", '2026-03-08', 1440],
  ["Ben's birthday", '2026-03-24', 1440],
];

const ben: readonly Entry[] = [
  ['Stand-up', '2026-03-02T10:00', 15, { rrule: workdays, conf_link: 'https://meet.example.com/ben' }],
  ['Support shift', '2026-03-02T13:00', 180, { rrule: weekly('MO,WE') }],
  ['Architecture', '2026-03-05T14:00', 60, { rrule: weekly('TH'), conf_link: 'https://zoom.us/j/4' }],
  ['Retro', '2026-03-06T15:00', 60, { rrule: weekly('FR'), conf_link: 'https://zoom.us/j/5' }],
  ['Football', '2026-03-03T19:00', 90, { rrule: weekly('TU'), location: 'Field 3' }],
  ['Doctor', '2026-03-18T11:00', 30, { location: 'Clinic', important: true }],
  ['UA 88 EWR-TXL', '2026-03-28T17:30', 480, { location: 'Newark' }],
  ['Tax return', '2026-03-13', 1440, { task: 'open' }],
];

const lessons = ['Maths', 'English', 'Art', 'Biology', 'History', 'Sports'];
const lessonTimes = ['08:00', '08:50', '09:50', '10:40', '11:40', '12:30'];
const cleo: readonly Entry[] = [
  ...lessons.map((title, index): Entry => {
    const start = `2026-03-02T${lessonTimes[index]}`;
    return [title, start, 45, { rrule: workdays, location: `Room ${10 + index}` }];
  }),
  ['Piano', '2026-03-04T15:00', 45, { rrule: weekly('WE'), location: 'Music school' }],
  ['Football', '2026-03-03T16:30', 90, { rrule: weekly('TU,TH'), location: 'Field 1' }],
  ['Essay', '2026-03-20', 1440, { task: 'open' }],
  ['Maths exam', '2026-03-19T08:50', 45, { location: 'Hall', important: true }],
  ['Party at Mia', '2026-03-21T15:00', 180, { location: 'Park Lane 2' }],
  ['Match', '2026-03-29T10:00', 90, { location: 'Field 1' }],
];

const eventsOf = (user_id: string, zone: string, entries: readonly Entry[]): Happening[] =>
  entries.map(([title, start_ts, minutes, more = {}]) => {
    const endMs = Date.parse(`${start_ts}:00Z`) + minutes * 60_000;
    const times = start_ts.includes('T')
      ? { start_ts, end_ts: new Date(endMs).toISOString().slice(0, 16), timezone: zone }
      : { start_ts };
    return {
      at: '2026-03-02T00:00Z',
      tool: 'create_event',
      arguments: { user_id, title, ...times, ...more },
    };
  });

/** What happens, in order. */
export const happenings: readonly Happening[] = [
  ...[
    { id: 'ada', name: 'Ada', timezone: 'Europe/Berlin', email: 'ada@example.com', channel_pref: 'both' },
    { id: 'ben', name: 'Ben', timezone: 'America/New_York', ntfy_topic: 'ben', channel_pref: 'ntfy' },
    { id: 'cleo', name: 'Cleo', timezone: 'Europe/Berlin', ntfy_topic: 'cleo', channel_pref: 'ntfy' },
  ].map((user) => ({
    at: '2026-03-02T00:00Z',
    tool: 'create_user',
    arguments: user.id === 'ada' ? { ...user, phone_e164: '+4930123456' } : user,
  })),
  {
    at: '2026-03-02T00:00Z',
    tool: 'set_rule',
    arguments: {
      user_id: 'ada',
      rule_type: 'vip_organizer',
      rule_json: { organizers: ['chief@example.com'] },
    },
  },
  ...eventsOf('ada', 'Europe/Berlin', ada),
  ...eventsOf('ben', 'America/New_York', ben),
  ...eventsOf('cleo', 'Europe/Berlin', cleo),
  {
    at: '2026-03-03T08:00Z',
    tool: 'remind',
    arguments: { who: 'ada', text: 'Call mum', when: '2026-03-07T18:00' },
  },
  {
    at: '2026-03-08T12:00Z',
    tool: 'remind',
    arguments: { who: 'ada', text: 'Take the pills', when: '2026-03-09T08:00', repeat: 'FREQ=DAILY;COUNT=5' },
  },
  // The interview moves when its reminder has been sent. The workshop is deleted on the day before.
  {
    at: '2026-03-10T13:40Z',
    tool: 'update_event',
    arguments: { event_id: 'interview', start_ts: '2026-03-10T17:00', end_ts: '2026-03-10T18:00' },
  },
  { at: '2026-03-12T15:00Z', tool: 'delete_event', arguments: { event_id: 'workshop' } },
  {
    at: '2026-03-16T11:00Z',
    tool: 'update_user',
    arguments: { user_id: 'ben', pause_until: '2026-03-21T00:00' },
  },
  {
    at: '2026-03-17T20:00Z',
    tool: 'update_user',
    arguments: { user_id: 'ada', timezone: 'America/New_York' },
  },
  { at: '2026-03-21T08:00Z', tool: 'update_user', arguments: { user_id: 'ada', timezone: 'Europe/Berlin' } },
];

/** Written before the first run: each needs a message between these minutes before its start. */
export const important: readonly {
  readonly person: string;
  readonly title: string;
  readonly start: string;
  readonly from: number;
  readonly to: number;
}[] = [
  ...[4, 5].map((day) => ({
    ...{ person: 'ada', title: 'Dentist', start: '2026-03-05T08:30+01:00' },
    ...(day === 4 ? { from: 1500, to: 600 } : { from: 700, to: 30 }),
  })),
  { person: 'ada', title: "Parents' evening", start: '2026-03-12T19:00+01:00', from: 60, to: 10 },
  { person: 'ada', title: 'LH 400 FRA-JFK', start: '2026-03-17T10:45+01:00', from: 1500, to: 1300 },
  { person: 'ada', title: 'LH 400 FRA-JFK', start: '2026-03-17T10:45+01:00', from: 150, to: 10 },
  // It was at 15:00 and moved to 17:00.
  { person: 'ada', title: 'Interview', start: '2026-03-10T17:00+01:00', from: 60, to: 10 },
  { person: 'ada', title: 'Concert', start: '2026-03-27T20:00+01:00', from: 60, to: 10 },
  { person: 'ada', title: 'Board meeting', start: '2026-03-26T14:00+01:00', from: 1500, to: 1300 },
  { person: 'ada', title: 'Board meeting', start: '2026-03-26T14:00+01:00', from: 60, to: 5 },
  { person: 'ada', title: "Grandma's birthday", start: '2026-03-08T00:00+01:00', from: 1440, to: -1440 },
  { person: 'ada', title: "Ben's birthday", start: '2026-03-24T00:00+01:00', from: 1440, to: -1440 },
  { person: 'ada', title: 'Call mum', start: '2026-03-07T18:00+01:00', from: 1, to: -1 },
  ...[9, 10, 11, 12, 13].map((day) => ({
    ...{
      person: 'ada',
      title: 'Take the pills',
      start: `2026-03-${String(day).padStart(2, '0')}T08:00+01:00`,
    },
    // On the 12th, the laptop is closed, and it is in the report of missed reminders.
    ...{ from: 1, to: day === 12 ? -180 : -1 },
  })),
  { person: 'ben', title: 'Doctor', start: '2026-03-18T11:00-04:00', from: 150, to: 10 },
  { person: 'ben', title: 'UA 88 EWR-TXL', start: '2026-03-28T17:30-04:00', from: 1500, to: 1300 },
  { person: 'ben', title: 'UA 88 EWR-TXL', start: '2026-03-28T17:30-04:00', from: 150, to: 10 },
  { person: 'ben', title: 'Tax return', start: '2026-03-13T00:00-04:00', from: 0, to: -1440 },
  { person: 'cleo', title: 'Essay', start: '2026-03-20T00:00+01:00', from: 0, to: -1440 },
  { person: 'cleo', title: 'Maths exam', start: '2026-03-19T08:50+01:00', from: 120, to: 10 },
  { person: 'cleo', title: 'Party at Mia', start: '2026-03-21T15:00+01:00', from: 60, to: 10 },
  { person: 'cleo', title: 'Match', start: '2026-03-29T10:00+02:00', from: 60, to: 10 },
];
