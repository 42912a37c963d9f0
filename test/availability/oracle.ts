import type { PlainEvent, World } from './world.ts';

/** A proposed time, as both the oracle and `find_time` describe it. */
export interface Proposal {
  readonly start: string;
  /** Indexes of people with a tentative event. */
  readonly tentative: readonly number[];
  readonly missed: readonly string[];
}

const [minuteMs, dayMs] = [60_000, 86_400_000];

/**
 * Finds the times by trying every minute and comparing it with every event. It shares no code with the search: local
 * times come from `Intl`, and working hours are checked minute by minute.
 */
export function bruteForce(world: World): readonly Proposal[] {
  const startMs = toInstant(world.zone, Date.parse(world.day));
  const endMs = toInstant(world.zone, Date.parse(world.day) + world.days * dayMs);
  const lengthMs = world.durationMinutes * minuteMs;
  const people = world.people.map(({ zone, events }) => ({
    zone,
    hard: events.filter(({ kind }) => kind === 'busy').flatMap((event) => expand(world, event, zone)),
    soft: events
      .filter(({ kind }) => kind === 'tentative' || kind === 'unanswered')
      .flatMap((event) => expand(world, event, zone)),
  }));
  const touches = ([from, to]: readonly [number, number], at: number) =>
    at < to + world.bufferMinutes * minuteMs && at + lengthMs > from - world.bufferMinutes * minuteMs;
  const suits = (at: number) =>
    people.every(
      ({ zone, hard }) =>
        !hard.some((event) => touches(event, at)) && isWithinHours(world, zone, at, lengthMs),
    );
  const found: (Proposal & { readonly at: number })[] = [];
  for (let at = startMs; at + lengthMs <= endMs; at += minuteMs) {
    if (local(world.zone, at).minute % world.stepMinutes !== 0 || !suits(at)) continue;
    const wall = local(world.zone, at).wallMs;
    const dates = Array.from({ length: world.weeks }, (_, week) =>
      week === 0 ? at : toInstant(world.zone, wall + week * 7 * dayMs),
    );
    found.push({
      at,
      start: new Date(at).toISOString(),
      tentative: people.flatMap(({ soft }, index) =>
        dates.some((date) => soft.some((event) => touches(event, date))) ? [index] : [],
      ),
      missed: dates.filter((date) => !suits(date)).map((date) => new Date(date).toISOString()),
    });
  }
  found.sort(
    (a, b) => a.missed.length - b.missed.length || a.tentative.length - b.tentative.length || a.at - b.at,
  );
  const chosen: typeof found = [];
  for (const proposal of found)
    if (chosen.length < world.count && chosen.every(({ at }) => Math.abs(at - proposal.at) >= lengthMs))
      chosen.push(proposal);
  return chosen.map(({ start, tentative, missed }) => ({ start, tentative, missed }));
}

function expand(world: World, event: PlainEvent, viewer: string): readonly (readonly [number, number])[] {
  const zone = event.minute === undefined ? viewer : event.zone;
  return Array.from({ length: event.times }, (_, index) => {
    const repeated = event.times > 1 ? index * event.everyDays : 0;
    const wall = Date.parse(world.day) + (event.day + repeated) * dayMs + (event.minute ?? 0) * minuteMs;
    const from = toInstant(zone, wall);
    const to =
      event.minute === undefined
        ? toInstant(zone, wall + event.minutes * minuteMs)
        : from + event.minutes * minuteMs;
    return [from, to] as const;
  });
}

function isWithinHours({ hours: [start, end], weekdays }: World, zone: string, at: number, lengthMs: number) {
  for (let ms = at; ms < at + lengthMs; ms += 5 * minuteMs) {
    const { minute, weekday } = local(zone, ms);
    const yesterday = (weekday + 6) % 7;
    const open =
      end > start
        ? weekdays.includes(weekday) && minute >= start && minute < end
        : (weekdays.includes(weekday) && minute >= start) || (weekdays.includes(yesterday) && minute < end);
    if (!open) return false;
  }
  return true;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, { wallMs: number; minute: number; weekday: number }>();

function local(zone: string, ms: number) {
  const key = `${zone} ${ms}`;
  let found = known.get(key);
  if (found === undefined) {
    let format = formats.get(zone);
    if (format === undefined) {
      format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
      formats.set(zone, format);
    }
    const wallMs = Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
    const date = new Date(wallMs);
    found = {
      wallMs,
      minute: date.getUTCHours() * 60 + date.getUTCMinutes(),
      weekday: date.getUTCDay(),
    };
    if (known.size > 500_000) known.clear();
    known.set(key, found);
  }
  return found;
}

/** Tries all offsets for the first instant that shows this local time. */
function toInstant(zone: string, wallMs: number): number {
  for (let offset = 14 * 60; offset >= -12 * 60; offset -= 15) {
    const ms = wallMs - offset * minuteMs;
    if (local(zone, ms).wallMs === wallMs) return ms;
  }
  throw new Error(`${new Date(wallMs).toISOString()} is skipped in ${zone}`);
}
