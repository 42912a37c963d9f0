import { cpuMs, type ExpandRule, expandRule, isFast, withoutRules } from '../../recurrence/rule.ts';
import { instantOf, type OffsetAt, offsetsOf, wallOf } from '../../recurrence/zone.ts';
import {
  type CalendarTime,
  type Duration,
  type EventDetails,
  type Expansion,
  isAllDay,
  type Occurrence,
  type Override,
  type Series,
  type Window,
} from './series.ts';
import { offsetsOfObservances } from './zone-reader.ts';

const dayMs = 86_400_000;

/** Returns the UTC offsets for a written time; floating times use the viewer's time zone. */
export type ClockOf = (time: CalendarTime) => OffsetAt;

/** Returns the smallest number, or with sign -1 the largest. Lists can be too long for `Math.min(...)`. */
function extreme(numbers: readonly number[], sign: 1 | -1): number {
  return numbers.reduce((best, next) => (next * sign < best * sign ? next : best), numbers[0] ?? 0);
}

function durationMs({ days, seconds }: Duration): number {
  return days * dayMs + seconds * 1000;
}

function createClocks(series: Series, viewer: string): ClockOf {
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

function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / dayMs) * dayMs;
}

/** Start of an occurrence from a rule or list, before overrides are applied. */
interface Start {
  /** Identifies the occurrence: its timestamp, or the day in an all-day series. */
  readonly key: number;
  /** Local time of the series, stored as if it were UTC. */
  readonly wallMs: number;
}

type Emitted = Pick<Override, 'start' | 'duration'> & { readonly details?: EventDetails };

interface Change {
  readonly override: Override;
  readonly original: Start;
}

/** Returns all occurrences that overlap the window. The time zone of the process has no effect. */
export function occurrences(series: Series, window: Window, expand: ExpandRule = expandRule): Expansion {
  const clockOf = createClocks(series, window.zone);
  const changes = sortOverrides(series, clockOf);
  const following = changes.filter(({ override }) => override.andFollowing);
  const { starts, truncated } = series.detached
    ? { starts: new Map<number, PlainStart>(), truncated: false }
    : plainStarts(series, window, clockOf, following, expand);
  for (const { original } of changes) starts.delete(original.key);

  const allDay = isAllDay(series.start);
  const recurs =
    series.detached || [series.rules, series.dates, series.overrides].some((list) => list?.length);
  const found: Occurrence[] = [];
  const emit = (
    original: Start,
    wallMs: number,
    { start, duration, details }: Emitted,
    instantMs?: number,
  ) => {
    if (details?.status === 'cancelled') return;
    const offsets = clockOf(start);
    const startMs = instantMs ?? instantOf(wallMs, offsets);
    const sameTime = duration.days === 0 ? startMs : instantOf(wallMs + duration.days * dayMs, offsets);
    const endMs = sameTime + duration.seconds * 1000;
    if (startMs >= window.toMs || (endMs <= window.fromMs && startMs < window.fromMs)) return;
    found.push({
      ...(recurs && { recurrenceId: recurrenceId(original, series.start) }),
      startMs,
      endMs,
      allDay: isAllDay(start),
      ...(details && { details }),
    });
  };
  let last = -1;
  for (const start of [...starts.values()].sort((a, b) => a.key - b.key)) {
    while (following[last + 1] !== undefined && following[last + 1]!.original.key <= start.key) last += 1;
    const change = following[last];
    if (change !== undefined) emit(start, shiftedStart(start, change, series, clockOf), change.override);
    else {
      const { wallMs, key, duration } = start;
      emit(start, wallMs, { start: series.start, duration }, allDay ? undefined : key);
    }
  }
  const single = new Set(
    changes.flatMap(({ override, original }) => (override.andFollowing ? [] : [original.key])),
  );
  for (const { override, original } of changes)
    if (!override.andFollowing || !single.has(original.key))
      emit(original, wallTime(override.start), override);
  found.sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
  return { occurrences: found, truncated };
}

/** Returns the overrides, sorted by occurrence. If two overrides target the same occurrence, the later one wins. */
function sortOverrides({ overrides = [], ...series }: Series, clockOf: ClockOf): readonly Change[] {
  const byKey = new Map<string, Change>();
  for (const override of overrides) {
    const original = startAt(override.id, series, clockOf);
    byKey.set(`${original.key} ${override.andFollowing ?? ''}`, { override, original });
  }
  return [...byKey.values()].sort((a, b) => a.original.key - b.original.key);
}

