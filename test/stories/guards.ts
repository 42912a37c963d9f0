// Checks that planned notifications respect the guards, with an implementation independent of the program's own.

import { snoozeRow, snoozeTime } from '../../src/assistant/editing/notifications.ts';
import { reachableBy } from '../../src/assistant/entities/channels.ts';
import { sourceFields } from '../../src/assistant/entities/occurrence.ts';
import { channelsOf, type Preferences, preferencesOf } from '../../src/assistant/entities/preferences.ts';
import { isImportant } from '../../src/assistant/entities/rules.ts';
import { planOccurrence } from '../../src/assistant/planning/plan-occurrence.ts';
import { keyOf, type Step } from '../../src/assistant/planning/plan-rows.ts';
import { personalDecision } from '../../src/assistant/planning/plan-subjects.ts';
import { parseAnswer } from '../../src/assistant/policy/answer.ts';
import { decideByRules } from '../../src/assistant/policy/decide.ts';
import { Failure } from '../../src/failure.ts';
import type { CalendarEvent, Channel, Notification, Rule, User } from '../../src/store/schema.ts';
import type { Story } from './guard-stories.ts';

export type { Story } from './guard-stories.ts';

const [minute, hour] = [60_000, 3_600_000];

const isNoCall = (channel: Channel) => channel !== 'call';
const silentChannels = ['email', 'webhook', 'ntfy', 'telegram', 'gotify', 'desktop'];
const makesNoSound = (channel: Channel) => silentChannels.includes(channel);

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
  afterMinutes: number,
): string[] {
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  const broken: string[] = [];
  const check = (holds: boolean, what: string) => void (holds || broken.push(what));
  const planned = rows.filter((row) => row.status === 'planned');
  const active = rows.filter((row) => row.event_start_ms === startMs && row.status !== 'cancelled');
  const reminders = active.filter(({ change, origin }) => change === null && origin !== 'snooze');
  check(reminders.length <= 5, 'more than five reminders for one event');
  check(
    reminders.length <= 3 || reminders.some(({ origin }) => origin !== null),
    'more than three reminders that the user did not ask for',
  );
  check(
    !rows.some(
      (row) =>
        row.acknowledged_ms !== null &&
        planned.some((other) => other.change === null && other.event_start_ms === row.event_start_ms),
    ),
    'a reminder after an acknowledgement',
  );
  const notices = rows.filter(({ change, status }) => change !== null && status === 'planned');
  check(notices.length <= 1, 'more than one planned change notice');
  check(new Set(rows.map(({ key }) => key)).size === rows.length, 'duplicate key');
  const apart = planned.filter(({ origin }) => origin !== 'snooze');
  check(
    new Set(apart.map((row) => `${row.channel} ${Math.floor(row.plan_ms / minute)}`)).size === apart.length,
    'two notifications on one channel in the same minute',
  );
  const calls = active.filter(({ channel }) => channel === 'call').length;
  for (const row of planned.filter(({ id }) => touched.has(id))) {
    const { time, weekend } = wallClock(row.plan_ms, preferences.timezone);
    check(row.plan_ms > nowMs, 'planned in the past');
    const after = row.origin === null ? 0 : afterMinutes;
    const latest = row.change === null ? after : Math.max(0, row.slot);
    check(row.plan_ms <= startMs + latest * minute, 'planned after the start');
    check(row.slot <= after || row.change !== null, 'a reminder after the start');
    const shiftMs = Math.abs(row.plan_ms - (startMs + row.slot * minute));
    const silent = row.change === null && row.urgency === 'low' && row.origin !== 'snooze';
    const ownAlarm = row.origin === 'alarm' && silent;
    const named = row.origin?.endsWith('-quiet') || row.origin === 'snooze';
    const permitted = named || ownAlarm;
    check(row.event_start_ms === startMs, 'wrong event start');
    check(permitted || !isQuietTime(time, preferences), `planned in quiet hours (${time})`);
    check(
      row.change !== null || row.origin === 'snooze' || shiftMs <= 2 * hour || silent,
      'a reminder moved by more than two hours makes a sound',
    );
    const onDay = (preference: string): readonly Channel[] => {
      const preferred = channelsOf(preference).filter((channel) => reachable.includes(channel));
      if (preference === 'none') return [];
      return preferred.length > 0 ? preferred : reachable.filter(isNoCall);
    };
    const usual = onDay(weekend ? preferences.weekendPolicy : preferences.channelPref);
    const muted = ownAlarm && isQuietTime(time, preferences);
    const mayRing = row.change !== null || named || (shiftMs <= 2 * hour && !muted);
    const pick = (test: (channel: Channel) => boolean) =>
      usual.length === 0 || usual.some(test) ? usual.filter(test) : reachable.filter(test);
    const softest = muted || pick(makesNoSound).length > 0 ? pick(makesNoSound) : pick(isNoCall);
    // Only a weekend policy that the user set holds for a named time, and not the one without messages.
    const asOnAnyDay = named && (user.weekend_policy === null || usual.length === 0);
    const atNamedTime = asOnAnyDay ? onDay(preferences.channelPref) : usual;
    const allowed = mayRing ? atNamedTime : softest;
    check(reachable.includes(row.channel), 'channel without an address');
    check(allowed.includes(row.channel), `channel that the user does not want (${row.channel})`);
    check(row.channel !== 'call' || calls <= Math.max(preferences.maxCallAttempts, 0), 'too many calls');
    if (row.urgency === 'high' || row.urgency === 'urgent') {
      check(startMs - row.plan_ms <= preferences.escalationThreshold * minute, 'high urgency too early');
      check(important, 'high urgency for an event that nobody called important');
    }
    broken.push(...brokenTexts(row));
  }
  return broken;
}

