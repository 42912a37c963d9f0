import type { CalendarEvent } from '../events/calendar-data.ts';
import { wallTime } from '../shared/zone-time.ts';

/** A position in a day column: start and end in minutes since midnight, the lane, and the number of lanes. */
export interface Slot {
  readonly from: number;
  readonly to: number;
  readonly lane: number;
  readonly lanes: number;
}
export interface Placed extends Slot {
  readonly event: CalendarEvent;
}
/** Events that do not fit into the available lanes. */
export interface Overflow extends Slot {
  readonly events: readonly CalendarEvent[];
}

/** More lanes would leave too little of the titles below. */
const maxLanes = 3;

interface DayLayout {
  readonly placed: readonly Placed[];
  readonly overflows: readonly Overflow[];
}

/** Lays out the timed events of each day. Overlapping events are placed side by side, up to `maxLanes`. */
export function layOutWeek(
  events: readonly CalendarEvent[],
  days: readonly string[],
  zone: string,
): readonly DayLayout[] {
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

type Span = Omit<Placed, 'lane' | 'lanes'>;
type SpanInLane = Omit<Placed, 'lanes'>;

function layOutDay(spans: readonly Span[]): DayLayout {
  const placed: Placed[] = [];
  const overflows: Overflow[] = [];
  for (const group of groupOverlapping(spans)) {
    const needed = Math.max(...group.map(({ lane }) => lane)) + 1;
    const lanes = Math.min(needed, maxLanes);
    const shown = needed > maxLanes ? maxLanes - 1 : needed;
    placed.push(...group.filter(({ lane }) => lane < shown).map((one) => ({ ...one, lanes })));
    const rest = group.filter(({ lane }) => lane >= shown);
    if (rest.length > 0)
      overflows.push({
        events: rest.map(({ event }) => event),
        from: Math.min(...rest.map(({ from }) => from)),
        to: Math.max(...rest.map(({ to }) => to)),
        lane: shown,
        lanes,
      });
  }
  return { placed, overflows };
}

/** Groups spans that overlap, directly or through other spans, and assigns each a lane. */
function groupOverlapping(spans: readonly Span[]): readonly (readonly SpanInLane[])[] {
  const groups: SpanInLane[][] = [];
  let end = -1;
  for (const span of spans) {
    if (span.from >= end) groups.push([]);
    const group = groups.at(-1)!;
    const taken = new Set(group.filter(({ to }) => to > span.from).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane++;
    group.push({ ...span, lane });
    // A box is drawn at least half an hour high, even for shorter events.
    end = Math.max(end, span.to, span.from + 30);
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
