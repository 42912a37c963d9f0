import type { Context } from '../../context.ts';
import { type JsonObject, present } from '../../json.ts';
import { inDigits, parseTime } from '../../recurrence/written-time.ts';
import { isZone, localText } from '../../recurrence/zone.ts';
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

/**
 * Writes the times of a request in digits, and its recurrence as a rule. An end without a day is the next such time after the start.
 */
export async function withDigits<
  Input extends { start_ts?: string; end_ts?: string; timezone?: string; rrule?: string },
>({ store, clock }: AssistantData, userId: string, input: Input, event?: CalendarEvent): Promise<Input> {
  const user = await store.read((db) => findUser(db, userId));
  const { locale, timezone } = preferencesOf(user);
  const named = input.timezone ?? event?.timezone ?? timezone;
  // An unknown zone is refused with the other fields.
  const zone = isZone(named) ? named : timezone;
  const nowMs = clock();
  const digits = (written: string | undefined, field: string, afterMs = nowMs) =>
    written === undefined ? undefined : inDigits(written, zone, nowMs, locale, field, afterMs);
  const start_ts = await digits(input.start_ts, 'start_ts');
  const startMs =
    start_ts === undefined ? (event?.start_ms ?? nowMs) : parseTime(start_ts, zone, 'start_ts', nowMs).ms;
  const end_ts = await digits(input.end_ts, 'end_ts', startMs);
  const rrule = input.rrule === undefined ? undefined : await ruleOf(input.rrule);
  return { ...input, ...present({ start_ts, end_ts, rrule }) };
}

/** A rule stays as it is; words such as `every monday` become one. */
async function ruleOf(written: string): Promise<string> {
  if (written.includes('=')) return written;
  const { readRecurrence } = await import('../../recurrence/recurrence-words.ts');
  return readRecurrence(written).rule;
}

/** Keeps the time of day of a timed event that moves to another day. With a day as its end, it becomes one of whole days. */
export async function withTimeOfDay<Input extends { start_ts?: string; end_ts?: string; timezone?: string }>(
  data: AssistantData,
  event: CalendarEvent,
  occurrence: string | undefined,
  input: Input,
): Promise<Input> {
  const isDay = (written: string | undefined) => /^\d{4}-\d\d-\d\d$/.test(written?.trim() ?? '');
  const { start_ts, end_ts } = input;
  if (event.all_day === 1 || !isDay(start_ts) || isDay(end_ts)) return input;
  const { timezone } = preferencesOf(await data.store.read((db) => findUser(db, event.user_id)));
  const { findOccurrence } = await import('../entities/occurrence-list.ts');
  const startMs =
    occurrence === undefined
      ? event.start_ms
      : (await findOccurrence(data, event, occurrence, timezone)).startMs;
  // Programs that write events in UTC mean the local time of their user.
  const own = event.provider !== 'local' && event.timezone === 'UTC' ? null : event.timezone;
  const time = localText(startMs, input.timezone ?? own ?? timezone).slice(11, 16);
  return { ...input, start_ts: `${start_ts!.trim()}T${time}` };
}