/** Returns the times of a single event, or of the first occurrence of a series before overrides. */
export function firstOccurrence(
  series: Series,
  zone: string,
): { readonly startMs: number; readonly endMs: number } {
  const { start, duration } = series;
  const once = { start, duration, ...(series.zones && { zones: series.zones }) };
  const [first] = occurrences(once, { fromMs: -never, toMs: never, zone }).occurrences;
  return first!;
}

const never = 8.64e15;
const maxCount = 1000;

/**
 * Returns bounds that enclose every occurrence in any time zone. `lastMs` is absent if the rules have no end, or if the
 * end is too expensive to compute.
 */
export function extent(
  series: Series,
  expand: ExpandRule = expandRule,
): { readonly firstMs: number; readonly lastMs?: number } {
  const { start, duration, rules = [], dates = [], overrides = [] } = series;
  const clockOf = createClocks(series, 'UTC');
  const written = [start, ...dates.map((date) => date.start), ...overrides.map((override) => override.start)];
  const instants = written.map((time) => instantOf(wallTime(time), clockOf(time)));
  const lengths = [{ duration }, ...dates, ...overrides].map((each) => durationMs(each.duration ?? duration));
  const shifts = overrides.map((override) => Math.abs(wallTime(override.start) - wallTime(override.id)));
  const slack = dayMs + extreme(shifts, -1);
  const ends = rules.map((rule) => ruleEnd(rule, series, clockOf, expand));
  const firstMs = extreme(instants, 1) - slack;
  if (ends.includes(undefined)) return { firstMs };
  return {
    firstMs,
    lastMs: extreme([...instants, ...(ends as number[])], -1) + extreme(lengths, -1) + slack,
  };
}

function ruleEnd(rule: string, { start }: Series, clockOf: ClockOf, expand: ExpandRule): number | undefined {
  const [, day] = /(?:^|;)UNTIL=(\d{8})/.exec(rule) ?? [];
  if (day !== undefined) return Date.parse(day.replace(/(....)(..)(..)/, '$1-$2-$3')) + 2 * dayMs;
  const [, count] = /(?:^|;)COUNT=(\d+)/.exec(rule) ?? [];
  if (count === undefined || Number(count) > maxCount) return undefined;
  const place = { wallMs: wallTime(start), allDay: isAllDay(start), offsets: clockOf(start) };
  const { starts, truncated } = expand(rule, place, place.wallMs, Date.UTC(9999, 0));
  return truncated ? undefined : extreme([place.wallMs, ...starts.map(({ instantMs }) => instantMs)], -1);
}

/** Converts a written time to a start of the series; both may use different time zones or formats. */
function startAt(time: CalendarTime, series: Series, clockOf: ClockOf): Start {
  const wallMs = wallTime(time);
  if (isAllDay(series.start)) return { key: startOfDay(wallMs), wallMs: startOfDay(wallMs) };
  const offsets = clockOf(series.start);
  if (isAllDay(time)) {
    const start = wallTime(series.start);
    const sameTime = wallMs + start - startOfDay(start);
    return { key: instantOf(sameTime, offsets), wallMs: sameTime };
  }
  const key = instantOf(wallMs, clockOf(time));
  return { key, wallMs: time.zone === series.start.zone ? wallMs : wallOf(key, offsets) };
}

interface PlainStart extends Start {
  readonly duration: Duration;
}

/** Returns the starts that rules and lists yield around the window, by key. */
function plainStarts(
  series: Series,
  window: Window,
  clockOf: ClockOf,
  following: readonly Change[],
  expandOne: ExpandRule,
) {
  const { start, duration, rules = [], exceptionRules = [], dates = [], exceptions = [] } = series;
  const allDay = isAllDay(start);
  const offsets = clockOf(start);
  // Include occurrences in any time zone, those in progress, and those that overrides move into the window.
  const lengths = [duration, ...following.map(({ override }) => override.duration)];
  const longest = extreme(lengths.map(durationMs), -1);
  const shifts = following.map(({ override }) => Math.abs(wallTime(override.start) - wallTime(override.id)));
  const slack = 2 * dayMs + extreme(shifts, -1);
  const ownZone = start.zone !== undefined && Object.hasOwn(series.zones ?? {}, start.zone);
  const place = {
    wallMs: wallTime(start),
    allDay,
    offsets,
    zone: ownZone ? undefined : (start.zone ?? window.zone),
  };
  let truncated = false;
  const expand = (rule: string): readonly Start[] => {
    const given = expandOne(rule, place, window.fromMs - slack - longest, window.toMs + slack);
    truncated ||= given.truncated;
    return given.starts.map(({ wallMs, instantMs }) => ({
      key: allDay ? startOfDay(wallMs) : instantMs,
      wallMs,
    }));
  };

  const starts = new Map<number, PlainStart>();
  const add = (added: Start, length: Duration) => starts.set(added.key, { ...added, duration: length });
  add(startAt(start, series, clockOf), duration);
  for (const rule of rules) for (const given of expand(rule)) add(given, duration);
  for (const date of dates) add(startAt(date.start, series, clockOf), date.duration ?? duration);
  for (const rule of exceptionRules) for (const { key } of expand(rule)) starts.delete(key);
  for (const exception of exceptions) starts.delete(startAt(exception, series, clockOf).key);
  // An exception that is a date removes all occurrences of that day.
  const days = new Set(allDay ? [] : exceptions.filter(isAllDay).map(wallTime));
  if (days.size > 0) {
    for (const { key, wallMs } of starts.values()) if (days.has(startOfDay(wallMs))) starts.delete(key);
  }
  return { starts, truncated };
}

