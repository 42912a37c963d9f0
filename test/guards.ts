import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  channelsOf,
  type Preferences,
  preferencesOf,
  reachableBy,
} from '../src/assistant/entities/preferences.ts';
import { isImportant } from '../src/assistant/entities/rules.ts';
import { keyOf, planOccurrence, type Step } from '../src/assistant/planning/planner.ts';
import { parseAnswer } from '../src/assistant/policy/answer.ts';
import { decideByRules } from '../src/assistant/policy/rules.ts';
import type { CalendarEvent, Channel, Notification, Rule, User } from '../src/assistant/store/schema.ts';
import {
  channelPreferences,
  channels,
  notificationStatuses,
  urgencies,
  weekendPolicies,
} from '../src/assistant/store/schema.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const corpus = (name: string): string[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', 'assistant', name), 'utf8'));
export const hostileAnswers = corpus('hostile-answers.json');
export const hostileEvents = corpus('hostile-events.json');

// ── Anything that may happen ───────────────────────────────────────────────────────────────────────────────

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
const some = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), some([0, 1, 15, 30, 59]))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));

const user: fc.Arbitrary<User> = fc.record({
  id: fc.constant('u'),
  name: fc.oneof(fc.constant('Ada'), some(hostileEvents)),
  email: orNull(fc.constant('ada@example.com')),
  phone_e164: orNull(fc.constant('+4930123456')),
  webhook_url: orNull(fc.constant('https://hooks.example.com/ada')),
  ntfy_topic: orNull(fc.constant('ada')),
  timezone: orNull(some(zones)),
  quiet_start: orNull(clock),
  quiet_end: orNull(clock),
  channel_pref: orNull(some(channelPreferences)),
  weekend_policy: orNull(some(weekendPolicies)),
  escalation_threshold: orNull(some([0, 5, 60, 1440])),
  max_call_attempts: orNull(some([0, 1, 2, 10])),
  locale: orNull(some(['en', 'de', 'ja-JP', 'ar-EG', 'nonsense-locale'])),
  voice: fc.constant(null),
  created_ms: fc.constant(0),
  updated_ms: fc.constant(0),
});

/** Weeks in which clocks change somewhere, and any other time. */
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2037, 0, 1) }),
  fc
    .tuple(
      some([
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
      some([-1440, -120, -60, -30, -15, -5, 0]),
    ),
    channel: fc.oneof(some([...channels, 'both']), fc.string()),
    urgency: fc.oneof(some(urgencies), fc.string()),
    subject: fc.oneof(fc.string({ unit: 'binary' }), some(hostileEvents)),
    email_text: fc.oneof(fc.string({ unit: 'binary' }), some(hostileEvents)),
    tts_script: fc.string({ unit: 'binary' }),
    to: fc.constant('attacker@evil.example'),
  },
  { requiredKeys: ['offset_minutes', 'channel'] },
);
const good = fc.record({
  notify: fc.constant(true),
  reasoning: some(hostileEvents),
  plan: fc.array(
    fc.record({
      offset_minutes: fc.oneof(fc.integer({ min: -3000, max: 0 }), some([-1440, -60, -15, -5])),
      channel: some([...channels, 'both']),
      urgency: some(urgencies),
      subject: some(['', ...hostileEvents]),
      email_text: some(['', ...hostileEvents]),
    }),
    { maxLength: 8 },
  ),
});
const answer = fc.oneof(
  { weight: 5, arbitrary: good.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc
      .record({ notify: fc.boolean(), plan: fc.array(item, { maxLength: 6 }) })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 2, arbitrary: some(hostileAnswers) },
  { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string({ unit: 'binary' })) },
);

/** One turn of the story: time passes, some of what is due is sent or fails, the event may move, and it is planned. */
const turn = fc.record({
  passes: fc.oneof(fc.integer({ min: 0, max: 2 * hour }), fc.integer({ min: 0, max: 3 * day })),
  moves: fc.option(fc.integer({ min: -2 * day, max: 5 * day }), { nil: undefined, freq: 3 }),
  becomes: some(notificationStatuses.filter((status) => status !== 'cancelled')),
  cancels: fc.boolean(),
  force: fc.boolean(),
  answer,
});

export const story = fc.record({
  user,
  nowMs: instant,
  leadMs: fc.oneof(fc.integer({ min: 1, max: 2 * hour }), fc.integer({ min: 1, max: 31 * day })),
  title: some(hostileEvents),
  organizer: orNull(some(['boss@example.com', 'x@evil.example', 'nobody'])),
  confLink: orNull(some(['https://meet.example.com/1', 'javascript:alert(1)'])),
  allDay: fc.boolean(),
  vip: fc.boolean(),
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
});
export type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

