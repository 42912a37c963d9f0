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

/** Full-text search over a catalog. A search first adds what is missing in the index. */
export class PromptSearch {
  readonly #catalog: Catalog;
  readonly #boosts: () => Promise<ReadonlyMap<string, number>>;
  readonly #index: Promise<PromptIndex>;
  #indexed: readonly CatalogEntry[] | undefined;
  #entries: ReadonlyMap<PromptDefinition, CatalogEntry> = new Map();
  #update: Promise<void> = Promise.resolve();

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
    await this.#update;
    (await this.#index).close();
  }

  /** The best matches up to the limit, and the total number of prompts that contain any word of the query. */
  async find(
    query: string,
    accepts: (entry: CatalogEntry) => boolean,
    limit: number,
  ): Promise<{ readonly matches: readonly Match[]; readonly total: number }> {
    const index = await this.#updated(await this.#catalog.list());
    const boosts = await this.#boosts();
    const scores = new Map<CatalogEntry, { words: number; sum: number }>();
    const words = wordsOf(searchable(query.slice(0, maxQueryLength)));
    for (const word of new Set(words))
      for (const [prompt, score] of index.find(word)) {
        const entry = this.#entries.get(prompt);
        if (entry === undefined || !accepts(entry)) continue;
        const found = scores.get(entry) ?? { words: 0, sum: 0 };
        scores.set(entry, { words: found.words + 1, sum: found.sum + score });
      }
    const isAsked = ({ definition: { name } }: CatalogEntry) =>
      wordsOf(searchable(name)).join(' ') === words.join(' ');
    const ranked = [...scores]
      // A prompt with many words of the query is a better match than one with the same word many times.
      .map(([entry, { words, sum }]) => ({
        entry,
        score: Math.sqrt(words) * sum * (boosts.get(entry.definition.name) ?? 1),
      }))
      // Whoever writes a name wants that prompt, however often others contain the word.
      .sort((a, b) => Number(isAsked(b.entry)) - Number(isAsked(a.entry)) || b.score - a.score);
    const terms = new Set(termsOf(words.join(' ')));
    const matches = ranked.slice(0, limit).map(({ entry, score }) => {
      const excerpt = excerptOf(entry.definition, terms);
      return { entry, score: Math.round(score * 100) / 100, ...(excerpt !== undefined && { excerpt }) };
    });
    return { matches, total: ranked.length };
  }

  /** Runs one update at a time. An unchanged catalog returns the same array, so no update is needed. */
  async #updated(entries: readonly CatalogEntry[]): Promise<PromptIndex> {
    const index = await this.#index;
    const update = this.#update.then(async () => {
      if (this.#indexed === entries && !index.isStale) return;
      const byDefinition = new Map(entries.map((entry) => [entry.definition, entry]));
      await index.update(byDefinition.keys());
      this.#entries = byDefinition;
      this.#indexed = entries;
    });
    this.#update = update.catch(() => {});
    await update;
    return index;
  }
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