/** Local start of an occurrence after a THISANDFUTURE override; it moves as far as the overridden occurrence did. */
function shiftedStart(
  start: Start,
  { override, original }: Change,
  series: Series,
  clockOf: ClockOf,
): number {
  const moved = wallTime(override.start);
  if (isAllDay(override.start)) return startOfDay(start.wallMs) + moved - startOfDay(original.wallMs);
  if (isAllDay(series.start) || override.start.zone === series.start.zone)
    return start.wallMs + moved - original.wallMs;
  const offsets = clockOf(override.start);
  return wallOf(start.key, offsets) + moved - wallOf(original.key, offsets);
}

/** Identifies an occurrence independently of the viewer's time zone. */
function recurrenceId({ key, wallMs }: Start, written: CalendarTime): string {
  if (isAllDay(written)) return new Date(key).toISOString().slice(0, 10);
  return written.zone === undefined
    ? new Date(wallMs).toISOString().slice(0, 19)
    : `${new Date(key).toISOString().slice(0, 19)}Z`;
}

const monthMs = 30 * 86_400_000;
const maxSlices = 48;
/** CPU time that the rules of one series may take. */
const maxSeriesMs = 5_000;

export interface SeriesExpansion {
  /** Occurrences that start in the window, which includes its end. */
  readonly occurrences: readonly Occurrence[];
  /** True if the rules take too long. They are left out then: only the start, added dates and changed occurrences remain. */
  readonly slow: boolean;
  /** True if some occurrences are missing. */
  readonly truncated: boolean;
  readonly usedMs: number;
}

/** Expands a series. Unusual rules are expanded month by month, because each query has limits. `skip` leaves them out. */
export function expandSeries(
  series: Series,
  window: Window,
  skip: boolean,
  maxMs = maxSeriesMs,
): SeriesExpansion {
  const length = window.toMs + 1 - window.fromMs;
  if (!isUnusual(series)) return { ...inSlices(series, window, length, expandRule), slow: false, usedMs: 0 };
  const skipped = { ...inSlices(series, window, length, withoutRules), slow: true };
  if (skip) return { ...skipped, usedMs: 0 };
  const began = cpuMs();
  let slow = false;
  const expand: ExpandRule = (...query) => {
    if (slow) return withoutRules(...query);
    const found = expandRule(...query);
    slow = found.slow === true || cpuMs() - began > maxMs;
    return found;
  };
  const found = inSlices(series, window, Math.max(monthMs, length / maxSlices), expand);
  const usedMs = cpuMs() - began;
  return slow ? { ...skipped, usedMs } : { ...found, slow, usedMs };
}

export function isUnusual({ rules = [], exceptionRules = [] }: Series): boolean {
  return ![...rules, ...exceptionRules].every(isFast);
}

function inSlices(series: Series, { zone, ...window }: Window, length: number, expand: ExpandRule) {
  const found: Occurrence[] = [];
  let truncated = false;
  for (let { fromMs } = window; fromMs <= window.toMs; fromMs += length) {
    // `window.toMs` is inclusive here and exclusive in `occurrences`.
    const toMs = Math.min(fromMs + length, window.toMs + 1);
    const slice = occurrences(series, { fromMs, toMs, zone }, expand);
    truncated ||= slice.truncated;
    for (const occurrence of slice.occurrences) if (occurrence.startMs >= fromMs) found.push(occurrence);
  }
  return { occurrences: found, truncated };
}