// ── What must hold ─────────────────────────────────────────────────────────────────────────────────────────

const formats = new Map<string, Intl.DateTimeFormat>();

/** The clock of a zone, asked in another way than the program does. */
function wallClock(ms: number, zone: string): { time: string; weekend: boolean } {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(zone, format);
  }
  const text = format.format(ms);
  return { time: text.slice(-5), weekend: /^(Sat|Sun)/.test(text) };
}

function isQuietTime(time: string, { quietStart, quietEnd }: Preferences): boolean {
  if (quietStart === quietEnd) return false;
  return quietStart < quietEnd
    ? time >= quietStart && time < quietEnd
    : time >= quietStart || time < quietEnd;
}

/** Every guard that a planned notification breaks, in words. */
export function brokenGuards(
  rows: readonly Notification[],
  touched: ReadonlySet<string>,
  whom: User,
  important: boolean,
  startMs: number,
  nowMs: number,
): string[] {
  const preferences = preferencesOf(whom);
  const reachable = reachableBy(whom);
  const broken: string[] = [];
  const check = (holds: boolean, what: string) => void (holds || broken.push(what));
  const ofStart = rows.filter((row) => row.event_start_ms === startMs && row.status !== 'cancelled');
  check(ofStart.filter(({ change }) => change === null).length <= 3, 'more than three for one event');
  const notices = rows.filter(({ change, status }) => change !== null && status === 'planned');
  check(notices.length <= 1, 'more than one notice of a change at a time');
  check(new Set(rows.map(({ key }) => key)).size === rows.length, 'the same key twice');
  const planned = rows.filter((row) => row.status === 'planned');
  check(
    new Set(planned.map((row) => `${row.channel} ${Math.floor(row.plan_ms / minute)}`)).size ===
      planned.length,
    'two on one channel in the same minute',
  );
  const calls = ofStart.filter(({ channel }) => channel === 'call').length;
  for (const row of planned.filter(({ id }) => touched.has(id))) {
    const { time, weekend } = wallClock(row.plan_ms, preferences.timezone);
    check(row.plan_ms > nowMs, 'in the past');
    check(row.plan_ms <= startMs + Math.max(0, row.slot) * minute, 'after the start');
    check(row.slot <= 0 || row.change !== null, 'a reminder after the start');
    check(row.event_start_ms === startMs, 'for a start that is not the event’s');
    check(!isQuietTime(time, preferences), `in quiet hours (${time})`);
    const wish = weekend ? preferences.weekendPolicy : preferences.channelPref;
    const wanted = channelsOf(wish).filter((channel) => reachable.includes(channel));
    const allowed: readonly Channel[] =
      wish === 'none' ? [] : wanted.length > 0 ? wanted : reachable.filter((channel) => channel !== 'call');
    check(reachable.includes(row.channel), 'without an address');
    check(allowed.includes(row.channel), `on a channel that is not wanted (${row.channel})`);
    check(row.channel !== 'call' || calls <= Math.max(preferences.maxCallAttempts, 0), 'too many calls');
    if (row.urgency === 'high' || row.urgency === 'urgent') {
      check(startMs - row.plan_ms <= preferences.escalationThreshold * minute, 'pressing too early');
      check(
        important || channelsOf(preferences.channelPref).includes('call'),
        'pressing for nobody who wants it',
      );
    }
    broken.push(...brokenWords(row));
  }
  return broken;
}

function brokenWords({ payload }: Notification): string[] {
  const { subject, text, html, script, words: _, ...others } = JSON.parse(payload);
  const broken: string[] = [];
  const check = (holds: boolean, what: string) => void (holds || broken.push(what));
  check(Object.keys(others).length === 0, 'a payload with more than words');
  check(!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject + script), 'a control character in a line');
  check(subject.length > 0 && subject.length <= 200, 'a subject of no use');
  check(
    !/evil\.example\/|www\.evil|https?:\/\/evil|mailto:|javascript:/i.test(subject + text + html + script),
    'a stranger’s link',
  );
  check(!/<script|<img|onerror=[^&]*>/i.test(html), 'markup of a stranger');
  return broken;
}

// ── The story, told with the program's own decisions ───────────────────────────────────────────────────────

