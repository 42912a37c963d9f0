// Ranks tools by what people ask for: naive Bayes over the words of each tool and over sentences in which people ask for it.
// Import this module on first use: it loads these sentences.
import { stemmer } from 'stemmer';
import { maxQueryLength } from '../search/search.ts';
import type { Tool } from '../tool.ts';
import { type Kind, kindsOfWords } from './everyday-words.ts';
import { toolTraits } from './toolsets.ts';
import { calendarWishes } from './wishes/calendar.ts';
import { peopleWishes } from './wishes/people.ts';
import { promptWishes } from './wishes/prompts.ts';
import { runWishes } from './wishes/runs.ts';
import { serverWishes } from './wishes/server.ts';

/** Sentences in which people ask for a tool. */
export type Wishes = Readonly<Record<string, readonly string[]>>;

export const toolWishes: Wishes = Object.fromEntries(
  Object.entries({
    ...promptWishes,
    ...runWishes,
    ...calendarWishes,
    ...peopleWishes,
    ...serverWishes,
  }).map(([tool, text]) => [tool, text.trim().split(/\s*[|\n]\s*/)]),
);

interface Ranked<Item> {
  /** What matches a query, best first. */
  readonly found: readonly Item[];
  /** False if the best is a weak match, so that probably none of them does what the query asks for. */
  readonly fits: boolean;
}

/** Finds the indexes of tools. */
type Ranking = (query: string) => Ranked<number>;

/** Tools that match the query. */
export async function rankTools(query: string, tools: readonly Tool[]): Promise<Ranked<Tool>> {
  const rank = createRanking(tools, toolWishes);
  const { found, fits } = rank(query.slice(0, maxQueryLength));
  return { found: found.map((at) => tools[at]!), fits };
}

/** How much a feature of a sentence counts: its words, their kinds, two kinds together, and two words in a row. */
const weights = { word: 1, kind: 0.5, pair: 0.4, sequence: 0.25 } as const;
type Sort = keyof typeof weights;
type Features = ReadonlyMap<string, Sort>;

/** How many sentences with a word the texts of a tool are worth. Descriptions also name the tools that do something else. */
const worth = { wish: 1, phrase: 8, name: 3, description: 0.5 } as const;
/** A text that is no sentence says less about how often people ask for the tool. */
const shareOfSentence = 0.2;
/** Sentences that a tool is assumed to have beside its own. They are like those of all tools. */
const assumed = 64;

/**
 * A best match with a lower score is weak, and each word that no tool knows lowers the score. Chosen so that hardly a wish is weak, and
 * most sentences about something else are.
 */
const leastScore = 4;
const scoreOfUnknownWord = -1.5;

/** What is known of one tool: how often it has each feature, and how many sentences its texts are worth. */
interface ToolModel {
  readonly counts: ReadonlyMap<string, number>;
  readonly size: number;
}

/** Clients can choose their tools in any number of ways, so the lists share what was learnt of each tool. */
const learnt = new WeakMap<
  Wishes,
  {
    readonly reader: SentenceReader;
    readonly models: WeakMap<Tool, ToolModel>;
    /** Of the sentences alone, by the name of the tool. */
    readonly absent: Map<string, ToolModel>;
  }
>();

export function createRanking(tools: readonly Tool[], wishes: Wishes): Ranking {
  const known = learnt.get(wishes) ?? {
    reader: new SentenceReader(Object.values(wishes).flat()),
    models: new WeakMap(),
    absent: new Map(),
  };
  learnt.set(wishes, known);
  const { reader } = known;
  const models = tools.map((tool) => {
    const model = known.models.get(tool) ?? createModel(tool, wishes[tool.name] ?? [], reader);
    known.models.set(tool, model);
    return model;
  });
  // How usual a word is does not depend on the tools that a client may call.
  const names = new Set(tools.map(({ name }) => name));
  const absent = Object.keys(wishes)
    .filter((name) => !names.has(name))
    .map((name) => {
      const model = known.absent.get(name) ?? createModel({ name, description: '' }, wishes[name]!, reader);
      known.absent.set(name, model);
      return model;
    });
  const all = [...models, ...absent];
  const size = all.reduce((sum, model) => sum + model.size, 0);

  return (query) => {
    const scores = new Float64Array(tools.length);
    let [known, unknown] = [0, 0];
    for (const [feature, sort] of reader.features(query)) {
      const usual = all.reduce((sum, { counts }) => sum + (counts.get(feature) ?? 0), 0) / size;
      const own = models.map(({ counts }) => counts.get(feature) ?? 0);
      if (sort === 'word' && own.some((count) => count > 0)) known++;
      if (sort === 'word' && usual === 0) unknown++;
      if (usual === 0) continue;
      for (const [at, count] of own.entries())
        scores[at]! +=
          weights[sort] * Math.log((count + assumed * usual) / ((models[at]!.size + assumed) * usual));
    }
    if (known === 0) return { found: [], fits: false };
    const named = tools.findIndex(({ name }) => name === query.trim());
    if (named >= 0) scores[named] = Number.POSITIVE_INFINITY;
    const found = [...tools.keys()].sort((a, b) => scores[b]! - scores[a]!);
    return { found, fits: scores[found[0]!]! + unknown * scoreOfUnknownWord >= leastScore };
  };
}

