import { wallTime } from '../shared/zone-time.ts';
import type { CalendarEvent } from './calendar-data.ts';

/** Where something stands in the column of a day: minutes since midnight, and which part of the width. */
export interface Slot {
  readonly from: number;
  readonly to: number;
  readonly lane: number;
  readonly lanes: number;
}
export interface Placed extends Slot {
  readonly event: CalendarEvent;
}
/** Events for which there is no room beside the others. */
export interface Crowd extends Slot {
  readonly events: readonly CalendarEvent[];
}

/** More side by side cannot be read. */
const mostLanes = 4;

/** The timed events of one day, those that overlap side by side, and those that are too many for it. */
export function layOutDay(
  events: readonly CalendarEvent[],
  day: string,
  zone: string,
): { readonly placed: readonly Placed[]; readonly crowds: readonly Crowd[] } {
  const placed: Placed[] = [];
  const crowds: Crowd[] = [];
  for (const group of groupsOf(spansOf(events, day, zone))) {
    const needed = Math.max(...group.map(({ lane }) => lane)) + 1;
    const lanes = Math.min(needed, mostLanes);
    const shown = needed > mostLanes ? mostLanes - 1 : needed;
    placed.push(...group.filter(({ lane }) => lane < shown).map((one) => ({ ...one, lanes })));
    const rest = group.filter(({ lane }) => lane >= shown);
    if (rest.length > 0)
      crowds.push({
        events: rest.map(({ event }) => event),
        from: Math.min(...rest.map(({ from }) => from)),
        to: Math.max(...rest.map(({ to }) => to)),
        lane: shown,
        lanes,
      });
  }
  return { placed, crowds };
}

type Span = Omit<Placed, 'lane' | 'lanes'>;
type Laned = Omit<Placed, 'lanes'>;

function spansOf(events: readonly CalendarEvent[], day: string, zone: string): readonly Span[] {
  return events
    .filter((event) => !event.all_day)
    .map((event) => ({ event, start: wallTime(event.start_ts, zone), end: wallTime(event.end_ts, zone) }))
    .filter(
      ({ start, end }) =>
        start.day <= day && (end.day > day || (end.day === day && end.minutes > 0) || start.day === day),
    )
    .map(({ event, start, end }) => ({
      event,
      from: start.day < day ? 0 : start.minutes,
      to: end.day > day ? 24 * 60 : Math.max(end.minutes, start.day === day ? start.minutes : 0),
    }))
    .sort((a, b) => a.from - b.from || b.to - a.to);
}

/** Those that overlap, directly or by others between them. */
function groupsOf(spans: readonly Span[]): readonly (readonly Laned[])[] {
  const groups: Laned[][] = [];
  let end = -1;
  for (const span of spans) {
    if (span.from >= end) groups.push([]);
    const group = groups.at(-1)!;
    const taken = new Set(group.filter(({ to }) => to > span.from).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane++;
    group.push({ ...span, lane });
    // Even the shortest takes the room of half an hour.
    end = Math.max(end, span.to, span.from + 30);
  }
  return groups;
}
