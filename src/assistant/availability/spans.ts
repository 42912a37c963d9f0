/** A time range. The end is not part of it. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Sorts spans and joins those that touch or overlap. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else if (endMs > startMs) merged.push({ startMs, endMs });
  }
  return merged;
}

/** Returns the parts that lie in both lists. Both must be merged. */
export function intersect(left: readonly Span[], right: readonly Span[]): readonly Span[] {
  const common: Span[] = [];
  for (let l = 0, r = 0; l < left.length && r < right.length; ) {
    const [a, b] = [left[l]!, right[r]!];
    const startMs = Math.max(a.startMs, b.startMs);
    const endMs = Math.min(a.endMs, b.endMs);
    if (startMs < endMs) common.push({ startMs, endMs });
    if (a.endMs < b.endMs) l += 1;
    else r += 1;
  }
  return common;
}

/** Returns the parts of `spans` that no span of `removed` covers. Both must be merged. */
export function subtract(spans: readonly Span[], removed: readonly Span[]): readonly Span[] {
  const gaps: Span[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const { startMs, endMs } of removed) {
    gaps.push({ startMs: from, endMs: startMs });
    from = endMs;
  }
  return intersect(spans, [...gaps, { startMs: from, endMs: Number.POSITIVE_INFINITY }]);
}

/** True if one of the merged spans contains the whole range. */
export function covers(spans: readonly Span[], { startMs, endMs }: Span): boolean {
  const span = spans[lastAtOrBefore(spans, startMs)];
  return span !== undefined && span.endMs >= endMs;
}

/** True if one of the merged spans has a part in common with the range. */
export function overlaps(spans: readonly Span[], { startMs, endMs }: Span): boolean {
  const index = lastAtOrBefore(spans, endMs - 1);
  return index >= 0 && spans[index]!.endMs > startMs;
}

/** Index of the last span that starts at or before an instant, or -1. */
function lastAtOrBefore(spans: readonly Span[], ms: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.startMs <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
