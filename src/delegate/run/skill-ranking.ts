import { SearchIndex } from '../../search/search.ts';
import { relatedWords, wordsOfForms } from './related-words.ts';
import { type IndexedSkill, namedInTask } from './skills.ts';
import { translatedWords } from './translated-words.ts';

interface RankedSkill {
  readonly skill: IndexedSkill;
  readonly score: number;
  /** The words of the task that the skill has too, best first, each with the skill's own word if that is another one. */
  readonly reason: string;
}

const options = {
  fields: {
    name: { of: ({ name }: IndexedSkill) => name, boost: 2 },
    description: { of: ({ description = '' }: IndexedSkill) => description, boost: 1 },
    opening: { of: ({ opening }: IndexedSkill) => opening, boost: 0.4 },
  },
  prefixFrom: 4,
  padding: 60,
} as const;
/** How much a related word counts, compared with the word itself. */
const relatedWeight = 0.5;
/** The beginning of a task says what it is about; the rest may be a whole document. */
const maxTaskLength = 32 * 1024;
/** Skills with a lower share of the best score are not worth reading. */
const minShareOfBest = 0.2;

/** Ranks the skills that share a word with the task, best first; skills that the task names come before all others. */
export function rankSkills(task: string, skills: readonly IndexedSkill[]): readonly RankedSkill[] {
  const index = indexes.get(skills) ?? new SearchIndex<IndexedSkill>(skills, options);
  // An autopilot ranks the same skills for each of its jobs.
  indexes.set(skills, index);
  const scores = new Map<IndexedSkill, Map<string, { score: number; text: string }>>();
  const opening = task.slice(0, maxTaskLength);
  const asked = [opening, ...translatedWords(opening), ...wordsOfForms(opening)].join(' ');
  for (const { item, words } of index.find(asked))
    scores.set(item, new Map(words.map(({ word, score }) => [word, { score, text: word }])));
  for (const [word, related] of relatedWords(asked))
    for (const { item, words } of index.find(related.join(' '))) {
      const found = scores.get(item) ?? new Map();
      scores.set(item, found);
      const [best] = words;
      if (best !== undefined && !found.has(word))
        found.set(word, { score: best.score * relatedWeight, text: `${word} (${best.word})` });
    }
  const lowerCase = task.toLowerCase();
  const ranked = skills.flatMap((skill) => {
    const named = isNamed(lowerCase, skill.name.toLowerCase());
    const words = [...(scores.get(skill)?.values() ?? [])].sort((one, other) => other.score - one.score);
    if (words.length === 0 && !named) return [];
    const score = words.reduce((sum, one) => sum + one.score, 0);
    const reason = [...(named ? [namedInTask] : []), ...words.slice(0, 4).map(({ text }) => text)];
    return { skill, named, score: Math.round(score * 1000) / 1000, reason: reason.join(', ') };
  });
  const floor = minShareOfBest * Math.max(0, ...ranked.map(({ score }) => score));
  return ranked
    .filter(({ named, score }) => named || score >= floor)
    .sort(
      (one, other) =>
        Number(other.named) - Number(one.named) || other.score - one.score || compare(one.skill, other.skill),
    );
}

const indexes = new WeakMap<readonly IndexedSkill[], SearchIndex<IndexedSkill>>();

/** True if the task contains the name as a whole word, both in lower case. A name of a single word needs a leading `$`, as it may be plain English. */
function isNamed(task: string, name: string): boolean {
  if (!task.includes(name)) return false;
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const prefix = /[-_ ]/.test(name) ? '' : '\\$';
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${prefix}${escaped}(?![\\p{L}\\p{N}_-])`, 'u').test(task);
}

function compare(one: IndexedSkill, other: IndexedSkill): number {
  const key = ({ origin, name, path }: IndexedSkill) => `${origin === 'repo' ? 0 : 1}\0${name}\0${path}`;
  return key(one) < key(other) ? -1 : 1;
}
