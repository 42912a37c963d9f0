import { Pace } from '../../pace.ts';
import { SearchIndex, type SearchResult, termsOf } from '../../search/search.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';

interface Match {
  readonly entry: CatalogEntry;
  readonly score: number;
  /** The line that contains a matching word, if that word occurs only in the text. */
  readonly excerpt?: string;
}

const fields = {
  name: { of: ({ name }: PromptDefinition) => name, boost: 4 },
  title: { of: ({ title = '' }: PromptDefinition) => title, boost: 3 },
  tags: { of: ({ tags }: PromptDefinition) => tags.join(' '), boost: 3 },
  description: { of: ({ description = '' }: PromptDefinition) => description, boost: 2 },
  text: { of: textOf, boost: 1 },
} as const;
/** Only the beginning of a long text is indexed, which limits the size of the index. */
const indexedLength = 20_000;
const queryLength = 1000;
const excerptLength = 160;

/** Full-text search over a catalog. The first search builds the index; later searches update it. */
export class PromptSearch {
  readonly #catalog: Catalog;
  readonly #boosts: () => Promise<ReadonlyMap<string, number>>;
  readonly #index = new SearchIndex<PromptDefinition>({ fields, prefixFrom: 3, typos: true, related: true });
  #indexed: readonly CatalogEntry[] | undefined;
  #entries: ReadonlyMap<PromptDefinition, CatalogEntry> = new Map();
  #update: Promise<void> = Promise.resolve();

  /** `boosts` returns factors for prompts that are used often. */
  constructor(catalog: Catalog, boosts: () => Promise<ReadonlyMap<string, number>> = async () => noBoosts) {
    this.#catalog = catalog;
    this.#boosts = boosts;
  }

  /** The best matches up to the limit, and the total number of prompts that contain any word of the query. */
  async find(
    query: string,
    accepts: (entry: CatalogEntry) => boolean,
    limit: number,
  ): Promise<{ readonly matches: readonly Match[]; readonly total: number }> {
    await this.#updateIndex(await this.#catalog.list());
    const entries = this.#entries;
    const boosts = await this.#boosts();
    const found = this.#index.find(query.slice(0, queryLength), (item) => {
      const entry = entries.get(item);
      return entry !== undefined && accepts(entry) ? (boosts.get(item.name) ?? 1) : 0;
    });
    const matches = found.slice(0, limit).map((result) => {
      const excerpt = excerptOf(result);
      return {
        entry: entries.get(result.item)!,
        score: Math.round(result.score * 100) / 100,
        ...(excerpt !== undefined && { excerpt }),
      };
    });
    return { matches, total: found.length };
  }

  /** Runs one update at a time. An unchanged catalog returns the same array, so no update is needed. */
  #updateIndex(entries: readonly CatalogEntry[]): Promise<void> {
    const update = this.#update.then(async () => {
      if (this.#indexed === entries) return;
      const byDefinition = new Map(entries.map((entry) => [entry.definition, entry]));
      await this.#index.update(byDefinition.keys(), new Pace());
      this.#entries = byDefinition;
      this.#indexed = entries;
    });
    this.#update = update.catch(() => {});
    return update;
  }
}

const noBoosts: ReadonlyMap<string, number> = new Map();

function textOf({ messages }: PromptDefinition): string {
  return messages
    .flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))
    .join('\n')
    .slice(0, indexedLength);
}

function excerptOf({ item, words }: SearchResult<PromptDefinition>): string | undefined {
  const inText = words.find(({ fields: found }) => found.every((field) => field === 'text'));
  if (inText === undefined) return undefined;
  const text = textOf(item);
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (!termsOf(word).some((term) => inText.found.includes(term))) continue;
    const start = Math.max(text.lastIndexOf('\n', index) + 1, index - excerptLength / 2);
    const end = text.indexOf('\n', index);
    return text
      .slice(start, end < 0 ? undefined : end)
      .trim()
      .slice(0, excerptLength);
  }
  return undefined;
}
