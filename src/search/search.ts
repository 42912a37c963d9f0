// Full-text search for the skills of sub-agents. Import this module on first use: it loads two packages, which would
// slow down the start of the server.
import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';

interface SearchOptions<Item> {
  /** The text fields of an item, and the weight of each field. */
  readonly fields: Readonly<Record<string, { readonly of: (item: Item) => string; readonly boost: number }>>;
  /** Minimum length of a query word that also matches longer words that begin with it. */
  readonly prefixFrom: number;
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
  /** The matching terms of the item: the word itself, or longer words. */
  readonly found: readonly string[];
  /** The number of items that match the word. */
  readonly items: number;
}

interface SearchResult<Item> {
  readonly item: Item;
  readonly score: number;
  /** The matching words of the query, highest score first. */
  readonly words: readonly WordMatch[];
}

/** Longer questions for tools and prompts, such as a whole document, are cut before anything reads them: each word takes time. */
export const maxQueryLength = 1000;
/** Longer queries, such as the task of a run, are truncated to this number of words. */
const maxQueryWords = 1000;
/** Term saturation and length normalization. The thresholds for skills rely on `d: 0`, which gives words in long texts no bonus. */
const bm25 = { k: 2, b: 0.5, d: 0 };

/** A full-text index in memory, for a few hundred items that stay as they are. */
export class SearchIndex<Item extends object> {
  readonly #index: MiniSearch<{ readonly id: number; readonly item?: Item }>;
  readonly #items: readonly Item[];

  constructor(items: readonly Item[], { fields, prefixFrom, padding = 0 }: SearchOptions<Item>) {
    this.#items = items;
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
        weights: { prefix: 0.5, fuzzy: 0 },
        bm25,
      },
    });
    for (const [id, item] of items.entries()) this.#index.add({ id, item });
    // Add empty items last: added first, they would lower the average text length.
    for (let id = items.length; id < items.length + padding; id++) this.#index.add({ id });
  }

  /** Items that match any word of the query, best first. Rare words, important fields and many matching words raise the score. */
  find(query: string): readonly SearchResult<Item>[] {
    const found = new Map<number, WordMatch[]>();
    for (const word of [...new Set(termsOf(query))].slice(0, maxQueryWords)) {
      const results = this.#index.search(word);
      for (const { id, score, match } of results) {
        const fields = [...new Set(Object.values(match).flat())];
        const hit = { word, score, fields, found: Object.keys(match), items: results.length };
        found.set(id as number, [...(found.get(id as number) ?? []), hit]);
      }
    }
    return [...found]
      .map(([id, words]) => ({
        item: this.#items[id]!,
        score: words.length * words.reduce((sum, { score }) => sum + score, 0),
        words: words.sort((a, b) => b.score - a.score),
      }))
      .sort((a, b) => b.score - a.score);
  }
}

/** Words that are too common to be useful in a search. */
const stopWords = new Set(
  `a about above across actually after again against all already also although always am among an and another any anybody
  anyone anything are around as at away be became because become been before began begin being below between both but by came
  can cannot come could did do does doing done down during each either else enough etc even ever every everybody everyone
  everything few first for from further get gets getting give given gives go goes going gone got had has have having he
  help her here him himself his how however i if in instead into is it its itself just keep keeps kept last later least less let
  like ll look looks lot made make makes making many may maybe me might mine more most much must my myself near need needs
  neither never next no nobody none nor not nothing now of off often ok on once one only onto or other others otherwise our
  ours out over own per perhaps please put quite rather re really same say says see seen several shall she should since
  so some somebody someone something soon still such take takes tell than that the their them themselves then there
  these they thing things this those though through thus to today together too toward two three four five under until up
  upon us use used user users uses using ve very via want wants was way we well went were what when where whether which while who
  whole whom whose why will with within without would yes yesterday yet you your yours yourself`.split(/\s+/),
);

/** Abbreviations and the words that replace them in the index. */
const synonyms: Readonly<Record<string, string>> = {
  a11y: 'accessibility',
  adr: 'decision record',
  auth: 'authentication',
  cpp: 'c++',
  db: 'database',
  doc: 'documentation',
  docs: 'documentation',
  docx: 'word docx',
  gha: 'github action workflow',
  golang: 'go golang',
  i18n: 'internationalization',
  js: 'javascript',
  k8s: 'kubernetes',
  l10n: 'localization',
  oidc: 'openid',
  pg: 'postgresql',
  postgres: 'postgresql',
  pptx: 'powerpoint pptx',
  proto: 'protobuf',
  pr: 'pull request',
  psql: 'postgresql',
  py: 'python',
  regex: 'regular expression regex',
  regexes: 'regular expression regex',
  regexp: 'regular expression regex',
  rs: 'rust',
  sh: 'shell bash',
  sso: 'oauth openid',
  tf: 'terraform',
  ts: 'typescript',
  vuln: 'vulnerability',
  xlsx: 'excel xlsx',
  yml: 'yaml',
};

const maxWordLength = 64;
/** Scripts that do not separate words with spaces. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The search terms of a text, in order: lower-case stems without accents and stop words. */
export function termsOf(text: string): string[] {
  return wordsOf(text)
    .flatMap((word) => (Object.hasOwn(synonyms, word) ? synonyms[word]!.split(' ') : [word]))
    .map((word) => stemmer(word.slice(0, maxWordLength)));
}

/** The words of a text in lower case, without accents and stop words. */
export function wordsOf(text: string): string[] {
  const words = text
    // Split camelCase identifiers. Product names such as GitHub begin with a capital letter and are not split.
    .replaceAll(/(?<![A-Za-z])[a-z]{3,}(?:[A-Z][a-z]+)+/g, (name) => name.replaceAll(/[A-Z]/g, ' $&'))
    .toLowerCase()
    .replaceAll(/\bend[- ]to[- ]end\b/g, 'e2e')
    .replaceAll(/\btl;dr\b/g, 'tldr')
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .match(/c\+\+|c#|\.net\b|[\p{L}\p{M}\p{N}]+/gu);
  return (words ?? [])
    .flatMap((word) =>
      unspaced.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word],
    )
    .filter((word) => !stopWords.has(word));
}
