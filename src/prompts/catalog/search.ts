import { type Found, SearchIndex } from '../../search/search.ts';
import { termsOf } from '../../search/words.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { Pace } from '../files/pace.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';

interface Match {
  readonly entry: CatalogEntry;
  readonly score: number;
  /** The line in which a word was found, if the word is in the text only. */
  readonly excerpt?: string;
}

const fields = {
  name: { of: ({ name }: PromptDefinition) => name, boost: 4 },
  title: { of: ({ title = '' }: PromptDefinition) => title, boost: 3 },
  tags: { of: ({ tags }: PromptDefinition) => tags.join(' '), boost: 3 },
  description: { of: ({ description = '' }: PromptDefinition) => description, boost: 2 },
  text: { of: textOf, boost: 1 },
} as const;
/** The beginning of a text says what it is about; a book that was pasted into a prompt need not be indexed. */
const indexedLength = 20_000;
const queryLength = 1000;
const excerptLength = 160;

/** Finds prompts of a catalog by their words. The index is built for the first search and follows the catalog from then on. */
export class PromptSearch {
  readonly #catalog: Catalog;
  readonly #index = new SearchIndex<PromptDefinition>({ fields, prefixFrom: 3, typos: true });
  #indexed: readonly CatalogEntry[] | undefined;
  #entries: ReadonlyMap<PromptDefinition, CatalogEntry> = new Map();
  #update: Promise<void> = Promise.resolve();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The best prompts with any word of the query, and how many there are in all. */
  async find(
    query: string,
    accepts: (entry: CatalogEntry) => boolean,
    limit: number,
  ): Promise<{ readonly matches: readonly Match[]; readonly total: number }> {
    await this.#follow(await this.#catalog.list());
    const entries = this.#entries;
    const found = this.#index.find(query.slice(0, queryLength)).filter(({ item }) => {
      const entry = entries.get(item);
      return entry !== undefined && accepts(entry);
    });
    const matches = found.slice(0, limit).map((one) => {
      const excerpt = excerptOf(one);
      return {
        entry: entries.get(one.item)!,
        score: Math.round(one.score * 100) / 100,
        ...(excerpt !== undefined && { excerpt }),
      };
    });
    return { matches, total: found.length };
  }

  /** One update after the other, in slices. The catalog returns the same list as long as nothing has changed. */
  #follow(entries: readonly CatalogEntry[]): Promise<void> {
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

function textOf({ messages }: PromptDefinition): string {
  return messages
    .flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))
    .join('\n')
    .slice(0, indexedLength);
}

function excerptOf({ item, words }: Found<PromptDefinition>): string | undefined {
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
