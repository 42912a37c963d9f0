import type { IndexedSkill } from './skills.ts';
import { isCommon, stemsOf } from './words.ts';

export interface RankedSkill {
  readonly skill: IndexedSkill;
  readonly score: number;
  /** Which words spoke for it, the weightiest first. */
  readonly reason: string;
  /** Strong enough to be chosen, by itself and beside the best. */
  readonly fits: boolean;
}

const fields = [
  { of: (skill: IndexedSkill) => skill.name, weight: 3 },
  { of: (skill: IndexedSkill) => skill.description ?? '', weight: 1 },
  { of: (skill: IndexedSkill) => skill.opening, weight: 0.25 },
] as const;

/** How words are weighed. Found on one half of the labelled tasks; the other half is for the proof. */
const weights = {
  /** Term frequency saturates: the third mention tells little. */
  saturation: 1.2,
  /** How much a long field thins out its words. */
  length: 0.6,
  /** The imagined skills that every collection is read beside, so that three real ones do not make a word rare. */
  background: { skills: 60, common: 15, other: 0.5 },
  /** A word that is not known but begins like one that is. */
  related: 0.5,
  /** How much is lost when all of it rests on one word. */
  lonely: 0.4,
  /** What it takes to be chosen, and beside the best one. */
  least: 4.4,
  besideBest: 0.36,
  /** What it takes when nothing else comes near. */
  leastAlone: 2.5,
  ahead: 2,
} as const;

interface Entry {
  readonly skill: IndexedSkill;
  readonly frequencies: ReadonlyMap<string, number>;
}

/** Every skill that shares a word with the task, best first: BM25 over name, description and opening. */
export function rankSkills(task: string, skills: readonly IndexedSkill[]): RankedSkill[] {
  const query = new Set(stemsOf(task));
  const entries = weigh(skills);
  const documents = new Map<string, number>();
  for (const { frequencies } of entries) {
    for (const term of frequencies.keys()) documents.set(term, (documents.get(term) ?? 0) + 1);
  }
  const words = [...query].flatMap((word) => {
    const term = documents.has(word) ? word : relative(word, documents.keys());
    if (term === undefined) return [];
    const factor = term === word ? 1 : weights.related;
    return [{ word, term, worth: factor * rarity(term, documents, skills.length) }];
  });
  const ranked = entries.flatMap(({ skill, frequencies }) => {
    const named = isNamed(task, skill.name);
    const parts = words
      .map(({ word, term, worth }) => ({ word, value: worth * saturated(frequencies.get(term) ?? 0) }))
      .filter(({ value }) => value > 0)
      .sort((one, other) => other.value - one.value);
    const [first] = parts;
    if (first === undefined && !named) return [];
    const sum = parts.reduce((total, { value }) => total + value, 0);
    const loudest = (first?.value ?? 0) / (sum || 1);
    const because = parts.map(({ word, value }) => `${word} ${value.toFixed(2)}`);
    return [
      {
        skill,
        named,
        telling: first !== undefined && !isCommon(first.word),
        score: round(sum * (1 - weights.lonely * loudest ** 2)),
        reason: [...(named ? ['named in the task'] : []), ...because].join(', '),
      },
    ];
  });
  const [best = 0, second = 0] = ranked.map(({ score }) => score).sort((one, other) => other - one);
  const isClear = best >= weights.leastAlone && best >= weights.ahead * second;
  return ranked
    .map(({ named, telling, ...one }) => ({
      ...one,
      fits:
        named ||
        (one.score >= weights.least && one.score >= weights.besideBest * best) ||
        (isClear && telling && one.score === best),
    }))
    .sort(
      (one, other) =>
        Number(other.fits) - Number(one.fits) || other.score - one.score || compare(one.skill, other.skill),
    );
}

function weigh(skills: readonly IndexedSkill[]): Entry[] {
  const texts = skills.map((skill) => fields.map(({ of }) => stemsOf(of(skill))));
  const averages = fields.map(
    (_, field) => texts.reduce((sum, one) => sum + one[field]!.length, 0) / Math.max(1, texts.length) || 1,
  );
  return skills.map((skill, at) => {
    const frequencies = new Map<string, number>();
    for (const [field, { weight }] of fields.entries()) {
      const stems = texts[at]![field]!;
      const thin = 1 - weights.length + (weights.length * stems.length) / averages[field]!;
      for (const term of stems) frequencies.set(term, (frequencies.get(term) ?? 0) + weight / thin);
    }
    return { skill, frequencies };
  });
}

function rarity(term: string, documents: ReadonlyMap<string, number>, count: number): number {
  const { skills, common, other } = weights.background;
  const holding = (documents.get(term) ?? 0) + (isCommon(term) ? common : other);
  return Math.log(1 + (count + skills - holding + 0.5) / (holding + 0.5));
}

function saturated(frequency: number): number {
  return (frequency * (weights.saturation + 1)) / (frequency + weights.saturation);
}

/** The known word of which this is another form: `accessible` for `accessibility`, or one with a slip in its end. */
function relative(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let longest = Math.max(4, 0.65 * word.length - 0.001);
  for (const term of known) {
    let shared = 0;
    while (shared < word.length && word[shared] === term[shared]) shared++;
    if (shared > longest && shared >= 0.65 * term.length) [best, longest] = [term, shared];
  }
  return best;
}

function isNamed(task: string, name: string): boolean {
  const escaped = name.toLowerCase().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const bare = /[-_ ]/.test(name) ? '' : '\\$';
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${bare}${escaped}(?![\\p{L}\\p{N}_-])`, 'u').test(
    task.toLowerCase(),
  );
}

function compare(one: IndexedSkill, other: IndexedSkill): number {
  const key = ({ origin, name, path }: IndexedSkill) => `${origin === 'repo' ? 0 : 1}\0${name}\0${path}`;
  return key(one) < key(other) ? -1 : 1;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
