import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { extent } from './calendar/recurrence.ts';
import { checkRule } from './calendar/rule.ts';
import type { Series } from './calendar/series.ts';
import { readRule } from './calendar/written-value.ts';
import { type Diary, findEvent, findUser } from './diary.ts';
import { type EventFields, removeEvent, saveEvent } from './events.ts';
import { preferencesOf } from './preferences.ts';
import { audit } from './store/audit.ts';
import { newId } from './store/id.ts';
import type { CalendarEvent, EventStatus, User } from './store/schema.ts';
import { checkZone } from './users.ts';
import { timestamp } from './view.ts';
import { parseTime, type WrittenTime } from './written-time.ts';

const dayMs = 86_400_000;
/** The latest instant there is: for series that never end. */
const never = 8.64e15;

/** What a person may say about an event. */
export interface EventInput {
  readonly title?: string;
  readonly start_ts?: string;
  readonly end_ts?: string;
  readonly timezone?: string;
  readonly location?: string;
  readonly conf_link?: string;
  readonly organizer?: string;
  readonly attendees?: readonly string[];
  readonly description?: string;
  readonly status?: EventStatus;
  readonly rrule?: string;
}

export function createEvent(
  diary: Diary,
  userId: string,
  input: EventInput & { readonly title: string; readonly start_ts: string },
  wantedId?: string,
): Promise<CalendarEvent> {
  const now = diary.clock();
  const id = wantedId ?? newId(now);
  return diary.store.write(async (writer) => {
    const user = await findUser(writer.db, userId);
    const taken = await writer.db.selectFrom('events').select('id').where('id', '=', id).executeTakeFirst();
    if (taken !== undefined)
      throw new Failure(
        'conflict',
        `There is an event with the id "${id}" already; choose another or update that one.`,
      );
    const fields = { ...blank, ...detailsOf(input), title: input.title, provider_event_id: id };
    const times = timesOf(input, user);
    const { event } = await saveEvent(writer, diary, user, { ...fields, ...times }, now, id);
    await audit(writer, now, [{ action: 'event.created', userId, eventId: id }]);
    return event;
  });
}

export function updateEvent(
  diary: Diary,
  id: string,
  input: EventInput,
  unset: readonly (keyof EventInput)[],
): Promise<CalendarEvent> {
  const now = diary.clock();
  return diary.store.write(async (writer) => {
    const before = await findEvent(writer.db, id);
    refuseImported(before);
    const user = await findUser(writer.db, before.user_id);
    const { id: _, user_id, revision, created_ms, updated_ms, ...known } = before;
    const cleared = Object.fromEntries(unset.filter((name) => name !== 'rrule').map((name) => [name, null]));
    const fields = { ...known, ...detailsOf(input), ...cleared };
    const timed = input.start_ts ?? input.end_ts ?? input.timezone ?? input.rrule;
    const times =
      timed === undefined && !unset.includes('rrule') ? {} : timesOf(merged(before, input, unset), user);
    const { event, outcome } = await saveEvent(writer, diary, user, { ...fields, ...times }, now);
    if (outcome === 'changed') {
      const detail = { changed: [...Object.keys(input), ...unset] };
      await audit(writer, now, [{ action: 'event.updated', userId: user.id, eventId: id, detail }]);
    }
    return event;
  });
}

/** The whole event, or one occurrence of a series. */
export function deleteEvent(
  diary: Diary,
  id: string,
  occurrence: string | undefined,
): Promise<CalendarEvent> {
  const now = diary.clock();
  return diary.store.write(async (writer) => {
    const event = await findEvent(writer.db, id);
    refuseImported(event);
    if (occurrence === undefined) {
      await removeEvent(writer, event, 'the event was deleted', now);
      return event;
    }
    const user = await findUser(writer.db, event.user_id);
    const zone = preferencesOf(user).timezone;
    const all = await diary.occurrences(event, { fromMs: event.first_ms, toMs: now + 4000 * dayMs }, zone);
    if (event.series === null || !all.some(({ key }) => key === occurrence))
      throw new Failure('resource-not-found', 'Occurrence not found');
    const series = JSON.parse(event.series) as Series;
    const exception = occurrence.endsWith('Z')
      ? { wall: occurrence.slice(0, -1), zone: 'UTC' }
      : { wall: occurrence };
    const { id: _, user_id, revision, created_ms, updated_ms, ...fields } = event;
    const shorter = JSON.stringify({ ...series, exceptions: [...(series.exceptions ?? []), exception] });
    const saved = await saveEvent(writer, diary, user, { ...fields, series: shorter }, now);
    await audit(writer, now, [
      { action: 'event.occurrence_deleted', userId: user.id, eventId: id, detail: { occurrence } },
    ]);
    return saved.event;
  });
}

