import type { Metric } from '../feature.ts';

/** One answered request. */
export interface AnsweredRequest {
  readonly method: string;
  readonly tool?: string;
  readonly milliseconds: number;
  readonly failed: boolean;
}

class Totals {
  count = 0;
  failed = 0;
  milliseconds = 0;

  add({ milliseconds, failed }: AnsweredRequest): void {
    this.count += 1;
    this.milliseconds += milliseconds;
    if (failed) this.failed += 1;
  }
}

/** Also keeps the latest durations, in a ring. */
class MethodTotals extends Totals {
  readonly #durations = new Float64Array(maxDurations);

  override add(request: AnsweredRequest): void {
    this.#durations[this.count % maxDurations] = request.milliseconds;
    super.add(request);
  }

  /** Oldest first. */
  get recent(): readonly number[] {
    if (this.count <= maxDurations) return [...this.#durations.subarray(0, this.count)];
    const next = this.count % maxDurations;
    return [...this.#durations.subarray(next), ...this.#durations.subarray(0, next)];
  }
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
/** The same for names of tools, of which there are more. */
const maxTools = 300;

/** Counts the requests of each method and keeps their latest durations. */
export class RequestLog {
  readonly #methods = new Map<string, MethodTotals>();
  readonly #tools = new Map<string, Totals>();

  add(request: AnsweredRequest): void {
    const { method, tool } = request;
    entryOf(this.#methods, method, maxMethods, MethodTotals).add(request);
    if (tool !== undefined) entryOf(this.#tools, tool, maxTools, Totals).add(request);
  }

  /** Counters since the start of the process. */
  metrics(): readonly Metric[] {
    return [
      ...counters('requests', 'method', 'Answered requests', this.#methods),
      ...counters('tool_calls', 'tool', 'Calls of tools', this.#tools),
    ];
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

function entryOf<Entry>(
  entries: Map<string, Entry>,
  given: string,
  maximum: number,
  Fresh: new () => Entry,
): Entry {
  const known = entries.get(given);
  if (known !== undefined) return known;
  const name = entries.size < maximum ? given : 'other';
  const entry = entries.get(name) ?? new Fresh();
  entries.set(name, entry);
  return entry;
}

function counters(
  name: string,
  label: string,
  help: string,
  entries: ReadonlyMap<string, Totals>,
): readonly Metric[] {
  const of = (ending: string, what: string, value: (totals: Totals) => number, more: Metric['labels'] = {}) =>
    [...entries].map(
      ([key, totals]): Metric => ({
        name: `${name}_${ending}`,
        help: `${help}${what}`,
        type: 'counter',
        labels: { [label]: key, ...more },
        value: value(totals),
      }),
    );
  return [
    ...of('total', ' by outcome', (totals) => totals.count - totals.failed, { outcome: 'done' }),
    ...of('total', ' by outcome', ({ failed }) => failed, { outcome: 'failed' }),
    ...of('seconds_total', ': time until their answers', ({ milliseconds }) => milliseconds / 1000),
  ];
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
