import { type Awaitable, Pace } from '../../awaitable.ts';
import { type OffsetAt, offsetsOf, wallOf } from '../icalendar/zone.ts';
import { covers, intersect, mergeSpans, overlaps, type Span, subtract } from './spans.ts';
import { type WorkingHours, workingSpans } from './working-hours.ts';

const minuteMs = 60_000;

/** What is known about the time of one person. */
export interface PersonTime {
  readonly zone: string;
  readonly busy: readonly Span[];
  /** Tentative events: a slot may overlap them, but others are better. */
  readonly tentative: readonly Span[];
}

export interface Search {
  readonly window: Span;
  readonly durationMs: number;
  /** Free time required before and after each event. */
  readonly bufferMs: number;
  readonly hours: WorkingHours;
  /** Slots start at multiples of this many minutes of the local time in `zone`. */
  readonly stepMinutes: number;
  readonly zone: string;
  readonly count: number;
  /** All starts of a recurring meeting whose first start is given; absent for a single meeting. */
  readonly repeat?: (startMs: number) => Awaitable<readonly number[]>;
  /** How far the recurring meeting reaches. */
  readonly horizonMs?: number;
}

export interface Slot extends Span {
  /** Indexes of people with a tentative event at that time. */
  readonly tentative: readonly number[];
  /** Starts of a recurring meeting at which somebody cannot come. */
  readonly missed: readonly number[];
  readonly repeats: number;
}

export interface SlotSearch {
  readonly slots: readonly Slot[];
  /** Starts that were examined: those at which the working hours of all people allow the meeting. */
  readonly examined: number;
  /** For each person, how many of these starts are blocked by events. */
  readonly blocked: readonly number[];
}

/**
 * Finds slots at which all people can meet, best first: fewest missed dates, then fewest tentative events, then earliest.
 * The slots do not overlap each other.
 */
export async function findSlots(people: readonly PersonTime[], search: Search): Promise<SlotSearch> {
  const { window, durationMs, bufferMs, hours, repeat } = search;
  const reach = {
    startMs: window.startMs,
    endMs: Math.max(window.endMs, search.horizonMs ?? 0) + durationMs,
  };
  const widen = (spans: readonly Span[]) =>
    mergeSpans(spans.map(({ startMs, endMs }) => ({ startMs: startMs - bufferMs, endMs: endMs + bufferMs })));
  const known = people.map(({ zone, busy, tentative }) => ({
    hours: workingSpans(hours, zone, reach),
    busy: widen(busy),
    tentative: widen(tentative),
  }));
  const common = known.reduce((left, right) => intersect(left, right.hours), [reach] as readonly Span[]);
  const free = known.reduce((left, right) => subtract(left, right.busy), common);
  const offsets = offsetsOf(search.zone) ?? (() => 0);
  const candidates: Slot[] = [];
  const blocked = known.map(() => 0);
  let examined = 0;
  const pace = new Pace();
  for (const startMs of gridStarts(common, search, offsets)) {
    const { pause } = pace;
    if (pause !== undefined) await pause;
    const slot = { startMs, endMs: startMs + durationMs };
    examined += 1;
    known.forEach(({ busy }, index) => {
      if (overlaps(busy, slot)) blocked[index]! += 1;
    });
    if (!covers(free, slot)) continue;
    const starts = (await repeat?.(startMs)) ?? [startMs];
    const missed = starts.filter((at) => !covers(free, { startMs: at, endMs: at + durationMs }));
    const tentative = known.flatMap((person, index) =>
      starts.some((at) => overlaps(person.tentative, { startMs: at, endMs: at + durationMs })) ? [index] : [],
    );
    candidates.push({ ...slot, tentative, missed, repeats: starts.length });
  }
  candidates.sort(
    (a, b) =>
      a.missed.length - b.missed.length || a.tentative.length - b.tentative.length || a.startMs - b.startMs,
  );
  const slots: Slot[] = [];
  for (const candidate of candidates) {
    if (slots.length === search.count) break;
    if (!slots.some((slot) => slot.startMs < candidate.endMs && candidate.startMs < slot.endMs))
      slots.push(candidate);
  }
  return { slots, examined, blocked };
}

/** Yields the starts in the window at which the meeting lies within the spans. */
function* gridStarts(
  spans: readonly Span[],
  { window, durationMs, stepMinutes }: Search,
  offsets: OffsetAt,
): Generator<number> {
  const stepMs = stepMinutes * minuteMs;
  for (const span of spans) {
    const last = Math.min(span.endMs, window.endMs) - durationMs;
    // Minute by minute: a clock change can shift the local grid by half an hour.
    for (let ms = Math.ceil(span.startMs / minuteMs) * minuteMs; ms <= last; ms += minuteMs)
      if (wallOf(ms, offsets) % stepMs === 0) yield ms;
  }
}
