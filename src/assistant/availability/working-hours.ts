import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';
import type { Span } from './spans.ts';

const dayMs = 86_400_000;

/** Local hours of the day in which a person can meet. */
export interface WorkingHours {
  /** Minutes after midnight. `end` may be 1440; if it is not after `start`, the hours end on the next day. */
  readonly startMinute: number;
  readonly endMinute: number;
  /** 0 is Sunday. For hours over midnight, the day on which they begin. */
  readonly weekdays: ReadonlySet<number>;
}

export const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** Returns the working hours of a person as instants, including days of 23 and 25 hours. */
export function workingSpans(hours: WorkingHours, zone: string, window: Span): readonly Span[] {
  const offsets = offsetsOf(zone) ?? (() => 0);
  const lengthMinutes =
    hours.endMinute - hours.startMinute + (hours.endMinute > hours.startMinute ? 0 : 1440);
  const spans: { startMs: number; endMs: number }[] = [];
  const firstDay = Math.floor(wallOf(window.startMs, offsets) / dayMs) - 2;
  const lastDay = Math.floor(wallOf(window.endMs, offsets) / dayMs) + 1;
  for (let day = firstDay; day <= lastDay; day++) {
    if (!hours.weekdays.has((((day + 4) % 7) + 7) % 7)) continue;
    const wallStart = day * dayMs + hours.startMinute * 60_000;
    const startMs = Math.max(window.startMs, instantOf(wallStart, offsets));
    const endMs = Math.min(window.endMs, instantOf(wallStart + lengthMinutes * 60_000, offsets));
    const last = spans.at(-1);
    // Whole days follow each other without a gap.
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else if (startMs < endMs) spans.push({ startMs, endMs });
  }
  return spans;
}
