// Full-text search for everything that is found by its words: prompts, skills, tools. It brings two packages with it, so
// that a server imports this module when somebody first searches, never at its start.
import MiniSearch from 'minisearch';
import { termsOf } from './words.ts';

interface SearchOptions<Item> {
  /** The texts of an item, and how much a word counts in each of them. */
  readonly fields: Readonly<Record<string, { readonly of: (item: Item) => string; readonly boost: number }>>;
  /** From this length on, a word of the query also finds words that begin with it. */
  readonly prefixFrom: number;
  /** Whether longer words are found despite a typing error. */
  readonly typos: boolean;
  /**
   * Empty items to count beside the real ones, for those who compare scores with a fixed limit: without them the words of a
   * small collection are all equally rare.
   */
  readonly padding?: number;
}

/** One word of the query in one item. */
interface WordMatch {
  readonly word: string;
  readonly score: number;
  readonly fields: readonly string[];
  /** The words of the item itself: other forms of the word, longer ones, nearly the same ones. */
  readonly found: readonly string[];
  /** How many items the word was found in. */
  readonly items: number;
}

export interface SearchResult<Item> {
  readonly item: Item;
  readonly score: number;
  /** The words of the query that were found, those that count most first. */
  readonly words: readonly WordMatch[];
}

interface Hit extends Pick<WordMatch, 'word' | 'score' | 'items'> {
  /** The words of the item, each with the fields it is in. */
  readonly match: Readonly<Record<string, readonly string[]>>;
}

/** Gives other work its turn during a long update. Awaited whenever it is defined. */
interface Pauses {
  readonly pause: Promise<void> | undefined;
}

/** Whoever passes a whole document as the query searches for its first words. */
const mostWords = 1000;
/** Term saturation and length normalization. No bonus for a word in a long text: the limits of skills rely on it. */
const bm25 = { k: 2, b: 0.5, d: 0 };

/** An index over items, which are told apart by identity. */
export class SearchIndex<Item extends object> {
  readonly #index: MiniSearch<{ readonly id: number; readonly item?: Item }>;
  readonly #ids = new Map<Item, number>();
  readonly #items = new Map<number, Item>();
  #nextId = 0;
  #padding: number;

  constructor({ fields, prefixFrom, typos, padding = 0 }: SearchOptions<Item>) {
    this.#index = new MiniSearch({
      fields: Object.keys(fields),
      extractField: (document, field) =>
        field === 'id' ? document.id : ((document.item && fields[field]!.of(document.item)) as string),
      tokenize: termsOf,
      processTerm: (term) => term,
      searchOptions: {
        // Words are searched one by one, as terms.
        tokenize: (term) => [term],
        boost: Object.fromEntries(Object.entries(fields).map(([name, { boost }]) => [name, boost])),
        prefix: (term) => term.length >= prefixFrom,
        fuzzy: (term) => typos && term.length >= 5 && /^\p{L}+$/u.test(term) && 0.2,
        weights: { prefix: 0.5, fuzzy: 0.3 },
        bm25,
      },
    });
    this.#padding = padding;
  }

  /** Items that have any word of the query, best first: rare words, good fields and many words count. */
  find(query: string): readonly SearchResult<Item>[] {
    const found = new Map<number, Hit[]>();
    for (const word of [...new Set(termsOf(query))].slice(0, mostWords)) {
      const results = this.#index.search(word);
      for (const { id, score, match } of results) {
        const hit = { word, score, match, items: results.length };
        const hits = found.get(id);
        if (hits === undefined) found.set(id, [hit]);
        else hits.push(hit);
      }
    }
    return [...found]
      .map(([id, hits]) => ({
        item: this.#items.get(id)!,
        score: hits.length * hits.reduce((sum, { score }) => sum + score, 0),
        get words() {
          return hits.sort((a, b) => b.score - a.score).map(wordMatch);
        },
      }))
      .sort((a, b) => b.score - a.score);
  }

  /** Makes these the items of the index. Items that are already in it cost nothing. */
  async update(items: Iterable<Item>, pauses?: Pauses): Promise<void> {
    const wanted = new Set(items);
    for (const [item, id] of this.#ids) {
      if (wanted.has(item)) continue;
      this.#index.discard(id);
      this.#ids.delete(item);
      this.#items.delete(id);
    }
    for (const item of wanted) {
      if (this.#ids.has(item)) continue;
      const id = this.#nextId++;
      this.#ids.set(item, id);
      this.#items.set(id, item);
      this.#index.add({ id, item });
      await pauses?.pause;
    }
    // After the items: an empty item that comes first would shorten the average length of a text.
    for (; this.#padding > 0; this.#padding--) this.#index.add({ id: this.#nextId++ });
  }
}

function wordMatch({ match, ...hit }: Hit): WordMatch {
  return { ...hit, fields: [...new Set(Object.values(match).flat())], found: Object.keys(match) };
}
