import { log } from '../../log.ts';
import { maxQueryLength, termsOf, wordsOf } from '../../search/search.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { shownDescription } from '../definition/shown-description.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import { PromptIndex, searchable, textOf } from './prompt-index.ts';

interface Match {
  readonly entry: CatalogEntry;
  readonly score: number;
  /** The line that contains a matching word, if no word of the query occurs elsewhere. */
  readonly excerpt?: string;
}

const excerptLength = 160;

interface Found {
  readonly matches: readonly Match[];
  readonly total: number;
}

type Accepts = (entry: CatalogEntry) => boolean;

/**
 * Full-text search over a catalog. A search first adds what is missing in the index. Before the catalog was read, it searches
 * what the index keeps, unless a prompt has changed.
 */
export class PromptSearch {
  readonly #catalog: Catalog;
  readonly #boosts: () => Promise<ReadonlyMap<string, number>>;
  readonly #index: Promise<PromptIndex>;
  #indexed: readonly CatalogEntry[] | undefined;
  #entries: ReadonlyMap<number, CatalogEntry> = new Map();
  #update: Promise<void> = Promise.resolve();
  /** The update that follows an answer from what the index keeps. */
  #background: Promise<void> | undefined;

  /** `boosts` returns factors for prompts that are used often, `file` keeps the index. */
  constructor(
    catalog: Catalog,
    {
      boosts = async () => new Map(),
      file,
    }: {
      readonly boosts?: (() => Promise<ReadonlyMap<string, number>>) | undefined;
      readonly file?: string | undefined;
    } = {},
  ) {
    this.#catalog = catalog;
    this.#boosts = boosts;
    this.#index = PromptIndex.open(file);
  }

  async close(): Promise<void> {
    await this.#background;
    await this.#update;
    (await this.#index).close();
  }

  /** The best matches up to the limit, and the total number of prompts that contain any word of the query. */
  async find(query: string, accepts: Accepts, limit: number): Promise<Found> {
    const index = await this.#index;
    if (!this.#catalog.isRead) {
      const kept = await this.#findKept(index, query, accepts, limit);
      if (kept !== undefined) {
        this.#background ??= this.#refreshed(index).catch(() => {});
        return kept;
      }
    }
    await this.#refreshed(index);
    const ranked = rank(index, this.#entries, query, accepts, await this.#boosts());
    return { matches: ranked.slice(0, limit).map((one) => matchOf(one, query)), total: ranked.length };
  }

  /** `undefined` if the index does not have the current prompts. */
  async #findKept(
    index: PromptIndex,
    query: string,
    accepts: Accepts,
    limit: number,
  ): Promise<Found | undefined> {
    try {
      const kept = await index.kept?.read(this.#catalog.sources);
      if (kept === undefined) return undefined;
      const ranked = rank(index, kept, query, accepts, await this.#boosts());
      const matches = ranked.slice(0, limit).map(({ row, entry, score }) => {
        const whole = index.kept!.withText(row, entry);
        return matchOf({ row, entry: whole, score }, query);
      });
      return { matches, total: ranked.length };
    } catch (error) {
      log('debug', 'the kept prompts could not be searched', error);
      return undefined;
    }
  }

  /** Reads the catalog and updates the index. */
  async #refreshed(index: PromptIndex): Promise<void> {
    const readAt = Date.now();
    await this.#updated(index, await this.#catalog.list(), readAt);
  }

  /** Runs one update at a time. An unchanged catalog returns the same array, so no update is needed. */
  async #updated(index: PromptIndex, entries: readonly CatalogEntry[], readAt: number): Promise<void> {
    const update = this.#update.then(async () => {
      if (this.#indexed === entries && !index.isStale) return;
      const byDefinition = new Map(entries.map((entry) => [entry.definition, entry]));
      const rows = await index.update(byDefinition.keys());
      this.#entries = new Map([...rows].map(([prompt, row]) => [row, byDefinition.get(prompt)!]));
      this.#indexed = entries;
      await index
        .keep(this.#entries, this.#catalog.sources, readAt)
        .catch((error: unknown) => log('debug', 'the prompts could not be kept in the search index', error));
    });
    this.#update = update.catch(() => {});
    return update;
  }
}

interface Ranked {
  readonly row: number;
  readonly entry: CatalogEntry;
  readonly score: number;
}

/** All matches, best first. */
function rank(
  index: PromptIndex,
  entries: ReadonlyMap<number, CatalogEntry>,
  query: string,
  accepts: Accepts,
  boosts: ReadonlyMap<string, number>,
): readonly Ranked[] {
  const scores = new Map<number, { words: number; sum: number }>();
  const words = wordsOf(searchable(query.slice(0, maxQueryLength)));
  for (const word of new Set(words))
    for (const [row, score] of index.find(word)) {
      const entry = entries.get(row);
      if (entry === undefined || !accepts(entry)) continue;
      const found = scores.get(row) ?? { words: 0, sum: 0 };
      scores.set(row, { words: found.words + 1, sum: found.sum + score });
    }
  const asked = words.join(' ');
  const ranked = [...scores].map(([row, { words: count, sum }]) => {
    const entry = entries.get(row)!;
    const { name } = entry.definition;
    return {
      row,
      entry,
      isAsked: wordsOf(searchable(name)).join(' ') === asked,
      // A prompt with many words of the query is a better match than one with the same word many times.
      score: Math.sqrt(count) * sum * (boosts.get(name) ?? 1),
    };
  });
  // Whoever writes a name wants that prompt, however often others contain the word.
  return ranked.sort((a, b) => Number(b.isAsked) - Number(a.isAsked) || b.score - a.score);
}

function matchOf({ entry, score }: Ranked, query: string): Match {
  const terms = new Set(termsOf(wordsOf(searchable(query.slice(0, maxQueryLength))).join(' ')));
  const excerpt = excerptOf(entry.definition, terms);
  return { entry, score: Math.round(score * 100) / 100, ...(excerpt !== undefined && { excerpt }) };
}

/** The line with the first word of the query, unless the fields that lists show contain one. */
function excerptOf(prompt: PromptDefinition, terms: ReadonlySet<string>): string | undefined {
  const isFound = (text: string) => termsOf(text).some((term) => terms.has(term));
  const { name, title = '', tags } = prompt;
  const shown = [name, title, shownDescription(prompt) ?? '', ...tags].join(' ');
  if (isFound(searchable(shown))) return undefined;
  const text = textOf(prompt);
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (!isFound(searchable(word))) continue;
    const start = Math.max(text.lastIndexOf('\n', index) + 1, index - excerptLength / 2);
    const end = text.indexOf('\n', index);
    return text
      .slice(start, end < 0 ? undefined : end)
      .trim()
      .slice(0, excerptLength);
  }
  return undefined;
}