function brokenTexts({ payload }: Notification): string[] {
  const {
    subject,
    text,
    html,
    script,
    words: _,
    place,
    was: __,
    why = '',
    timing = '',
    title = '',
    link: ___,
    notes = [],
    allDay: ____,
    ...others
  } = JSON.parse(payload);
  const broken: string[] = [];
  const check = (holds: boolean, what: string) => void (holds || broken.push(what));
  check(Object.keys(others).length === 0, 'unexpected payload fields');
  check(
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject + script + place + why + timing + title + notes),
    'control character in subject or script',
  );
  check(subject.length > 0 && subject.length <= 200, 'empty or too long subject');
  check(
    !/evil\.example\/|www\.evil|https?:\/\/evil|mailto:|javascript:/i.test(
      subject + text + html + script + why,
    ),
    'link from untrusted text',
  );
  check(!/<script|<img|onerror=[^&]*>/i.test(html), 'markup from untrusted text');
  return broken;
}

/** Whether the user may be reminded at all. */
function isSilent({ standing, task, user }: Story): boolean {
  return task === 'done' || (standing === 'declined' && user.email !== null);
}

export function afterMinutesOf({ task, allDay }: Story): number {
  return task !== null ? 4 * 1440 : allDay ? 1440 : 0;
}

/** Replays a story on rows in memory. Returns the broken guards. */
export function replay(story: Story): string[] {
  const rules: Rule[] = story.vip ? [vipRule] : [];
  const { user } = story;
  let nowMs = story.nowMs;
  let startMs = nowMs + story.leadMs;
  let place: string | undefined;
  let rows: Notification[] = [];
  const broken: string[] = [];
  for (const [index, turn] of story.turns.entries()) {
    nowMs += index === 0 ? 0 : turn.passes;
    rows = rows.map((row) =>
      row.status === 'planned' && row.plan_ms <= nowMs ? { ...row, status: turn.becomes } : row,
    );
    const [first] = rows.filter(({ status }) => status === 'planned');
    if (turn.cancels && first)
      rows = rows.map((row) => (row === first ? { ...row, status: 'cancelled' } : row));
    if (turn.acknowledges) rows = acknowledge(rows, nowMs);
    if (turn.moves !== undefined) startMs += turn.moves;
    place = turn.place ?? place;
    const event = eventOf(story, startMs, place);
    const { title, location, description, status } = event;
    const occurrence = {
      ...{ key: '', startMs, endMs: startMs + hour, title, location, description, status },
      ...sourceFields(event, startMs),
    };
    const input = {
      event,
      occurrence,
      preferences: preferencesOf(user),
      reachable: reachableBy(user),
      rules,
      history: [],
      nowMs,
    };
    const parsed = parseAnswer(turn.answer, 1).plans.get(1);
    const { proposals, reason: why } =
      personalDecision({ user, event, occurrence, calendars: new Map(), rules }) ??
      parsed ??
      decideByRules(input);
    const important = isImportant(event, rules);
    const { steps } = planOccurrence({
      ...{ user, event, occurrence, nowMs, important, proposals, why, rows },
      force: turn.force,
    });
    if (turn.force) rows = rows.map((row) => (row.status === 'cancelled' ? releaseKey(row) : row));
    rows = steps.reduce((before, step, at) => apply(before, step, `${index}-${at}`, event), rows);
    // A notice that is due belongs to the worker; only its text may still change.
    const isDue = (step: Step) => step.action === 'keep' && step.row.plan_ms <= nowMs;
    const touched = new Set(
      steps.flatMap((step, at) =>
        isDue(step) ? [] : [step.action === 'add' ? `${index}-${at}` : step.row.id],
      ),
    );
    const sent = rows.find(
      (row) =>
        row.status === 'sent' &&
        row.change === null &&
        row.acknowledged_ms === null &&
        row.event_start_ms === startMs,
    );
    if (turn.snoozes !== undefined && sent !== undefined) {
      const snoozed = snooze(sent, event, user, turn.snoozes, nowMs, rows);
      if (
        snoozed !== undefined &&
        rows.every(({ key, acknowledged_ms }) => key !== snoozed.key && acknowledged_ms === null)
      ) {
        rows = [...rows, snoozed];
        touched.add(snoozed.id);
      }
    }
    broken.push(...brokenGuards(rows, touched, user, important, startMs, nowMs, afterMinutesOf(story)));
    if (
      isSilent(story) &&
      story.task === null &&
      rows.some(({ change, status: now }) => change === null && now === 'planned')
    )
      broken.push('a reminder of a declined event');
  }
  return broken;
}