function createModel(tool: Described, wishes: readonly string[], reader: SentenceReader): ToolModel {
  const counts = new Map<string, number>();
  let size = 0;
  for (const { text, times, isSentence } of textsOf(tool, wishes)) {
    size += isSentence ? 1 : times * shareOfSentence;
    for (const [feature, sort] of reader.features(text))
      if (isSentence || sort === 'word' || sort === 'kind')
        counts.set(feature, (counts.get(feature) ?? 0) + times);
  }
  return { counts, size };
}

type Described = Pick<Tool, 'name' | 'description' | 'phrases'>;

interface OwnText {
  readonly text: string;
  readonly times: number;
  readonly isSentence?: true;
}

function textsOf(
  { name, phrases = '', description }: Described,
  wishes: readonly string[],
): readonly OwnText[] {
  return [
    ...wishes.map((text) => ({ text, times: worth.wish, isSentence: true }) as const),
    ...phrases.split(/\s+/).map((text) => ({ text, times: worth.phrase })),
    { text: name.replaceAll('_', ' '), times: worth.name },
    { text: description.replaceAll(/\w+_\w+/g, ''), times: worth.description },
  ];
}

const kindsOf = new Map<string, readonly Kind[]>();
const addWords = (kind: Kind, words: readonly string[]) => {
  for (const word of words) kindsOf.set(word, [...(kindsOf.get(word) ?? []), kind]);
};
for (const [kind, text] of Object.entries(kindsOfWords)) addWords(kind as Kind, text.split(' '));
for (const { words } of toolTraits.values()) addWords('channel', words?.channel ?? []);

/** Kinds of verbs and of small words: in a sequence of words, the words themselves say more. */
const loose = new Set<Kind>(['remove', 'create', 'change', 'show', 'use', 'question', 'not', 'me']);

/** Reads what a sentence says: its words, their kinds, and which of them stand together. */
class SentenceReader {
  /** Words in lower case. Others with a capital letter are names. */
  readonly #known: ReadonlySet<string>;

  constructor(sentences: readonly string[]) {
    this.#known = new Set(sentences.flatMap(wordsOf).filter((word) => /^\p{Ll}/u.test(word)));
  }

  features(sentence: string): Features {
    const features = new Map<string, Sort>();
    const kinds = new Set<Kind>();
    let before = '^';
    for (const word of wordsOf(sentence)) {
      const stem = stemmer(word.toLowerCase());
      features.set(stem, 'word');
      const own = this.#kindsOf(word);
      for (const kind of own) kinds.add(kind);
      const here = own[0] === undefined || loose.has(own[0]) ? stem : `<${own[0]}>`;
      features.set(`${before} ${here}`, 'sequence');
      before = here;
    }
    const sorted = [...kinds].sort();
    for (const [at, kind] of sorted.entries()) {
      features.set(`<${kind}>`, 'kind');
      for (const other of sorted.slice(at + 1)) features.set(`<${kind}> and <${other}>`, 'pair');
    }
    return features;
  }

  #kindsOf(word: string): readonly Kind[] {
    const lower = word.toLowerCase();
    const kinds = kindsOf.get(lower);
    if (kinds !== undefined) return kinds;
    if (/^\d+(?:st|nd|rd|th)$/.test(lower)) return ['day'];
    if (/^\d/.test(lower)) return ['number'];
    return /^\p{Lu}\p{Ll}/u.test(word) && !this.#known.has(lower) ? ['person'] : [];
  }
}

/** The words of a sentence. Short forms are written in full: "doesn't" is "does not". */
function wordsOf(sentence: string): readonly string[] {
  return (
    sentence
      .replaceAll('’', "'")
      .replaceAll(
        /\b(can|do|does|did|is|was|are|were|would|could|should|has|have|had|wo|ca)n't\b/gi,
        '$1 not',
      )
      .replaceAll(/'(?:s|re|ve|ll|d|m)\b/gi, ' ')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
