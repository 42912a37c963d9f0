/** One answered request. */
export interface AnsweredRequest {
  readonly method: string;
  readonly milliseconds: number;
  readonly failed: boolean;
}

export interface MethodSummary {
  readonly method: string;
  readonly count: number;
  readonly failed: number;
  readonly median_ms: number;
  readonly p95_ms: number;
  /** The latest durations, oldest first. */
  readonly recent_ms: readonly number[];
}

/** Durations that are kept for each method, and how many of them are reported. */
const maxDurations = 200;
const reportedDurations = 60;
/** A client can send any method name. Names beyond this number are counted as `other`. */
const maxMethods = 100;

/** Counts the requests of each method and keeps their latest durations. */
export class RequestLog {
  readonly #methods = new Map<string, { count: number; failed: number; recent: number[] }>();

  add({ method, milliseconds, failed }: AnsweredRequest): void {
    const name = this.#methods.has(method) || this.#methods.size < maxMethods ? method : 'other';
    const entry = this.#methods.get(name) ?? { count: 0, failed: 0, recent: [] };
    this.#methods.set(name, entry);
    entry.count += 1;
    if (failed) entry.failed += 1;
    entry.recent.push(milliseconds);
    if (entry.recent.length > maxDurations) entry.recent.shift();
  }

  summary(): readonly MethodSummary[] {
    return [...this.#methods]
      .map(([method, { count, failed, recent }]) => {
        const sorted = recent.toSorted((a, b) => a - b);
        return {
          method,
          count,
          failed,
          median_ms: rounded(quantile(sorted, 0.5)),
          p95_ms: rounded(quantile(sorted, 0.95)),
          recent_ms: recent.slice(-reportedDurations).map(rounded),
        };
      })
      .sort((a, b) => b.count - a.count);
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
