// Full-text search for prompts, skills and tools. Import this module on first use: it loads two packages, which would
// slow down the start of the server.
import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';

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
    .filter((word) => !stopWords.has(word))
    .map((word) => stemmer(word.slice(0, maxWordLength)));
}

function wordsOf(text: string): string[] {
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
  return (words ?? []).flatMap((word) =>
    unspaced.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word],
  );
}

/** Words that people use for the same thing. A query with one of them also finds the others, with a lower score. */
const groups = `
accessibility accessible blind disability disabled screenreader wcag
alert alarm notification notify warning
analyse analyze analysis examine investigate inspect
api endpoint interface route
article blog essay post
authentication authenticate login signin signup sso oauth
bill billing charge checkout invoice pay payment subscription
bug crash defect error failure fault problem
build compile bundle
cache caching memoize
change edit modify revise
chart diagram graph plot
check review audit verify inspect
choose chose decide decision
ci pipeline workflow
class component module
clarify explain explanation describe understand
clean cleanup simplify tidy refactor
cloud aws azure gcp infrastructure
cluster kubernetes pod deployment
container docker dockerfile image
contract schema specification
convert transform translate
create generate make produce write
css style styling stylesheet
database sql postgresql mysql table
debug diagnose troubleshoot
delete remove drop erase
deploy deployment release rollout ship
design mockup figma wireframe
diff change patch
document documentation docstring guide manual readme tutorial
email mail newsletter
excel spreadsheet sheet csv
fast slow performance speed latency optimize optimise tune tuning
find search lookup
fix repair resolve solve
history log changelog
idea brainstorm suggestion
improve enhance optimize better
incident outage downtime postmortem
issue ticket bug
language locale translate translation localization internationalization multilingual
letter mail note
library package dependency module
log logging trace
mail email letter
measure benchmark evaluate evaluation metric score
meeting agenda minute
memory heap leak ram
merge combine join
message mail note
mock stub fake
model llm ai
monitor monitoring observability metric telemetry
parse regex pattern
password credential secret token key
phone mobile
plan roadmap schedule
presentation slide deck powerpoint talk
profile profiling flamegraph
publish release ship upload
query sql select
readme documentation
record decision log
recover rescue restore undo revert rollback reset
rename move
report summary
research investigate study
rest http api
rpc grpc protobuf
safe secure security vulnerability exploit attack threat hole
script shell bash terminal
server backend service
shorten shrink reduce compress condense smaller short
speech talk presentation
summary summarize summarise digest recap tldr condense
swagger openapi
task todo ticket
teach explain tutor lesson
test testing spec
translate translation
typo spelling grammar proofread
ui interface frontend
undo revert rollback
update upgrade bump outdated
version release tag
website web page site browser
`;

const related = new Map<string, Set<string>>();
for (const line of groups.trim().split('\n')) {
  const stems = line.split(' ').map((word) => stemmer(word));
  for (const stem of stems) {
    const known = related.get(stem) ?? new Set();
    for (const other of stems) if (other !== stem) known.add(other);
    related.set(stem, known);
  }
}

/** The stems of words that mean nearly the same as a stem. */
function relatedTo(stem: string): Iterable<string> {
  return related.get(stem) ?? [];
}
