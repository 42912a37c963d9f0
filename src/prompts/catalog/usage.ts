import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../json.ts';
import { log } from '../../log.ts';
import { readRegularFileSync } from '../../regular-file.ts';

/** How often a client used a prompt on one day (UTC). */
export interface DailyUse {
  readonly day: string;
  readonly prompt: string;
  readonly client: string;
  readonly count: number;
}

const keptDays = 90;
const flushMs = 2000;
const rereadMs = 5000;
const dayMs = 86_400_000;
/** After this many days, a use counts half for the ranking. */
const halfLifeDays = 14;

/**
 * Counts the uses of prompts per client and day, in one file per day. Every process appends its own counts, so that no lock
 * is needed. Arguments and texts are never written.
 */
export class Usage {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #read: { readonly time: number; readonly uses: readonly DailyUse[] } | undefined;
  #boosts: ReadonlyMap<string, number> | undefined;

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  record(prompt: string, client: string): void {
    // The page renders a preview with every key press.
    if (client === 'adjutant-page') return;
    // Names of prompts have no control characters.
    const key = `${dayOf(this.#now())}\0${prompt}\0${client}`;
    this.#pending.set(key, (this.#pending.get(key) ?? 0) + 1);
    this.#boosts = undefined;
    this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  /** The uses of the last 90 days, newest day first. */
  uses(): readonly DailyUse[] {
    if (this.#read === undefined || this.#now() - this.#read.time > rereadMs) {
      this.#read = { time: this.#now(), uses: this.#readFiles() };
      this.#boosts = undefined;
    }
    return merge([...this.#read.uses, ...this.#pendingUses()]);
  }

  /** Factors of at least 1 and at most 1.25: prompts that were used often and recently rank a little higher. */
  boosts(): ReadonlyMap<string, number> {
    const uses = this.uses();
    this.#boosts ??= boostsOf(uses, this.#now());
    return this.#boosts;
  }

  /** Writes the counts that are only in memory. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    try {
      mkdirSync(this.#folder, { recursive: true });
      for (const [day, uses] of Map.groupBy(this.#pendingUses(), ({ day }) => day))
        appendFileSync(this.#fileOf(day), uses.map((use) => `${JSON.stringify(use)}\n`).join(''));
      this.#removeOld();
    } catch (error) {
      log('debug', `could not write the usage of prompts to ${this.#folder}`, error);
    }
    this.#pending.clear();
    this.#read = undefined;
  }

  #pendingUses(): readonly DailyUse[] {
    return [...this.#pending].map(([key, count]) => {
      const [day, prompt, ...client] = key.split('\0');
      return { day: day!, prompt: prompt!, client: client.join('\0'), count };
    });
  }

  #readFiles(): readonly DailyUse[] {
    const uses: DailyUse[] = [];
    for (const day of this.#days())
      try {
        for (const line of readRegularFileSync(this.#fileOf(day)).split('\n')) {
          const use = parseUse(line);
          if (use !== undefined) uses.push(use);
        }
      } catch (error) {
        log('debug', `could not read the usage of prompts of ${day}`, error);
      }
    return merge(uses);
  }

  #days(): readonly string[] {
    try {
      return readdirSync(this.#folder).flatMap((file) => /^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(file)?.[1] ?? []);
    } catch {
      return []; // Nothing was counted yet.
    }
  }

  #removeOld(): void {
    const oldest = dayOf(this.#now() - keptDays * dayMs);
    for (const day of this.#days()) if (day < oldest) rmSync(this.#fileOf(day), { force: true });
  }

  #fileOf(day: string): string {
    return join(this.#folder, `${day}.jsonl`);
  }
}

let lastDay = { number: Number.NaN, text: '' };

function dayOf(time: number): string {
  const number = Math.floor(time / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: new Date(time).toISOString().slice(0, 10) };
  return lastDay.text;
}

/** Ignores a line that another process has not finished writing. */
function parseUse(line: string): DailyUse | undefined {
  try {
    const use: unknown = JSON.parse(line);
    return isObject(use) && typeof use['prompt'] === 'string' && typeof use['count'] === 'number'
      ? (use as unknown as DailyUse)
      : undefined;
  } catch {
    return undefined;
  }
}

function merge(uses: readonly DailyUse[]): readonly DailyUse[] {
  const counts = new Map<string, DailyUse>();
  for (const use of uses) {
    const key = JSON.stringify([use.day, use.prompt, use.client]);
    counts.set(key, { ...use, count: use.count + (counts.get(key)?.count ?? 0) });
  }
  return [...counts.values()].sort((a, b) => (a.day > b.day ? -1 : a.day < b.day ? 1 : b.count - a.count));
}

function boostsOf(uses: readonly DailyUse[], now: number): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { day, prompt, count } of uses) {
    const age = Math.max(0, (now - Date.parse(day)) / dayMs);
    weights.set(prompt, (weights.get(prompt) ?? 0) + count * 0.5 ** (age / halfLifeDays));
  }
  return new Map(
    [...weights].map(([prompt, weight]) => [prompt, 1 + Math.min(0.25, 0.08 * Math.log2(1 + weight))]),
  );
}
