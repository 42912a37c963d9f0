import type { Context } from '../../context.ts';
import { type JsonObject, present } from '../../json.ts';
import { inDigits, parseTime } from '../../recurrence/written-time.ts';
import { isZone, localText, nextMidnight } from '../../recurrence/zone.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import type { Tool } from '../../tool.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';

/** Characters that local times add to one item of a list. */
export const localTimesLength = 100;

/** Adds local times and relative phrases, which models would otherwise have to compute, to the results of a tool. */
export function withLocalTimes(tool: Tool, data: AssistantData): Tool {
  return {
    ...tool,
    async call(args: JsonObject, context: Context) {
      const result = await tool.call(args as never, context);
      if (result.structured === undefined) return result;
      const { addLocalTimes } = await import('./local-time-fields.ts');
      return { ...result, structured: await addLocalTimes(data, result.structured as JsonObject, args) };
    },
  };
}

/** A time of day without a day, such as `16:30`, `4pm` or `at 16h30`. */
const timeAlone = /^(?:at |um |à |a las? )?(?:\d{1,2}(?:[:.h]\d\d)? ?(?:am|pm|uhr|h)?|noon)$/i;
/** A weekday to which an event further ahead moves, or one date of a series, is the one nearest to it. */
const farDays = 14;
/** These weekdays are counted from today. */
const fromToday = /^(?:next|this|nächste|diese|kommende|prochain|ce |próxim|este )|prochaine?$/i;
const dayMs = 86_400_000;

interface WrittenTimes {
  readonly start_ts?: string;
  readonly end_ts?: string;
  readonly timezone?: string;
  readonly rrule?: string;
}

/**
 * Writes the times of a request in digits, and its recurrence as a rule. An end without a day is the next such time after the start.
 * An event that moves, or the occurrence that `key` names, keeps its day if only a time of day is given, and its time of day if only
 * a day is given. With a day as its end, it becomes one of whole days.
 */
export async function withDigits<Input extends WrittenTimes>(
  data: AssistantData,
  userId: string,
  input: Input,
  event?: CalendarEvent,
  key?: string,
): Promise<Input> {
  const user = await data.store.read((db) => findUser(db, userId));
  const { locale, timezone } = preferencesOf(user);
  // Programs that write events in UTC mean the local time of their user.
  const own = event?.provider !== 'local' && event?.timezone === 'UTC' ? undefined : event?.timezone;
  const named = input.timezone ?? own ?? timezone;
  // An unknown zone is refused with the other fields.
  const zone = isZone(named) ? named : timezone;
  const nowMs = data.clock();
  const digits = (written: string | undefined, field: string, afterMs = nowMs, mayBePast = false) =>
    written === undefined ? undefined : inDigits(written, zone, nowMs, locale, field, afterMs, mayBePast);
  const isDay = (written: string | undefined) => /^\d{4}-\d\d-\d\d$/.test(written?.trim() ?? '');
  const currentMs = event && (await startOf(data, event, key, timezone));
  const current = currentMs === undefined ? undefined : localText(currentMs, zone);
  const midnight = (text: string) => parseTime(text.slice(0, 10), zone, 'start_ts', nowMs).ms;
  const midnightMs = current === undefined ? nowMs : midnight(current);
  const written = input.start_ts?.trim() ?? '';
  const keepsDay = current !== undefined && timeAlone.test(written);
  const isFar = key !== undefined || midnightMs > nowMs + farDays * dayMs;
  const tomorrowMs = nextMidnight(midnight(localText(nowMs, zone)), zone);
  const nearMs =
    current === undefined ? nowMs : isFar ? Math.max(tomorrowMs, midnightMs - 3 * dayMs) : tomorrowMs;
  const start = await digits(
    input.start_ts,
    'start_ts',
    keepsDay ? midnightMs - 1 : fromToday.test(written) ? nowMs : nearMs,
    keepsDay,
  );
  const end_ts = await digits(
    input.end_ts,
    'end_ts',
    start === undefined ? (currentMs ?? nowMs) : parseTime(start, zone, 'start_ts', nowMs).ms,
    start === undefined && currentMs !== undefined,
  );
  const keepsTime = event?.all_day === 0 && isDay(start) && !isDay(end_ts);
  const start_ts = keepsTime ? `${start!.trim()}T${current!.slice(11, 16)}` : start;
  const rrule = input.rrule === undefined ? undefined : await ruleOf(input.rrule, zone);
  const firstDay =
    current === undefined || start !== undefined || rrule === undefined
      ? undefined
      : await firstDayOf(rrule, current.slice(0, 10));
  const first = firstDay && (event!.all_day === 1 ? firstDay : `${firstDay}T${current!.slice(11, 16)}`);
  return { ...input, ...present({ start_ts: first ?? start_ts, end_ts, rrule }) };
}

async function startOf(
  data: AssistantData,
  event: CalendarEvent,
  key: string | undefined,
  zone: string,
): Promise<number> {
  if (key === undefined) return event.start_ms;
  const { findOccurrence } = await import('../entities/occurrence-list.ts');
  return (await findOccurrence(data, event, key, zone)).startMs;
}

/** The first day of a new rule, if the series does not begin on one: the start of a series is always a date of it. */
async function firstDayOf(rule: string, day: string): Promise<string | undefined> {
  const { fallsOn } = await import('../../recurrence/recurrence-words.ts');
  for (let ms = Date.parse(day), days = 0; days < 366; ms += dayMs, days += 1) {
    const date = new Date(ms).toISOString().slice(0, 10);
    if (fallsOn(rule, date)) return days === 0 ? undefined : date;
  }
  return undefined;
}

/** A rule stays as it is; words such as `every monday` become one. */
async function ruleOf(written: string, zone: string): Promise<string> {
  if (written.includes('=')) return written;
  const { readRecurrence } = await import('../../recurrence/recurrence-words.ts');
  return readRecurrence(written, zone).rule;
}
