import { expandRule } from './rule.ts';
import type { Observance } from './series.ts';
import type { OffsetAt } from './zone.ts';

interface Change {
  readonly atMs: number;
  readonly offsetMs: number;
}

const yearMs = 366 * 86_400_000;

/** Returns the UTC offsets of a time zone that is defined only by a VTIMEZONE in the calendar. */
export function offsetsOfObservances(observances: readonly Observance[]): OffsetAt {
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
  return (instantMs) =>
    changesAround(instantMs).findLast(({ atMs }) => atMs <= instantMs)?.offsetMs ?? beginning;
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
