import { instantOf, offsetsIn, wallOf } from '../../recurrence/zone.ts';

/** A time range. The end is not part of it. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Sorts spans and joins those that touch or overlap. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else if (endMs > startMs) merged.push({ startMs, endMs });
  }
  return merged;
}

/** Returns the parts that lie in both lists. Both must be merged. */
export function intersect(left: readonly Span[], right: readonly Span[]): readonly Span[] {
  const common: Span[] = [];
  for (let l = 0, r = 0; l < left.length && r < right.length; ) {
    const [a, b] = [left[l]!, right[r]!];
    const startMs = Math.max(a.startMs, b.startMs);
    const endMs = Math.min(a.endMs, b.endMs);
    if (startMs < endMs) common.push({ startMs, endMs });
    if (a.endMs < b.endMs) l += 1;
    else r += 1;
  }
  return common;
}

/** Returns the parts of `spans` that no span of `removed` covers. Both must be merged. */
export function subtract(spans: readonly Span[], removed: readonly Span[]): readonly Span[] {
  const gaps: Span[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const { startMs, endMs } of removed) {
    gaps.push({ startMs: from, endMs: startMs });
    from = endMs;
  }
  return intersect(spans, [...gaps, { startMs: from, endMs: Number.POSITIVE_INFINITY }]);
}

/** True if one of the merged spans contains the whole range. */
export function covers(spans: readonly Span[], { startMs, endMs }: Span): boolean {
  const span = spans[lastAtOrBefore(spans, startMs)];
  return span !== undefined && span.endMs >= endMs;
}

/** True if one of the merged spans has a part in common with the range. */
export function overlaps(spans: readonly Span[], { startMs, endMs }: Span): boolean {
  const index = lastAtOrBefore(spans, endMs - 1);
  return index >= 0 && spans[index]!.endMs > startMs;
}

/** Index of the last span that starts at or before an instant, or -1. */
function lastAtOrBefore(spans: readonly Span[], ms: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.startMs <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

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
  const offsets = offsetsIn(zone);
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
