import { expandRule } from './rule.ts';
import type { Observance } from './series.ts';
import type { OffsetAt } from './zone.ts';

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