/** Plays a story on rows in memory and tells what went wrong, if anything. */
export function play(told: Story): string[] {
  const rules: Rule[] = told.vip ? [vipRule] : [];
  let nowMs = told.nowMs;
  let startMs = nowMs + told.leadMs;
  let rows: Notification[] = [];
  const broken: string[] = [];
  for (const [index, { passes, moves, becomes, cancels, force, answer: said }] of told.turns.entries()) {
    nowMs += index === 0 ? 0 : passes;
    rows = rows.map((row) =>
      row.status === 'planned' && row.plan_ms <= nowMs ? { ...row, status: becomes } : row,
    );
    const [first] = rows.filter(({ status }) => status === 'planned');
    if (cancels && first) rows = rows.map((row) => (row === first ? { ...row, status: 'cancelled' } : row));
    if (moves !== undefined) startMs += moves;
    const event = eventOf(told, startMs);
    const { title, location, description, status } = event;
    const occurrence = { key: '', startMs, endMs: startMs + hour, title, location, description, status };
    const preferences = preferencesOf(told.user);
    const parsed = parseAnswer(said);
    const input = {
      event,
      occurrence,
      preferences,
      reachable: reachableBy(told.user),
      rules,
      history: [],
      nowMs,
    };
    const { proposals } = 'problem' in parsed ? decideByRules(input) : parsed;
    const important = isImportant(event, rules);
    const { steps } = planOccurrence({
      user: told.user,
      event,
      occurrence,
      nowMs,
      important,
      proposals,
      rows,
      force,
    });
    if (force) rows = rows.map((row) => (row.status === 'cancelled' ? freed(row) : row));
    rows = steps.reduce((before, step, at) => apply(before, step, `${index}-${at}`, event), rows);
    const touched = new Set(
      steps.map((step, at) => (step.action === 'add' ? `${index}-${at}` : step.row.id)),
    );
    broken.push(...brokenGuards(rows, touched, told.user, important, startMs, nowMs));
  }
  return broken;
}

const vipRule: Rule = {
  id: 'r',
  user_id: 'u',
  rule_type: 'vip_organizer',
  config: JSON.stringify({ organizers: ['boss@example.com'] }),
  enabled: 1,
  priority: 0,
  created_ms: 0,
  updated_ms: 0,
};

function freed(row: Notification): Notification {
  return row.key.endsWith(`#${row.id}`) ? row : { ...row, key: `${row.key}#${row.id}` };
}

function apply(rows: readonly Notification[], step: Step, id: string, event: CalendarEvent): Notification[] {
  if (step.action === 'cancel')
    return rows.map((row) =>
      row.id === step.row.id ? { ...freed(row), status: 'cancelled' as const } : row,
    );
  const { slot, channel, urgency, planMs, payload, reason, change = null, key } = step.desired;
  const fields = {
    key: key ?? keyOf(event.id, '', event.start_ms, slot, channel),
    change,
    event_start_ms: event.start_ms,
    revision: event.revision,
    plan_ms: planMs,
    next_ms: planMs,
    slot,
    channel,
    urgency,
    payload,
    reason,
  };
  if (step.action !== 'add') return rows.map((row) => (row.id === step.row.id ? { ...row, ...fields } : row));
  return [...rows, { ...blankRow, ...fields, id, status: 'planned' }];
}

const blankRow = {
  user_id: 'u',
  event_id: 'e',
  occurrence: '',
  attempts: 0,
  owner: null,
  lease_ms: null,
  fence: 0,
  sent_ms: null,
  result: null,
  error: null,
  acknowledged_ms: null,
  acknowledged_by: null,
  parent_id: null,
  level: 0,
  escalate_ms: null,
  created_ms: 0,
  updated_ms: 0,
} as const;

function eventOf({ title, organizer, confLink, allDay }: Story, startMs: number): CalendarEvent {
  return {
    id: 'e',
    user_id: 'u',
    calendar_id: null,
    provider: 'local',
    provider_event_id: 'e',
    title,
    start_ms: startMs,
    end_ms: startMs + hour,
    all_day: allDay ? 1 : 0,
    timezone: 'UTC',
    location: title,
    conf_link: confLink,
    organizer,
    attendees: null,
    description: title,
    status: 'confirmed',
    series: null,
    first_ms: startMs,
    last_ms: startMs,
    etag: null,
    href: null,
    last_seen_ms: null,
    revision: String(startMs),
    created_ms: 0,
    updated_ms: 0,
  };
}
