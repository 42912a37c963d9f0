import { offsetsOfObservances } from './observance.ts';
import type { CalendarTime, Duration, Series } from './series.ts';
import { type OffsetAt, offsetsOf } from './zone.ts';

export const dayMs = 86_400_000;

/** Returns the UTC offsets for a written time; floating times use the viewer's time zone. */
export type ClockOf = (time: CalendarTime) => OffsetAt;

/** Returns the smallest number, or with sign -1 the largest. Lists can be too long for `Math.min(...)`. */
export function extreme(numbers: readonly number[], sign: 1 | -1): number {
  return numbers.reduce((best, next) => (next * sign < best * sign ? next : best), numbers[0] ?? 0);
}

export function durationMs({ days, seconds }: Duration): number {
  return days * dayMs + seconds * 1000;
}

export function createClocks(series: Series, viewer: string): ClockOf {
  const own = new Map(
    Object.entries(series.zones ?? {}).map(([zone, observances]) => [
      zone,
      offsetsOfObservances(observances),
    ]),
  );
  const utc: OffsetAt = () => 0;
  const floating = offsetsOf(viewer) ?? utc;
  return ({ zone }) => (zone === undefined ? floating : (own.get(zone) ?? offsetsOf(zone) ?? floating));
}

export function wallTime({ wall }: CalendarTime): number {
  return Date.parse(wall.length === 10 ? wall : `${wall}Z`);
}

export function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / dayMs) * dayMs;
}
