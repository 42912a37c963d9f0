// Random inputs for testing the guards: users, events, times and model answers, including hostile ones.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { channelNames, channelPreferences, weekendPolicies } from '../../src/assistant/entities/channels.ts';
import type { User } from '../../src/store/schema.ts';
import { notificationStatuses, urgencies } from '../../src/store/schema.ts';

const [hour, day] = [3_600_000, 86_400_000];
const corpus = (name: string): string[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures', 'assistant', name), 'utf8'));
export const hostileAnswers = corpus('hostile-answers.json');
export const hostileEvents = corpus('hostile-events.json');

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'America/Sao_Paulo',
  'Asia/Tehran',
];
const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), oneOf([0, 1, 15, 30, 59]))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));

const lead = oneOf(['5m', '61m', '2h', '1d', '40d', '09:00', '23:30', '1d 17:00', '2d 03:00']);
const leads = fc.array(lead, { maxLength: 7 });
const settings = fc.dictionary(oneOf(['default', 'online', 'place', 'all_day', 'task', 'doctor']), leads);
/** The user's reminders for one event; some may be sent in quiet hours. */
const ownLeads = fc.array(
  fc
    .tuple(fc.oneof(lead, oneOf(['2026-03-29T02:30', '2026-10-25T23:10'])), oneOf(['', '', '!']))
    .map((parts) => parts.join('')),
  { maxLength: 7 },
);
const alarms = fc.array(
  fc.oneof(
    fc.record({
      offset: fc.record({
        days: fc.integer({ min: -50, max: 3 }),
        seconds: fc.integer({ min: -90_000, max: 90_000 }),
      }),
    }),
    fc.record({ atMs: fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2037, 0, 1) }) }),
  ),
  { minLength: 1, maxLength: 8 },
);

const user: fc.Arbitrary<User> = fc.record({
  id: fc.constant('u'),
  name: fc.oneof(fc.constant('Ada'), oneOf(hostileEvents)),
  email: orNull(fc.constant('ada@example.com')),
  phone_e164: orNull(fc.constant('+4930123456')),
  webhook_url: orNull(fc.constant('https://hooks.example.com/ada')),
  ntfy_topic: orNull(fc.constant('ada')),
  timezone: orNull(oneOf(zones)),
  quiet_start: orNull(clock),
  quiet_end: orNull(clock),
  channel_pref: orNull(oneOf(channelPreferences)),
  weekend_policy: orNull(oneOf(weekendPolicies)),
  escalation_threshold: orNull(oneOf([0, 5, 60, 1440])),
  max_call_attempts: orNull(oneOf([0, 1, 2, 10])),
  locale: orNull(oneOf(['en', 'de', 'fr-CA', 'es', 'ja-JP', 'ar-EG', 'nonsense-locale'])),
  voice: fc.constant(null),
  reminders: orNull(settings.map((value) => JSON.stringify(value))),
  channels: orNull(
    fc
      .subarray(['tgram://123456', 'slack://a/b/c', 'sms:+4930123456', 'ntfy://ada'])
      .map((list) => JSON.stringify(list)),
  ),
  pause_until_ms: fc.constant(null),
  pause_from_ms: fc.constant(null),
  home_calendar: fc.constant(null),
  kind_channels: fc.constant(null),
  created_ms: fc.constant(0),
  updated_ms: fc.constant(0),
});

/** Any time, with more samples around clock changes. */
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2037, 0, 1) }),
  fc
    .tuple(
      oneOf([
        Date.UTC(2026, 2, 29, 1),
        Date.UTC(2026, 9, 25, 1),
        Date.UTC(2026, 2, 8, 7),
        Date.UTC(2026, 10, 1, 6),
        Date.UTC(2026, 3, 4, 15),
        Date.UTC(2011, 11, 30, 10),
        Date.UTC(2027, 1, 7, 2),
        Date.UTC(2018, 10, 4, 3),
      ]),
      fc.integer({ min: -3 * day, max: 3 * day }),
    )
    .map(([around, shift]) => around + shift),
);

const item = fc.record(
  {
    offset_minutes: fc.oneof(
      fc.integer({ min: -2000, max: 0 }),
      fc.integer({ min: -50_000, max: 50_000 }),
      oneOf([-1440, -120, -60, -30, -15, -5, 0]),
    ),
    channel: fc.oneof(oneOf([...channelNames, 'both']), fc.string()),
    urgency: fc.oneof(oneOf(urgencies), fc.string()),
    subject: fc.oneof(fc.string({ unit: 'binary' }), oneOf(hostileEvents)),
    email_text: fc.oneof(fc.string({ unit: 'binary' }), oneOf(hostileEvents)),
    tts_script: fc.string({ unit: 'binary' }),
    to: fc.constant('attacker@evil.example'),
  },
  { requiredKeys: ['offset_minutes', 'channel'] },
);
const validAnswer = fc.record({
  notify: fc.constant(true),
  reasoning: oneOf(hostileEvents),
  plan: fc.array(
    fc.record({
      offset_minutes: fc.oneof(fc.integer({ min: -3000, max: 0 }), oneOf([-1440, -60, -15, -5])),
      channel: oneOf([...channelNames, 'both']),
      urgency: oneOf(urgencies),
      subject: oneOf(['', ...hostileEvents]),
      email_text: oneOf(['', ...hostileEvents]),
    }),
    { maxLength: 8 },
  ),
});
const answer = fc.oneof(
  { weight: 5, arbitrary: validAnswer.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc
      .record({ notify: fc.boolean(), plan: fc.array(item, { maxLength: 6 }) })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 2, arbitrary: oneOf(hostileAnswers) },
  { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string({ unit: 'binary' })) },
);

/** One step of a story: time passes, due notifications are sent or fail, the event may move, and planning runs. */
const turn = fc.record({
  passes: fc.oneof(fc.integer({ min: 0, max: 2 * hour }), fc.integer({ min: 0, max: 3 * day })),
  moves: fc.option(fc.integer({ min: -2 * day, max: 5 * day }), { nil: undefined, freq: 3 }),
  /** The place changes. */
  place: fc.option(oneOf(['Room 1', 'Room 2']), { nil: undefined, freq: 3 }),
  acknowledges: fc.option(fc.constant(true), { nil: false, freq: 4 }),
  snoozes: fc.option(oneOf([1, 10, 60, 600]), { nil: undefined, freq: 2 }),
  becomes: oneOf(notificationStatuses.filter((status) => status !== 'cancelled')),
  cancels: fc.boolean(),
  force: fc.boolean(),
  answer,
});

/** An event of a user, with several planning runs. */
export const anyStory = fc.record({
  user,
  nowMs: instant,
  leadMs: fc.oneof(fc.integer({ min: 1, max: 2 * hour }), fc.integer({ min: 1, max: 31 * day })),
  title: oneOf(hostileEvents),
  organizer: orNull(oneOf(['boss@example.com', 'x@evil.example', 'nobody'])),
  confLink: orNull(oneOf(['https://meet.example.com/1', 'javascript:alert(1)'])),
  allDay: fc.boolean(),
  vip: fc.boolean(),
  own: fc.option(ownLeads, { nil: null, freq: 3 }),
  alarms: fc.option(alarms, { nil: null, freq: 3 }),
  standing: oneOf([null, null, 'declined', 'tentative', 'needs-action'] as const),
  task: oneOf([null, null, 'open', 'done'] as const),
  status: oneOf(['confirmed', 'confirmed', 'tentative'] as const),
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
});
export type Story = typeof anyStory extends fc.Arbitrary<infer Value> ? Value : never;
