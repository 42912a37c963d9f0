import { clock, dayTitle, wallTime } from '../shared/zone-time.ts';
import type { CalendarEvent } from './calendar-data.ts';

const dayMs = 86_400_000;
const dayMinutes = 24 * 60;

/** When an event takes place, in the person's time zone. The last day of an all-day event is included. */
export interface EventTimes {
  readonly allDay: boolean;
  readonly startDay: string;
  readonly startMinutes: number;
  readonly endDay: string;
  readonly endMinutes: number;
}

export const isPast = ({ end_ts }: Pick<CalendarEvent, 'end_ts'>) => Date.parse(end_ts) < Date.now();

/** True if an event takes place on a day. What ends at midnight is not on the next day. */
export function isOn(
  event: Pick<CalendarEvent, 'start_ts' | 'end_ts' | 'all_day'>,
  day: string,
  zone: string,
) {
  const { startDay, endDay, endMinutes, allDay } = timesOf(event, zone);
  return (
    startDay <= day && (day < endDay || (day === endDay && (startDay === day || allDay || endMinutes > 0)))
  );
}

export function timesOf(
  { start_ts, end_ts, all_day }: Pick<CalendarEvent, 'start_ts' | 'end_ts' | 'all_day'>,
  zone: string,
): EventTimes {
  const [start, end] = [wallTime(start_ts, zone), wallTime(end_ts, zone)];
  const lastDay = all_day && end.day > start.day ? addDays(end.day, -1) : end.day;
  return {
    allDay: all_day === true,
    startDay: start.day,
    startMinutes: start.minutes,
    endDay: lastDay,
    endMinutes: end.minutes,
  };
}

/** When an event begins on a day, or when it ends if it began earlier. Empty for whole days. */
export function timeOn(
  event: Parameters<typeof timesOf>[0],
  day: string,
  zone: string,
  locale: string,
): string {
  const { allDay, startDay, startMinutes, endDay, endMinutes } = timesOf(event, zone);
  if (allDay) return '';
  if (startDay === day) return clock(startMinutes, locale);
  return endDay === day ? `until ${clock(endMinutes, locale)}` : '…';
}

/** Start and end for a tool: dates, or instants, so that an event keeps its own time zone. */
export function writtenTimes(times: EventTimes, zone: string): { start_ts: string; end_ts: string } {
  const { allDay, startDay, startMinutes, endDay, endMinutes } = times;
  if (allDay) return { start_ts: startDay, end_ts: addDays(endDay, 1) };
  return {
    start_ts: instantOf(startDay, startMinutes, zone),
    end_ts: instantOf(endDay, endMinutes, zone),
  };
}

/** The instant of a local time. A time that the clocks skip becomes the one after the gap. */
function instantOf(day: string, minutes: number, zone: string): string {
  const wanted = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000;
  let guess = wanted;
  for (let round = 0; round < 2; round++) guess += wanted - wallMs(new Date(guess).toISOString(), zone);
  return new Date(guess).toISOString().replace('.000Z', 'Z');
}

function wallMs(iso: string, zone: string): number {
  const { day, minutes } = wallTime(iso, zone);
  return Date.parse(`${day}T00:00:00Z`) + minutes * 60_000;
}

/** The times in an address, such as `2026-12-01T09:30/2026-12-01T10:30` or `2026-12-01/2026-12-02`. */
export function addressOf({ allDay, startDay, startMinutes, endDay, endMinutes }: EventTimes): string {
  const at = (day: string, minutes: number) =>
    allDay ? day : new Date(Date.parse(`${day}T00:00:00Z`) + minutes * 60_000).toISOString().slice(0, 16);
  return `${at(startDay, startMinutes)}/${at(endDay, endMinutes)}`;
}

/** The times that an address holds. Undefined if it holds something else. */
export function timesFromAddress(text: string): EventTimes | undefined {
  const found = text.split('/').map((one) => /^(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d))?$/.exec(one));
  const [start, end] = found;
  if (!start || !end || found.some((one) => Number.isNaN(Date.parse(one![1]!)))) return undefined;
  const minutes = ([, , hours, rest]: RegExpExecArray) => Number(hours ?? 0) * 60 + Number(rest ?? 0);
  return {
    allDay: start[2] === undefined,
    startDay: start[1]!,
    startMinutes: minutes(start),
    endDay: end[1]!,
    endMinutes: minutes(end),
  };
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

/** Days from one date to another. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs;
}

/** Moves start and end by the same amount. */
export function shiftTimes(times: EventTimes, days: number, minutes: number): EventTimes {
  const start = shifted(times.startDay, times.startMinutes, days, minutes);
  const end = shifted(times.endDay, times.endMinutes, days, minutes);
  return {
    ...times,
    startDay: start.day,
    startMinutes: start.minutes,
    endDay: end.day,
    endMinutes: end.minutes,
  };
}

/** Moves the end only. An event keeps at least 15 minutes. */
export function stretchTimes(times: EventTimes, minutes: number): EventTimes {
  const end = shifted(times.endDay, times.endMinutes, 0, minutes);
  const next = { ...times, endDay: end.day, endMinutes: end.minutes };
  return lengthOf(next) < 15 ? times : next;
}

function lengthOf({ startDay, startMinutes, endDay, endMinutes }: EventTimes): number {
  return daysBetween(startDay, endDay) * dayMinutes + endMinutes - startMinutes;
}

function shifted(day: string, minutes: number, days: number, by: number) {
  const total = minutes + by;
  const carry = Math.floor(total / dayMinutes);
  return { day: addDays(day, days + carry), minutes: total - carry * dayMinutes };
}

/** The times in words. With the present day, that one is called so. */
export function formatTimes(times: EventTimes, locale: string, today?: string): string {
  const { allDay, startDay, startMinutes, endDay, endMinutes } = times;
  const sameDay = startDay === endDay;
  const first = startDay === today ? 'Today' : dayTitle(startDay, 'long');
  if (allDay) return sameDay ? `${first}, all day` : `${first} – ${dayTitle(endDay, 'long')}`;
  const end = sameDay ? '' : `${dayTitle(endDay, 'short')} `;
  if (sameDay && startMinutes === endMinutes) return `${first}, ${clock(startMinutes, locale)}`;
  return `${first}, ${clock(startMinutes, locale)} – ${end}${clock(endMinutes, locale)}`;
}

/** Moves the times of a series as far as one of its dates was moved. */
export function movedLike(series: EventTimes, before: EventTimes, after: EventTimes): EventTimes {
  if (after.allDay !== series.allDay) return { ...after, startDay: series.startDay, endDay: series.endDay };
  const days = daysBetween(before.startDay, after.startDay);
  const moved = shiftTimes(series, days, after.startMinutes - before.startMinutes);
  return stretchTimes(moved, lengthOf(after) - lengthOf(before));
}
