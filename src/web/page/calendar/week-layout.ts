import type { CalendarEvent } from '../events/calendar-data.ts';
import { wallTime } from '../shared/zone-time.ts';

/** A part of a day, in minutes since midnight. */
interface Slot {
  readonly from: number;
  readonly to: number;
}
/** An event in a day column. `left` and `wide` are percentages of the column. */
export interface Placed extends Slot {
  readonly event: CalendarEvent;
  readonly left: number;
  readonly wide: number;
  /** Minutes below its start at which the title stands, because a shorter event that begins with it lies on top. */
  readonly pushed: number;
}
/** Events of which three or more overlap: a short list. */
export interface Cluster extends Slot {
  readonly events: readonly CalendarEvent[];
}

/** How far an event is indented that lies on an earlier one. */
const indent = 22;
/** The height of a title, in minutes of the grid. */
const titleMinutes = 30;

/** Lays out the timed events of each day. Of two that overlap, the later one lies on top, so that both titles show. */
export function layOutWeek(
  events: readonly CalendarEvent[],
  days: readonly string[],
  zone: string,
): readonly { readonly placed: readonly Placed[]; readonly clusters: readonly Cluster[] }[] {
  const spans = days.map((): Span[] => []);
  for (const event of events) {
    if (event.all_day) continue;
    const [start, end] = [wallTime(event.start_ts, zone), wallTime(event.end_ts, zone)];
    days.forEach((day, index) => {
      if (start.day > day || !(end.day > day || (end.day === day && end.minutes > 0) || start.day === day))
        return;
      spans[index]!.push({
        event,
        from: start.day < day ? 0 : start.minutes,
        to: end.day > day ? 24 * 60 : Math.max(end.minutes, start.day === day ? start.minutes : 0),
      });
    });
  }
  return spans.map((ofDay) => layOutDay(ofDay.sort((a, b) => a.from - b.from || b.to - a.to)));
}

interface Span extends Slot {
  readonly event: CalendarEvent;
}
interface SpanInLane extends Span {
  readonly lane: number;
}

function layOutDay(spans: readonly Span[]) {
  const placed: Placed[] = [];
  const clusters: Cluster[] = [];
  for (const group of groupOverlapping(spans)) {
    const third = group.filter(({ lane }) => lane > 1);
    const isCrowded = (one: SpanInLane) => third.some((other) => overlap(one, other));
    for (const cluster of groupOverlapping(group.filter(isCrowded)))
      clusters.push({
        events: cluster.map(({ event }) => event),
        from: cluster[0]!.from,
        to: Math.max(...cluster.map(({ to }) => to)),
      });
    const pairs = group.filter((one) => !isCrowded(one));
    placed.push(...pairs.map((one) => placedAmong(one, pairs)));
  }
  return { placed, clusters };
}

/** Two that begin together show both titles: that of the longer one below the shorter one, or beside each other. */
function placedAmong({ lane, ...one }: SpanInLane, pairs: readonly SpanInLane[]): Placed {
  const twin = pairs.find((other) => other.from === one.from && other.lane !== lane);
  const isBeside = twin !== undefined && Math.abs(twin.to - one.to) < titleMinutes;
  if (lane === 0)
    return {
      ...one,
      left: 0,
      wide: isBeside ? 50 : 100,
      pushed: twin && !isBeside ? twin.to - twin.from : 0,
    };
  const left = isBeside ? 50 : twin ? indent / 2 : indent;
  return { ...one, left, wide: 100 - left, pushed: 0 };
}

/** A box is drawn at least half an hour high, even for shorter events. */
const bottomOf = ({ from, to }: Slot) => Math.max(to, from + titleMinutes);

const overlap = (one: Slot, other: Slot) => one.from < bottomOf(other) && other.from < bottomOf(one);

/** Groups spans that overlap, directly or through other spans, and assigns each a lane. */
function groupOverlapping(spans: readonly Span[]): readonly (readonly SpanInLane[])[] {
  const groups: SpanInLane[][] = [];
  let end = -1;
  for (const { event, from, to } of spans) {
    if (from >= end) groups.push([]);
    const group = groups.at(-1)!;
    const taken = new Set(group.filter((one) => bottomOf(one) > from).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane++;
    group.push({ event, from, to, lane });
    end = Math.max(end, bottomOf({ from, to }));
  }
  return groups;
}

/** A bar across the days of an all-day event. */
interface AllDayBar {
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
