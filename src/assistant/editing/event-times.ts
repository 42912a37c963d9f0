import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import { parseTime, type WrittenTime } from '../entities/written-time.ts';
import { RuleChecks } from '../icalendar/rule-checks.ts';
import { extentOf } from '../icalendar/rule-thread.ts';
import type { Series } from '../icalendar/series.ts';
import { readRule, Unreadable } from '../icalendar/written-value.ts';
import { checkZone } from './users.ts';

const dayMs = 86_400_000;
/** Latest valid timestamp, used for series without an end. */
const never = 8.64e15;

/** Times of an event, as the user wrote them. */
export interface WrittenTimes {
  readonly start_ts?: string;
  readonly end_ts?: string;
  /** Used if there is no `end_ts`. */
  readonly length_ms?: number;
  readonly timezone?: string;
  readonly rrule?: string;
}

/** Merges an update into the existing times, as if the event were created with all of them. */
export function mergedTimes(
  before: CalendarEvent,
  input: WrittenTimes,
  unset: readonly string[],
): WrittenTimes & { start_ts: string } {
  const series = before.series === null ? undefined : (JSON.parse(before.series) as Series);
  const start = input.start_ts ?? series?.start.wall ?? timestamp(before.start_ms);
  const timezone = input.timezone ?? before.timezone ?? undefined;
  const rrule = unset.includes('rrule') ? undefined : (input.rrule ?? series?.rules?.[0]);
  const allDay = !start.includes(':');
  const lengthMs = before.end_ms - before.start_ms;
  // A moved event keeps its duration, unless it changes between all-day and timed.
  const kept = allDay === (before.all_day === 1) ? lengthMs : undefined;
  return {
    start_ts: start,
    ...(timezone !== undefined && { timezone }),
    ...(rrule !== undefined && { rrule }),
    ...(input.end_ts !== undefined ? { end_ts: input.end_ts } : kept !== undefined && { length_ms: kept }),
  };
}

export async function timesOf(input: WrittenTimes & { start_ts: string }, user: User, nowMs: number) {
  checkZone(input.timezone);
  const zone = input.timezone ?? preferencesOf(user).timezone;
  const start = parseTime(input.start_ts, zone, 'start_ts', nowMs, input.timezone !== undefined);
  const endMs = resolveEnd(input, start, zone, nowMs);
  if (endMs < start.ms)
    throw new Failure(
      'invalid-params',
      `The event would end before it starts (end_ts ${input.end_ts} is before start_ts ${input.start_ts}).`,
      {
        issues: [
          { path: ['end_ts'], keyword: 'minimum', expected: input.start_ts, message: 'is before start_ts' },
        ],
      },
    );
  const times = {
    start_ms: start.ms,
    end_ms: endMs,
    all_day: start.allDay ? 1 : 0,
    timezone: start.allDay ? null : zone,
  };
  if (!start.allDay && input.rrule === undefined)
    return { ...times, series: null, first_ms: start.ms, last_ms: start.ms };
  const series: Series = {
    start: { wall: start.wall, ...(!start.allDay && { zone }) },
    duration: start.allDay
      ? { days: Math.max(1, Math.round((endMs - start.ms) / dayMs)), seconds: 0 }
      : { days: 0, seconds: (endMs - start.ms) / 1000 },
    ...(input.rrule !== undefined && { rules: [await checkRule(input.rrule, start)] }),
  };
  const { firstMs, lastMs = never } = await extentOf(series);
  return { ...times, series: JSON.stringify(series), first_ms: firstMs, last_ms: lastMs };
}

function resolveEnd(input: WrittenTimes, start: WrittenTime, zone: string, nowMs: number): number {
  if (input.end_ts === undefined)
    return start.ms + (input.length_ms || (start.allDay ? dayMs : (input.length_ms ?? dayMs / 24)));
  return parseTime(input.end_ts, zone, 'end_ts', nowMs, input.timezone !== undefined).ms;
}

/** Returns the normalized rule; throws a `Failure` if it is invalid or yields too many occurrences. */
async function checkRule(written: string, start: WrittenTime): Promise<string> {
  try {
    const rule = readRule(written.replace(/^RRULE:/i, ''));
    const checks = new RuleChecks(start.ms);
    const use = { rule, start: { wall: start.wall } };
    await checks.check([use]);
    if (!checks.isUsable(use))
      throw new Unreadable('it yields too many occurrences or takes too long to compute');
    return rule;
  } catch (error) {
    throw new Failure('invalid-params', `The recurrence rule "${written}" is invalid: ${messageOf(error)}.`, {
      issues: [
        { path: ['rrule'], keyword: 'format', expected: 'recurrence-rule', message: messageOf(error) },
      ],
      cause: error,
    });
  }
}
