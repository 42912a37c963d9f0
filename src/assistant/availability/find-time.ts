import { Failure } from '../../failure.ts';
import { messageOf, present } from '../../json.ts';
import { Pace } from '../../pace.ts';
import { readRange as readTimes } from '../../recurrence/written-range.ts';
import { localTime } from '../../recurrence/written-time.ts';
import { type OffsetAt, offsetsIn, wallOf } from '../../recurrence/zone.ts';
import type { User } from '../../store/schema.ts';
import { checkZone } from '../editing/users.ts';
import { type AssistantData, findUser, type Reader } from '../entities/entity-access.ts';
import { RuleBudget } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import { expandStored } from '../icalendar/rule-thread.ts';
import { readRule } from '../icalendar/written-value.ts';
import { busyTimes } from './busy-times.ts';
import {
  covers,
  intersect,
  mergeSpans,
  overlaps,
  type Span,
  subtract,
  type WorkingHours,
  weekdayNames,
  workingSpans,
} from './spans.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];
const maxDays = 92;
/** Of so few days, each is meant, also at the weekend. */
const shortDays = 3;
/** How far a recurring meeting is checked. */
const seriesMs = 366 * dayMs;
const maxDates = 100;

export interface TimeRange {
  readonly people: readonly string[];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly zone?: string | undefined;
}

export interface TimeRequest extends TimeRange {
  readonly duration_minutes: number;
  readonly hours?: string | undefined;
  readonly weekdays?: readonly string[] | undefined;
  readonly buffer_minutes?: number | undefined;
  readonly step_minutes?: number | undefined;
  readonly rrule?: string | undefined;
  readonly ignore_event_id?: string | undefined;
  readonly count?: number | undefined;
}

/** Finds times at which several users can meet. */
export async function findTime(data: AssistantData, request: TimeRequest, intervalMs: number) {
  const { zone, window, isShort, people, nowMs } = await readRange(data, request);
  const durationMs = request.duration_minutes * minuteMs;
  const { rrule } = request;
  const horizonMs = rrule === undefined ? undefined : window.endMs + seriesMs;
  const search: Search = {
    // A meeting cannot begin in the past.
    window: { startMs: Math.max(window.startMs, nowMs), endMs: window.endMs },
    durationMs,
    bufferMs: (request.buffer_minutes ?? 0) * minuteMs,
    hours: readHours(
      request.hours ?? (namesHours(request, window) ? '00:00-24:00' : '09:00-17:00'),
      request.weekdays ?? (isShort ? weekdayNames : ['mon', 'tue', 'wed', 'thu', 'fri']),
    ),
    stepMinutes: request.step_minutes ?? 15,
    zone,
    count: request.count ?? 5,
    ...(rrule !== undefined && { repeat: datesOf(rrule, zone, durationMs), horizonMs: horizonMs! }),
  };
  const reach = { startMs: window.startMs - dayMs, endMs: (horizonMs ?? window.endMs) + dayMs };
  const known = await data.store.read((db) =>
    Promise.all(people.map((user) => readPerson(data, db, user, reach, intervalMs, request.ignore_event_id))),
  );
  const { slots, examined, blocked } = await findSlots(known, search);
  const unknown = known.flatMap(({ id, unknown }) => unknown.map((reason) => ({ user_id: id, reason })));
  const view = (slot: Slot) => slotView(slot, known, nowMs, zone);
  return present({
    slots: slots.map(view),
    zone,
    unknown: unknown.length === 0 ? undefined : unknown,
    none_because: slots.length > 0 ? undefined : explain(examined, blocked, known),
  });
}

/** Lists when users are busy, without saying with what. */
export async function freeBusy(data: AssistantData, range: TimeRange, intervalMs: number) {
  const { zone, window, people } = await readRange(data, range);
  const known = await data.store.read((db) =>
    Promise.all(people.map((user) => readPerson(data, db, user, window, intervalMs))),
  );
  const spanView = (tentative: boolean) => (span: Span) => ({
    start_ts: timestamp(span.startMs),
    end_ts: timestamp(span.endMs),
    ...(tentative && { tentative: true }),
  });
  return {
    zone,
    from: timestamp(window.startMs),
    to: timestamp(window.endMs),
    people: known.map(({ id, busy, tentative, unknown }) => ({
      user_id: id,
      busy: [...busy.map(spanView(false)), ...tentative.map(spanView(true))].sort((a, b) =>
        a.start_ts < b.start_ts ? -1 : 1,
      ),
      ...(unknown.length > 0 && { unknown }),
    })),
  };
}

async function readRange(data: AssistantData, { people, from, to, zone: requested }: TimeRange) {
  checkZone(requested);
  const nowMs = data.clock();
  const users = await data.store.read((db) => Promise.all(people.map((id) => findUser(db, id))));
  const { timezone, locale } = preferencesOf(users[0]!);
  const zone = requested ?? timezone;
  const written = await readTimes({ from, to }, zone, nowMs, locale);
  const { startMs = nowMs, endMs = startMs + 7 * dayMs } = written;
  if (endMs <= startMs) throw new Failure('invalid-params', `to must be after from, but "${to}" is not.`);
  if (endMs - startMs > maxDays * dayMs)
    throw new Failure('invalid-params', `from and to must be at most ${maxDays} days apart.`);
  const isShort = written.endMs !== undefined && endMs - startMs <= shortDays * dayMs;
  return { nowMs, zone, window: { startMs, endMs }, isShort, people: users };
}

