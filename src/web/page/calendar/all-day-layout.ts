import type { CalendarEvent } from '../events/calendar-data.ts';
import { wallTime } from '../shared/zone-time.ts';

/** A bar across the days of an all-day event. */
export interface AllDayBar {
  readonly event: CalendarEvent;
  /** Index of the first visible day. */
  readonly from: number;
  readonly days: number;
  readonly row: number;
}

/** Lays out all-day events as bars in rows, so that the name of a long event has the width of all its days. */
export function layOutAllDay(
  events: readonly CalendarEvent[],
  days: readonly string[],
  zone: string,
): readonly AllDayBar[] {
  const ends: number[] = [];
  const spans = events.flatMap((event) => {
    if (!event.all_day) return [];
    const [start, end] = [wallTime(event.start_ts, zone).day, wallTime(event.end_ts, zone).day];
    const covered = days.filter((day) => start <= day && day < end);
    return covered.length === 0 ? [] : [{ event, from: days.indexOf(covered[0]!), days: covered.length }];
  });
  return spans
    .sort((a, b) => a.from - b.from || b.days - a.days)
    .map((span) => {
      const free = ends.findIndex((end) => end <= span.from);
      const row = free === -1 ? ends.length : free;
      ends[row] = span.from + span.days;
      return { ...span, row };
    });
}