/** What acknowledging the last sent message does to the stored rows. */
function acknowledge(rows: readonly Notification[], nowMs: number): Notification[] {
  const sent = (row: Notification) => row.status === 'sent' || row.status === 'delivered';
  if (!rows.some(sent)) return [...rows];
  return rows.map((row) => {
    if (sent(row)) return { ...row, acknowledged_ms: row.acknowledged_ms ?? nowMs };
    return row.status === 'planned' && row.change === null ? { ...row, status: 'cancelled' as const } : row;
  });
}

function snooze(
  row: Notification,
  event: CalendarEvent,
  user: User,
  minutes: number,
  nowMs: number,
  rows: readonly Notification[],
) {
  try {
    const untilMs = snoozeTime({ minutes }, row, event, user, nowMs);
    return { ...snoozeRow(row, user, untilMs, nowMs, rows), status: 'planned' as const };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
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
  const { slot, channel, urgency, planMs, payload, reason, change = null, origin = null, key } = step.desired;
  const fields = {
    key: key ?? keyOf(event.id, '', event.start_ms, slot, channel),
    change,
    origin,
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
  about: null,
  expires_ms: null,
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
  id_answers: 0,
  attention: null,
  attention_why: null,
  leader_id: null,
  created_ms: 0,
  updated_ms: 0,
} as const;

function eventOf(story: Story, startMs: number, place: string | undefined): CalendarEvent {
  return {
    ...eventFields(story, startMs, place),
    id: 'e',
    user_id: 'u',
    href: null,
    kind: null,
    important: 0,
    show_as: null,
    done: null,
    prompt: null,
    revision: `${startMs} ${place}`,
    created_ms: 0,
    updated_ms: 0,
  };
}

/** The columns of a story's event that its source provides. */
export function eventFields(story: Story, startMs: number, place: string | undefined) {
  const { title, organizer, confLink, allDay, status } = story;
  return {
    ...reminderFields(story),
    calendar_id: null,
    provider: 'local',
    provider_event_id: 'e',
    title,
    start_ms: startMs,
    end_ms: startMs + hour,
    all_day: allDay ? 1 : 0,
    timezone: 'UTC',
    location: place ?? title,
    conf_link: confLink,
    organizer,
    attendees: null,
    description: title,
    status,
    series: null,
    first_ms: startMs,
    last_ms: startMs,
    etag: null,
    last_seen_ms: null,
  } as const;
}

/** The columns of an event that only reminders depend on. */
function reminderFields({ own, alarms, standing, task, user }: Story) {
  return {
    reminders: own === null ? null : JSON.stringify({ '': own }),
    alarms: alarms === null ? null : JSON.stringify(alarms),
    answers: standing === null || user.email === null ? null : JSON.stringify({ [user.email]: standing }),
    task,
  };
}