const blank = {
  provider: 'local',
  calendar_id: null,
  location: null,
  conf_link: null,
  organizer: null,
  attendees: null,
  description: null,
  status: 'confirmed',
  etag: null,
  last_seen_ms: null,
} as const satisfies Partial<EventFields>;

function refuseImported(event: CalendarEvent): void {
  if (event.provider === 'local') return;
  throw new Failure('refused', 'This event comes from a calendar that is imported; change it there.');
}

function detailsOf(input: EventInput): Partial<EventFields> {
  const { title, location, conf_link, organizer, attendees, description, status } = input;
  const given = { title, location, conf_link, organizer, description, status };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(attendees !== undefined && { attendees: JSON.stringify(attendees) }),
  };
}

/** The times as they would be written if the event were made anew. */
function merged(
  before: CalendarEvent,
  input: EventInput,
  unset: readonly string[],
): EventInput & { start_ts: string } {
  const series = before.series === null ? undefined : (JSON.parse(before.series) as Series);
  const start = input.start_ts ?? series?.start.wall ?? timestamp(before.start_ms);
  const timezone = input.timezone ?? before.timezone ?? undefined;
  const rrule = unset.includes('rrule') ? undefined : (input.rrule ?? series?.rules?.[0]);
  const wholeDay = /^\d{4}-\d{2}-\d{2}$/.test(start);
  const lengthMs = before.end_ms - before.start_ms;
  // An event that moves keeps its length, unless it turns from a day into an hour or back.
  const kept = wholeDay === (before.all_day === 1) ? lengthMs : undefined;
  return {
    start_ts: start,
    ...(timezone !== undefined && { timezone }),
    ...(rrule !== undefined && { rrule }),
    ...(input.end_ts !== undefined ? { end_ts: input.end_ts } : kept !== undefined && { length_ms: kept }),
  };
}

function timesOf(input: EventInput & { start_ts: string; length_ms?: number }, user: User) {
  checkZone(input.timezone);
  const zone = input.timezone ?? preferencesOf(user).timezone;
  const start = parseTime(input.start_ts, zone, 'start_ts');
  const endMs = endOf(input, start, zone);
  if (endMs < start.ms)
    throw new Failure(
      'invalid-params',
      `The event would end before it starts (${input.end_ts} is before ${input.start_ts}).`,
      {
        issues: [
          { path: ['end_ts'], keyword: 'minimum', expected: input.start_ts, message: 'is before start_ts' },
        ],
      },
    );
  const times = {
    start_ms: start.ms,
    end_ms: endMs,
    all_day: start.wholeDay ? 1 : 0,
    timezone: start.wholeDay ? null : zone,
  };
  if (!start.wholeDay && input.rrule === undefined)
    return { ...times, series: null, first_ms: start.ms, last_ms: start.ms };
  const series: Series = {
    start: { wall: start.wall, ...(!start.wholeDay && { zone }) },
    duration: start.wholeDay
      ? { days: Math.max(1, Math.round((endMs - start.ms) / dayMs)), seconds: 0 }
      : { days: 0, seconds: (endMs - start.ms) / 1000 },
    ...(input.rrule !== undefined && { rules: [ruleOf(input.rrule, start)] }),
  };
  const { firstMs, lastMs } = extent(series, zone);
  return {
    ...times,
    series: JSON.stringify(series),
    // Whole days begin up to a day earlier or later in other zones.
    first_ms: firstMs - dayMs,
    last_ms: lastMs === undefined ? never : lastMs + dayMs,
  };
}

function endOf(input: { end_ts?: string; length_ms?: number }, start: WrittenTime, zone: string): number {
  if (input.end_ts === undefined)
    return start.ms + (input.length_ms ?? (start.wholeDay ? dayMs : dayMs / 24));
  return parseTime(input.end_ts, zone, 'end_ts').ms;
}

function ruleOf(written: string, start: WrittenTime): string {
  try {
    const rule = readRule(written.replace(/^RRULE:/i, ''));
    checkRule(rule, Date.parse(start.wholeDay ? start.wall : `${start.wall}Z`), start.wholeDay);
    return rule;
  } catch (error) {
    throw new Failure('invalid-params', `The rule "${written}" cannot be used: ${messageOf(error)}.`, {
      issues: [
        { path: ['rrule'], keyword: 'format', expected: 'recurrence-rule', message: messageOf(error) },
      ],
      cause: error,
    });
  }
}
