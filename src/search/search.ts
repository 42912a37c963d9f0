// Full-text search for prompts, skills and tools. Import this module on first use: it loads two packages, which would
// slow down the start of the server.
import MiniSearch from 'minisearch';
import { relatedTo } from './related-words.ts';
import { termsOf } from './words.ts';

interface SearchOptions<Item> {
  /** The text fields of an item, and the weight of each field. */
  readonly fields: Readonly<Record<string, { readonly of: (item: Item) => string; readonly boost: number }>>;
  /** Minimum length of a query word that also matches longer words that begin with it. */
  readonly prefixFrom: number;
  /** Whether words of five letters or more that do not occur also match words with a typo. */
  readonly typos: boolean;
  /** Whether a word also finds words that mean nearly the same, with a lower score. */
  readonly related?: boolean;
  /**
   * Number of empty items to add to the index. Needed to compare scores with a fixed threshold: in a small collection,
   * all words would otherwise seem equally rare.
   */
  readonly padding?: number;
}

/** A match of one query word in one item. */
interface WordMatch {
  readonly word: string;
  readonly score: number;
  readonly fields: readonly string[];
  /** The matching terms of the item: the word itself, longer words, or similar words. */
  readonly found: readonly string[];
  /** The number of items that match the word. */
  readonly items: number;
}

export interface SearchResult<Item> {
  readonly item: Item;
  readonly score: number;
  /** The matching words of the query, highest score first. */
  readonly words: readonly WordMatch[];
}

interface WordResult {
  readonly id: number;
  readonly score: number;
  /** The matching terms of the item, each with the fields that contain it. */
  readonly match: Readonly<Record<string, readonly string[]>>;
}

interface Hit extends Pick<WordMatch, 'word' | 'score' | 'items'> {
  readonly match: WordResult['match'];
}

/** Lets a long update yield to the event loop. `update` awaits `pause` after each item. */
interface Pauses {
  readonly pause: Promise<void> | undefined;
}

/** Longer queries, such as a whole document, are truncated to this number of words. */
const maxQueryWords = 1000;
/** How much a related word counts, compared with the word itself. */
const relatedWeight = 0.4;
/** A word that more items contain finds no related words: it has enough matches, and the search would take longer. */
const maxItemsForRelated = 200;
/** Term saturation and length normalization. The thresholds for skills rely on `d: 0`, which gives words in long texts no bonus. */
const bm25 = { k: 2, b: 0.5, d: 0 };

/** A full-text index. Items are compared by identity. */
export class SearchIndex<Item extends object> {
  readonly #index: MiniSearch<{ readonly id: number; readonly item?: Item }>;
  readonly #ids = new Map<Item, number>();
  readonly #items = new Map<number, Item>();
  #nextId = 0;
  readonly #typos: boolean;
  readonly #related: boolean;
  #padding: number;

  constructor({ fields, prefixFrom, typos, related = false, padding = 0 }: SearchOptions<Item>) {
    this.#index = new MiniSearch({
      fields: Object.keys(fields),
      extractField: (document, field) =>
        field === 'id' ? document.id : ((document.item && fields[field]!.of(document.item)) as string),
      tokenize: termsOf,
      processTerm: (term) => term,
      searchOptions: {
        // `find` passes one processed term at a time.
        tokenize: (term) => [term],
        boost: Object.fromEntries(Object.entries(fields).map(([name, { boost }]) => [name, boost])),
        prefix: (term) => term.length >= prefixFrom,
        weights: { prefix: 0.5, fuzzy: 0.3 },
        bm25,
      },
    });
    this.#padding = padding;
    this.#typos = typos;
    this.#related = related;
  }

  /** Looks for typos only if nothing contains the word or begins with it: that takes four times as long. */
  #search(word: string): readonly WordResult[] {
    const found = this.#searchExactly(word);
    if (found.length > 0 || !this.#typos || word.length < 5 || !/^\p{L}+$/u.test(word)) return found;
    return this.#index.search(word, { fuzzy: 0.2 });
  }

  #searchExactly(word: string): readonly WordResult[] {
    const found: WordResult[] = this.#index.search(word);
    if (!this.#related || found.length > maxItemsForRelated) return found;
    const ids = new Set(found.map(({ id }) => id));
    for (const other of relatedTo(word))
      for (const { id, score, match } of this.#index.search(other, { prefix: false })) {
        if (ids.has(id)) continue;
        ids.add(id);
        found.push({ id, score: score * relatedWeight, match });
      }
    return found;
  }

  /**
   * Items that match any word of the query, best first. Rare words, important fields and many matching words raise the
   * score. `weigh` returns a factor for the score of an item, or 0 to leave the item out.
   */
  find(query: string, weigh: (item: Item) => number = () => 1): readonly SearchResult<Item>[] {
    const found = new Map<number, Hit[]>();
    for (const word of [...new Set(termsOf(query))].slice(0, maxQueryWords)) {
      const results = this.#search(word);
      for (const { id, score, match } of results) {
        const hit = { word, score, match, items: results.length };
        const hits = found.get(id);
        if (hits === undefined) found.set(id, [hit]);
        else hits.push(hit);
      }
    }
    const results: Result<Item>[] = [];
    for (const [id, hits] of found) {
      const item = this.#items.get(id)!;
      const weight = weigh(item);
      if (weight > 0) results.push(new Result(item, weight, hits));
    }
    return results.sort((a, b) => b.score - a.score);
  }

  /** Replaces the items of the index. Items that are already indexed are not processed again. */
  async update(items: Iterable<Item>, pauses?: Pauses): Promise<void> {
    const current = new Set(items);
    for (const [item, id] of this.#ids) {
      if (current.has(item)) continue;
      this.#index.discard(id);
      this.#ids.delete(item);
      this.#items.delete(id);
    }
    for (const item of current) {
      if (this.#ids.has(item)) continue;
      const id = this.#nextId++;
      this.#ids.set(item, id);
      this.#items.set(id, item);
      this.#index.add({ id, item });
      await pauses?.pause;
    }
    // Add empty items last: added first, they would lower the average text length.
    for (; this.#padding > 0; this.#padding--) this.#index.add({ id: this.#nextId++ });
  }
}

/** Creates the details of a match on request: most matches are only counted. */
class Result<Item> implements SearchResult<Item> {
  readonly item: Item;
  readonly score: number;
  readonly #hits: Hit[];

  constructor(item: Item, weight: number, hits: Hit[]) {
    this.item = item;
    this.score = weight * hits.length * hits.reduce((sum, { score }) => sum + score, 0);
    this.#hits = hits;
  }

  get words(): readonly WordMatch[] {
    return this.#hits.sort((a, b) => b.score - a.score).map(wordMatch);
  }
}

function wordMatch({ match, ...hit }: Hit): WordMatch {
  return { ...hit, fields: [...new Set(Object.values(match).flat())], found: Object.keys(match) };
}