async function readPerson(
  data: AssistantData,
  db: Reader,
  user: User,
  window: Span,
  intervalMs: number,
  ignored?: string,
) {
  const { busy, unknown } = await busyTimes(data, db, user, window, intervalMs);
  const counted = busy.filter(({ event }) => event.id !== ignored);
  return {
    id: user.id,
    zone: preferencesOf(user).timezone,
    busy: counted.filter(({ tentative }) => !tentative),
    tentative: counted.filter(({ tentative }) => tentative),
    unknown,
  };
}

function slotView(
  { startMs, endMs, tentative, missed, repeats }: Slot,
  people: readonly Awaited<ReturnType<typeof readPerson>>[],
  nowMs: number,
  zone: string,
) {
  return present({
    start_ts: timestamp(startMs),
    end_ts: timestamp(endMs),
    start_local: localTime(startMs, zone, nowMs),
    end_local: localTime(endMs, zone, nowMs),
    people: people.map((person, index) => ({
      user_id: person.id,
      state: stateOf(person.unknown.length > 0, tentative.includes(index)),
      start_local: localTime(startMs, person.zone, nowMs),
    })),
    dates: repeats === 1 && missed.length === 0 ? undefined : repeats,
    missed:
      missed.length === 0
        ? undefined
        : missed.map((at) => ({ start_ts: timestamp(at), start_local: localTime(at, zone, nowMs) })),
  });
}

function stateOf(unknown: boolean, tentative: boolean): 'unknown' | 'tentative' | 'free' {
  if (unknown) return 'unknown';
  return tentative ? 'tentative' : 'free';
}

function explain(examined: number, blocked: readonly number[], people: readonly { readonly id: string }[]) {
  if (examined === 0)
    return 'The working hours of these people do not overlap long enough in this time. Try other hours or weekdays, or a shorter meeting.';
  const worst = people
    .map(({ id }, index) => ({ id, share: Math.round((100 * blocked[index]!) / examined) }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share)
    .map(({ id, share }) => `${id} is busy at ${share} %`);
  return `Of ${examined} possible starts, ${worst.join(', ')}. Try more days, other hours or a shorter meeting.`;
}

/** True for a range within a day, such as from 14:00 to 18:00: whoever gives one means these hours. */
function namesHours({ from, to }: TimeRange, { startMs, endMs }: Span): boolean {
  return /\d:\d\d/.test(from ?? '') && /\d:\d\d/.test(to ?? '') && endMs - startMs < dayMs;
}

/** Reads `09:00-17:00`. */
function readHours(written: string, days: readonly string[]): WorkingHours {
  const [, startHour, startMinute = '0', endHour, endMinute] =
    /^(\d{1,2})(?::([0-5]\d))? ?[-–] ?(\d{1,2})(?::([0-5]\d))?$/.exec(written) ?? [];
  const end = Number(endHour) * 60 + Number(endMinute ?? 0);
  // "9-5" can be until 17:00.
  const isUnclear = endMinute === undefined && Number(endHour) <= Number(startHour);
  if (startHour === undefined || isUnclear || Number(startHour) > 23 || end > 1440)
    throw new Failure('invalid-params', `hours must be like 09:00-17:00, not "${written}".`);
  return {
    startMinute: Number(startHour) * 60 + Number(startMinute),
    endMinute: end,
    weekdays: new Set(days.map((day) => weekdayNames.indexOf(day as (typeof weekdayNames)[number]))),
  };
}

function datesOf(
  written: string,
  zone: string,
  durationMs: number,
): (startMs: number) => Promise<readonly number[]> {
  let rule: string;
  try {
    rule = readRule(written.replace(/^RRULE:/i, ''));
  } catch (error) {
    throw new Failure('invalid-params', `The recurrence rule "${written}" is invalid: ${messageOf(error)}.`);
  }
  const offsets = offsetsIn(zone);
  const budget = new RuleBudget();
  return async (startMs) => {
    const wall = new Date(wallOf(startMs, offsets)).toISOString().slice(0, 19);
    const series = {
      start: { wall, zone },
      duration: { days: 0, seconds: durationMs / 1000 },
      rules: [rule],
    };
    const window = { fromMs: startMs, toMs: startMs + seriesMs - 1, zone };
    const { occurrences, slow, usedMs } = await expandStored(JSON.stringify(series), window);
    budget.leftMs -= usedMs;
    if (slow || budget.leftMs <= 0)
      throw new Failure('invalid-params', `The recurrence rule "${written}" takes too long to compute.`);
    return occurrences.slice(0, maxDates).map((occurrence) => occurrence.startMs);
  };
}

/** What is known about the time of one person. A slot may overlap tentative events, but others are better. */
type PersonTime = Pick<Awaited<ReturnType<typeof readPerson>>, 'zone' | 'busy' | 'tentative'>;

interface Search {
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
  readonly repeat?: (startMs: number) => Promise<readonly number[]>;
  /** How far the recurring meeting reaches. */
  readonly horizonMs?: number;
}

interface Slot extends Span {
  /** Indexes of people with a tentative event at that time. */
  readonly tentative: readonly number[];
  /** Starts of a recurring meeting at which somebody cannot come. */
  readonly missed: readonly number[];
  readonly repeats: number;
}

/**
 * Finds slots at which all people can meet, best first: fewest missed dates, then fewest tentative events, then earliest.
 * The slots do not overlap each other. `examined` counts the starts at which the working hours of all people allow the
 * meeting, and `blocked` those of them at which each person is busy.
 */
async function findSlots(people: readonly PersonTime[], search: Search) {
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
  const offsets = offsetsIn(search.zone);
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
