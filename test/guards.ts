// Checks that planned notifications respect the guards, with an implementation independent of the program's own.
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
import type { Story } from './guard-stories.ts';

export type { Story } from './guard-stories.ts';

const [minute, hour] = [60_000, 3_600_000];

const formats = new Map<string, Intl.DateTimeFormat>();

/** Local time in a zone, computed with Intl instead of the program's own zone code. */
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

/** Describes every guard that the planned notifications break. */
export function brokenGuards(
  rows: readonly Notification[],
  touched: ReadonlySet<string>,
  user: User,
  important: boolean,
  startMs: number,
  nowMs: number,
): string[] {
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  const broken: string[] = [];
  const check = (holds: boolean, what: string) => void (holds || broken.push(what));
  const active = rows.filter((row) => row.event_start_ms === startMs && row.status !== 'cancelled');
  check(
    active.filter(({ change }) => change === null).length <= 3,
    'more than three reminders for one event',
  );
  const notices = rows.filter(({ change, status }) => change !== null && status === 'planned');
  check(notices.length <= 1, 'more than one planned change notice');
  check(new Set(rows.map(({ key }) => key)).size === rows.length, 'duplicate key');
  const planned = rows.filter((row) => row.status === 'planned');
  check(
    new Set(planned.map((row) => `${row.channel} ${Math.floor(row.plan_ms / minute)}`)).size ===
      planned.length,
    'two notifications on one channel in the same minute',
  );
  const calls = active.filter(({ channel }) => channel === 'call').length;
  for (const row of planned.filter(({ id }) => touched.has(id))) {
    const { time, weekend } = wallClock(row.plan_ms, preferences.timezone);
    check(row.plan_ms > nowMs, 'planned in the past');
    check(row.plan_ms <= startMs + Math.max(0, row.slot) * minute, 'planned after the start');
    check(row.slot <= 0 || row.change !== null, 'a reminder after the start');
    check(row.event_start_ms === startMs, 'wrong event start');
    check(!isQuietTime(time, preferences), `planned in quiet hours (${time})`);
    const preference = weekend ? preferences.weekendPolicy : preferences.channelPref;
    const preferred = channelsOf(preference).filter((channel) => reachable.includes(channel));
    const allowed: readonly Channel[] =
      preference === 'none'
        ? []
        : preferred.length > 0
          ? preferred
          : reachable.filter((channel) => channel !== 'call');
    check(reachable.includes(row.channel), 'channel without an address');
    check(allowed.includes(row.channel), `channel that the user does not want (${row.channel})`);
    check(row.channel !== 'call' || calls <= Math.max(preferences.maxCallAttempts, 0), 'too many calls');
    if (row.urgency === 'high' || row.urgency === 'urgent') {
      check(startMs - row.plan_ms <= preferences.escalationThreshold * minute, 'high urgency too early');
      check(
        important || channelsOf(preferences.channelPref).includes('call'),
        'high urgency for a user without calls',
      );
    }
    broken.push(...brokenTexts(row));
  }
  return broken;
}

function brokenTexts({ payload }: Notification): string[] {
  const { subject, text, html, script, words: _, ...others } = JSON.parse(payload);
  const broken: string[] = [];
  const check = (holds: boolean, what: string) => void (holds || broken.push(what));
  check(Object.keys(others).length === 0, 'unexpected payload fields');
  check(!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject + script), 'control character in subject or script');
  check(subject.length > 0 && subject.length <= 200, 'empty or too long subject');
  check(
    !/evil\.example\/|www\.evil|https?:\/\/evil|mailto:|javascript:/i.test(subject + text + html + script),
    'link from untrusted text',
  );
  check(!/<script|<img|onerror=[^&]*>/i.test(html), 'markup from untrusted text');
  return broken;
}

/** Replays a story on rows in memory. Returns the broken guards. */
export function replay(story: Story): string[] {
  const rules: Rule[] = story.vip ? [vipRule] : [];
  let nowMs = story.nowMs;
  let startMs = nowMs + story.leadMs;
  let rows: Notification[] = [];
  const broken: string[] = [];
  for (const [index, { passes, moves, becomes, cancels, force, answer }] of story.turns.entries()) {
    nowMs += index === 0 ? 0 : passes;
    rows = rows.map((row) =>
      row.status === 'planned' && row.plan_ms <= nowMs ? { ...row, status: becomes } : row,
    );
    const [first] = rows.filter(({ status }) => status === 'planned');
    if (cancels && first) rows = rows.map((row) => (row === first ? { ...row, status: 'cancelled' } : row));
    if (moves !== undefined) startMs += moves;
    const event = eventOf(story, startMs);
    const { title, location, description, status } = event;
    const occurrence = { key: '', startMs, endMs: startMs + hour, title, location, description, status };
    const preferences = preferencesOf(story.user);
    const parsed = parseAnswer(answer);
    const input = {
      event,
      occurrence,
      preferences,
      reachable: reachableBy(story.user),
      rules,
      history: [],
      nowMs,
    };
    const { proposals } = 'problem' in parsed ? decideByRules(input) : parsed;
    const important = isImportant(event, rules);
    const { steps } = planOccurrence({
      user: story.user,
      event,
      occurrence,
      nowMs,
      important,
      proposals,
      rows,
      force,
    });
    if (force) rows = rows.map((row) => (row.status === 'cancelled' ? releaseKey(row) : row));
    rows = steps.reduce((before, step, at) => apply(before, step, `${index}-${at}`, event), rows);
    const touched = new Set(
      steps.map((step, at) => (step.action === 'add' ? `${index}-${at}` : step.row.id)),
    );
    broken.push(...brokenGuards(rows, touched, story.user, important, startMs, nowMs));
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

function releaseKey(row: Notification): Notification {
  return row.key.endsWith(`#${row.id}`) ? row : { ...row, key: `${row.key}#${row.id}` };
}

function apply(rows: readonly Notification[], step: Step, id: string, event: CalendarEvent): Notification[] {
  if (step.action === 'cancel')
    return rows.map((row) =>
      row.id === step.row.id ? { ...releaseKey(row), status: 'cancelled' as const } : row,
    );
  const { slot, channel, urgency, planMs, payload, reason, change = null, key } = step.desired;
  const fields = {
    key: key ?? keyOf(event.id, '', event.start_ms, slot, channel),
    change,
    origin: null,
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
    alarms: null,
    answers: null,
    task: null,
    reminders: null,
    revision: String(startMs),
    created_ms: 0,
    updated_ms: 0,
  };
}
