import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../json.ts';
import { log } from '../../log.ts';
import { OldLines } from '../../store/old-lines.ts';
import type { KeyedEdit, Records } from '../../store/records.ts';

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

const kind = 'prompt_usage';

/**
 * Counts the uses of prompts per client and day, in one document for each. Processes add their counts in batches.
 * Arguments and texts are never stored.
 */
export class Usage {
  readonly #documents: Records;
  readonly #oldFolder: string;
  readonly #now: () => number;
  /** Counts by day, prompt and client. Only the last one can contain the character between them. */
  readonly #pending = new Map<string, number>();
  #flushing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #read: { readonly time: number; readonly uses: readonly DailyUse[] } | undefined;
  #boosts: ReadonlyMap<string, number> | undefined;
  #trimmedOn = '';

  /** `oldFolder` has the files of an earlier version: one for each day. */
  constructor(documents: Records, oldFolder: string, now: () => number = Date.now) {
    this.#documents = documents;
    this.#oldFolder = oldFolder;
    this.#now = now;
  }

  record(prompt: string, client: string): void {
    // The page renders a preview with every key press.
    if (client === 'adjutant-page') return;
    const key = `${dayOf(this.#now())}\0${prompt}\0${client}`;
    this.#pending.set(key, (this.#pending.get(key) ?? 0) + 1);
    this.#boosts = undefined;
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** The uses of the last 90 days, newest day first. */
  async uses(): Promise<readonly DailyUse[]> {
    await this.#flushing;
    if (this.#read === undefined || this.#now() - this.#read.time > rereadMs) {
      this.#read = { time: this.#now(), uses: await this.#stored() };
      this.#boosts = undefined;
    }
    const pending = [...this.#pending].map(([key, count]) => toUse(key, count));
    return merge([...this.#read.uses, ...pending]);
  }

  /** Factors of at least 1 and at most 1.25: prompts that were used often and recently rank a little higher. */
  async boosts(): Promise<ReadonlyMap<string, number>> {
    const uses = await this.uses();
    this.#boosts ??= boostsOf(uses, this.#now());
    return this.#boosts;
  }

  /** Stores the counts that are only in memory. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#pending];
    this.#pending.clear();
    this.#flushing = this.#flushing.then(() => this.#store(counts));
    return this.#flushing;
  }

  async #store(counts: readonly (readonly [string, number])[]): Promise<void> {
    if (counts.length === 0) return;
    try {
      await this.#documents.changeMany(
        kind,
        counts.map(([key, count]) => addition(toUse(key, count))),
      );
      await this.#trim();
    } catch (error) {
      log('debug', `could not store the usage of prompts in ${this.#documents.place}`, error);
    }
    this.#read = undefined;
  }

  async #stored(): Promise<readonly DailyUse[]> {
    try {
      for (const day of this.#oldDays()) {
        const path = join(this.#oldFolder, `${day}.jsonl`);
        await new OldLines(this.#documents, { path, kind, edit: oldUse }).takeOver();
      }
      const found = (await this.#documents.list(kind)) as unknown as readonly DailyUse[];
      const oldest = dayOf(this.#now() - keptDays * dayMs);
      return merge(found.filter(({ day }) => day >= oldest));
    } catch (error) {
      log('debug', `could not read the usage of prompts in ${this.#documents.place}`, error);
      return [];
    }
  }

  async #trim(): Promise<void> {
    const today = dayOf(this.#now());
    if (this.#trimmedOn === today) return;
    this.#trimmedOn = today;
    const oldest = dayOf(this.#now() - keptDays * dayMs);
    const old = (await this.#documents.keys(kind)).filter(
      (key) => key.startsWith('[') && key < `["${oldest}`,
    );
    for (let start = 0; start < old.length; start += 200)
      await this.#documents.changeMany(
        kind,
        old.slice(start, start + 200).map((key) => ({ key, edit: () => ({ next: undefined }) })),
      );
    for (const day of this.#oldDays())
      if (day < oldest) rmSync(join(this.#oldFolder, `${day}.jsonl`), { force: true });
  }

  #oldDays(): readonly string[] {
    try {
      return readdirSync(this.#oldFolder).flatMap(
        (file) => /^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(file)?.[1] ?? [],
      );
    } catch {
      return []; // No earlier version has counted.
    }
  }
}

function toUse(key: string, count: number): DailyUse {
  const [day = '', prompt = '', ...client] = key.split('\0');
  return { day, prompt, client: client.join('\0'), count };
}

function addition(use: DailyUse): KeyedEdit {
  return {
    key: JSON.stringify([use.day, use.prompt, use.client]),
    edit: (current) => ({ next: { ...use, count: use.count + Number(current?.['count'] ?? 0) } }),
  };
}

function oldUse({ day, prompt, client, count }: JsonObject): KeyedEdit | undefined {
  if (typeof day !== 'string' || typeof prompt !== 'string' || typeof count !== 'number') return undefined;
  const use = { day, prompt, client: String(client), count };
  return addition(use);
}

let lastDay = { number: Number.NaN, text: '' };

function dayOf(time: number): string {
  const number = Math.floor(time / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: new Date(time).toISOString().slice(0, 10) };
  return lastDay.text;
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
