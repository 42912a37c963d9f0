import { expandRule } from '../../recurrence/rule.ts';
import { type OffsetAt, offsetsOf, resolveZone, wallOf } from '../../recurrence/zone.ts';
import type { CalendarTime, Observance } from './series.ts';
import { linesOf, type TextComponent, type TextLine } from './text.ts';
import { readOffset, readRule, readTime, shorten, Unreadable } from './written-value.ts';

/** The full history of a real time zone has fewer changes. Every event in the zone refers to all of them. */
const maxChanges = 500;

/** Time zones of one calendar: those with a known name, and custom ones defined by its VTIMEZONEs. */
export class ZoneReader {
  readonly #own = new Map<string, readonly Observance[]>();
  readonly #resolved = new Map<string, string | undefined>();
  #observances: Observance[] = [];
  #changes = 0;
  #default: string | undefined;

  /** Sets the zone of times without one. Returns false if the name is unknown. */
  setDefault(name: string): boolean {
    this.#default = resolveZone(name);
    return this.#default !== undefined;
  }

  /** The same instant, written in the default zone, if it was written in UTC. */
  inDefaultZone(time: CalendarTime): CalendarTime {
    if (time.zone !== 'UTC' || this.#default === undefined) return time;
    const wallMs = wallOf(Date.parse(`${time.wall}Z`), offsetsOf(this.#default)!);
    return { wall: new Date(wallMs).toISOString().slice(0, 19), zone: this.#default };
  }

  /** Adds a STANDARD or DAYLIGHT of the current VTIMEZONE. */
  addObservance(observance: TextComponent): void {
    const all = (name: string) => linesOf(observance, name).map(({ value }) => value);
    const one = (name: string) => {
      const [value] = all(name);
      if (value === undefined) throw new Unreadable(`a time zone has a part without ${name}`);
      return value;
    };
    const rules = all('RRULE');
    const dates = all('RDATE').flatMap((value) => value.split(','));
    this.#changes += 1 + rules.length + dates.length;
    if (this.#changes > maxChanges)
      throw new Unreadable(`its time zone has more than ${maxChanges} rules and dates`);
    this.#observances.push({
      start: readOnset(one('DTSTART')),
      from: readOffset(one('TZOFFSETFROM')),
      to: readOffset(one('TZOFFSETTO')),
      rules: rules.map(readYearlyRule),
      dates: dates.map(readOnset),
    });
  }

  close(zone: TextComponent): void {
    const value = (name: string) => linesOf(zone, name)[0]?.value.trim();
    const id = value('TZID');
    const location = value('X-LIC-LOCATION');
    if (id !== undefined) {
      const known = resolveZone(id) ?? (location && resolveZone(location));
      if (known) this.#resolved.set(id, known);
      else if (this.#observances.length > 0) this.#own.set(id, this.#observances);
    }
    this.#observances = [];
    this.#changes = 0;
  }

  /** True if the property's time zone is already known; otherwise its VTIMEZONE may follow later. */
  knows(line: TextLine): boolean {
    const id = line.parameter('TZID');
    return id === undefined || this.#own.has(id) || this.#named(id) !== undefined;
  }

  /** Returns the times of a line, or of one value of it, in its time zone. Calls `missing` for an unknown time zone. */
  times(line: TextLine, missing: (zone: string) => void, written = line.value): readonly CalendarTime[] {
    const id = line.parameter('TZID');
    const zone = id === undefined ? this.#default : this.#own.has(id) ? id : this.#named(id);
    if (id !== undefined && zone === undefined) missing(id);
    return written
      .split(',')
      .filter((value) => value.trim() !== '')
      .map((value) => readTime(value, zone));
  }

  /** Returns the definitions of those named time zones that only this calendar defines. */
  describe(names: Iterable<string | undefined>): Readonly<Record<string, readonly Observance[]>> | undefined {
    const used = [...new Set(names)].filter((name) => name !== undefined && this.#own.has(name)) as string[];
    return used.length === 0
      ? undefined
      : Object.fromEntries(used.map((name) => [name, this.#own.get(name)!]));
  }

  #named(id: string): string | undefined {
    if (!this.#resolved.has(id)) this.#resolved.set(id, resolveZone(id));
    return this.#resolved.get(id);
  }
}

function readOnset(value: string): string {
  const { wall } = readTime(value);
  return wall.length === 10 ? `${wall}T00:00:00` : wall;
}

/** Rules that the engine expands quickly. Real time zones use no others. */
const zoneRule =
  /^FREQ=YEARLY(;(INTERVAL=\d{1,2}|COUNT=\d{1,4}|UNTIL=\w+|WKST=\w+|BY(DAY|MONTH|MONTHDAY)=[^;]{1,99}|BY(HOUR|MINUTE|SECOND|SETPOS)=-?\d{1,2}))*$/;

function readYearlyRule(value: string): string {
  const rule = readRule(value);
  const parts = rule.split(';');
  const frequency = parts.filter((part) => part.startsWith('FREQ='));
  if (frequency[0] !== 'FREQ=YEARLY') throw new Unreadable('a time zone has a rule that is not yearly');
  if (!zoneRule.test([...frequency, ...parts.filter((part) => part !== frequency[0])].join(';')))
    throw new Unreadable(`a time zone has a rule that is too complex: "${shorten(rule)}"`);
  return rule;
}

interface Change {
  readonly atMs: number;
  readonly offsetMs: number;
}

const yearMs = 366 * 86_400_000;

/** All events of a calendar share the definitions of its zones, so each zone is computed only once. */
const computed = new WeakMap<readonly Observance[], OffsetAt>();

/** Returns the UTC offsets of a time zone that is defined only by a VTIMEZONE in the calendar. */
export function offsetsOfObservances(observances: readonly Observance[]): OffsetAt {
  const known = computed.get(observances) ?? computeOffsets(observances);
  computed.set(observances, known);
  return known;
}

function computeOffsets(observances: readonly Observance[]): OffsetAt {
  const decades = new Map<number, readonly Change[]>();
  const changesAround = (instantMs: number): readonly Change[] => {
    const decade = Math.floor(instantMs / (10 * yearMs));
    let changes = decades.get(decade);
    if (changes === undefined) {
      changes = changesBetween(observances, decade * 10 * yearMs, (decade + 1) * 10 * yearMs);
      decades.set(decade, changes);
    }
    return changes;
  };
  const [first] = observances.toSorted((a, b) => Date.parse(`${a.start}Z`) - Date.parse(`${b.start}Z`));
  const beginning = (first?.from ?? 0) * 1000;
  return (instantMs) => lastBefore(changesAround(instantMs), instantMs)?.offsetMs ?? beginning;
}

/** Searches in halves, because a zone can have thousands of changes. */
function lastBefore(changes: readonly Change[], instantMs: number): Change | undefined {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]!.atMs <= instantMs) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1];
}

/** Returns the offset changes in a time range, including the last one before it. */
function changesBetween(observances: readonly Observance[], fromMs: number, toMs: number): readonly Change[] {
  const changes = observances.flatMap((observance) => {
    const start = Date.parse(`${observance.start}Z`);
    const place = { wallMs: start, allDay: false, offsets: () => observance.from * 1000 };
    const ruled = (observance.rules ?? []).flatMap((rule) => {
      // VTIMEZONE rules are yearly, so the last change before the range is at most two years earlier, unless the rule ended.
      const near = expandRule(rule, place, fromMs - 2 * yearMs, toMs).starts;
      return near.length > 0 ? near : expandRule(rule, place, start, fromMs).starts;
    });
    const listed = [observance.start, ...(observance.dates ?? [])].map((date) => Date.parse(`${date}Z`));
    const onsets = [...ruled.map(({ wallMs }) => wallMs), ...listed];
    return onsets.map((wall) => ({ atMs: wall - observance.from * 1000, offsetMs: observance.to * 1000 }));
  });
  return changes.toSorted((a, b) => a.atMs - b.atMs);
}
