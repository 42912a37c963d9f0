import { type Property, parameterOf } from './content-line.ts';
import type { CalendarTime, Observance } from './series.ts';
import { readOffset, readRule, readTime, Unreadable } from './written-value.ts';
import { resolveZone } from './zone.ts';

/** The zones of one calendar: names that are known everywhere, and those that only it describes. */
export class ZoneReader {
  readonly #own = new Map<string, readonly Observance[]>();
  readonly #resolved = new Map<string, string | undefined>();
  #observances: Observance[] = [];

  /** Takes one STANDARD or DAYLIGHT of the VTIMEZONE that is being read. */
  addObservance(properties: readonly Property[]): void {
    const all = (name: string) =>
      properties.filter((property) => property.name === name).map(({ value }) => value);
    const one = (name: string) => {
      const [value] = all(name);
      if (value === undefined) throw new Unreadable(`a zone has a part without ${name.toUpperCase()}`);
      return value;
    };
    this.#observances.push({
      start: onset(one('dtstart')),
      from: readOffset(one('tzoffsetfrom')),
      to: readOffset(one('tzoffsetto')),
      rules: all('rrule').map(yearly),
      dates: all('rdate').flatMap((value) => value.split(',').map(onset)),
    });
  }

  close(properties: readonly Property[]): void {
    const value = (wanted: string) => properties.find(({ name }) => name === wanted)?.value.trim();
    const id = value('tzid');
    const location = value('x-lic-location');
    if (id !== undefined) {
      const zone = resolveZone(id) ?? (location && resolveZone(location));
      if (zone) this.#resolved.set(id, zone);
      else if (this.#observances.length > 0) this.#own.set(id, this.#observances);
    }
    this.#observances = [];
  }

  /** Whether a property's zone can be told already; its VTIMEZONE may still come. */
  knows(property: Property): boolean {
    const id = parameterOf(property, 'tzid');
    return id === undefined || this.#own.has(id) || this.#named(id) !== undefined;
  }

  /** The times of a property in the zone it names. Each zone that means nothing is named to `missing`. */
  times(property: Property, missing: (zone: string) => void): readonly CalendarTime[] {
    const id = parameterOf(property, 'tzid');
    const zone = id === undefined ? undefined : this.#own.has(id) ? id : this.#named(id);
    if (id !== undefined && zone === undefined) missing(id);
    return property.value
      .split(',')
      .filter((value) => value.trim() !== '')
      .map((value) => readTime(value, zone));
  }

  /** Descriptions of those zones among the named that are this calendar's own. */
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

function onset(value: string): string {
  const { wall } = readTime(value);
  return wall.length === 10 ? `${wall}T00:00:00` : wall;
}

function yearly(value: string): string {
  const rule = readRule(value);
  if (!/^FREQ=YEARLY\b|;FREQ=YEARLY\b/.test(rule))
    throw new Unreadable('a zone has a rule that is not yearly');
  return rule;
}
