import { occurrences } from './recurrence.ts';
import { cpuMs, type ExpandRule, expandRule, isFast, withoutRules } from './rule.ts';
import type { Occurrence, Series, Window } from './series.ts';

const monthMs = 30 * 86_400_000;
const maxSlices = 48;
/** CPU time that the rules of one series may take. */
const maxSeriesMs = 5_000;

export interface SeriesExpansion {
  /** Occurrences that start in the window, which includes its end. */
  readonly occurrences: readonly Occurrence[];
  /** True if the rules take too long. They are left out then: only the start, added dates and changed occurrences remain. */
  readonly slow: boolean;
  /** True if some occurrences are missing. */
  readonly truncated: boolean;
  readonly usedMs: number;
}

/** Expands a series. Unusual rules are expanded month by month, because each query has limits. `skip` leaves them out. */
export function expandSeries(
  series: Series,
  window: Window,
  skip: boolean,
  maxMs = maxSeriesMs,
): SeriesExpansion {
  const length = window.toMs + 1 - window.fromMs;
  if (!isUnusual(series)) return { ...inSlices(series, window, length, expandRule), slow: false, usedMs: 0 };
  const skipped = { ...inSlices(series, window, length, withoutRules), slow: true };
  if (skip) return { ...skipped, usedMs: 0 };
  const began = cpuMs();
  let slow = false;
  const expand: ExpandRule = (...query) => {
    if (slow) return withoutRules(...query);
    const found = expandRule(...query);
    slow = found.slow === true || cpuMs() - began > maxMs;
    return found;
  };
  const found = inSlices(series, window, Math.max(monthMs, length / maxSlices), expand);
  const usedMs = cpuMs() - began;
  return slow ? { ...skipped, usedMs } : { ...found, slow, usedMs };
}

export function isUnusual({ rules = [], exceptionRules = [] }: Series): boolean {
  return ![...rules, ...exceptionRules].every(isFast);
}

function inSlices(series: Series, { zone, ...window }: Window, length: number, expand: ExpandRule) {
  const found: Occurrence[] = [];
  let truncated = false;
  for (let { fromMs } = window; fromMs <= window.toMs; fromMs += length) {
    // `window.toMs` is inclusive here and exclusive in `occurrences`.
    const toMs = Math.min(fromMs + length, window.toMs + 1);
    const slice = occurrences(series, { fromMs, toMs, zone }, expand);
    truncated ||= slice.truncated;
    for (const occurrence of slice.occurrences) if (occurrence.startMs >= fromMs) found.push(occurrence);
  }
  return { occurrences: found, truncated };
}
