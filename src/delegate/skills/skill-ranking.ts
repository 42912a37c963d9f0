import { SearchIndex } from '../../search/search.ts';
import type { IndexedSkill } from './skills.ts';

interface RankedSkill {
  readonly skill: IndexedSkill;
  readonly score: number;
  /** The words of the task that were found, with their scores, highest first. */
  readonly reason: string;
  /** Strong enough to be chosen, by itself and beside the best. */
  readonly fits: boolean;
}

/** Skills are chosen without anybody looking, so only exact words and long beginnings of words count. */
const options = {
  fields: {
    name: { of: ({ name }: IndexedSkill) => name, boost: 2 },
    description: { of: ({ description = '' }: IndexedSkill) => description, boost: 1 },
    opening: { of: ({ opening }: IndexedSkill) => opening, boost: 0.4 },
  },
  prefixFrom: 6,
  typos: false,
  padding: 60,
} as const;

/** Found on one half of the labelled tasks; `npm run bench:skills` shows both halves. */
const limits = {
  /** How much of the score is lost if it rests on one word. */
  singleWord: 0.8,
  /** The score a skill needs, and its share of the best score. */
  least: 12,
  besideBest: 0.3,
  /** The score that is enough for a word of the name that no other skill has. */
  leastByName: 8.4,
  /** The score that is enough for the best skill if it is so many times as good as the second. */
  leastAlone: 9.6,
  ahead: 1.5,
} as const;

/** Every skill that shares a word with the task, those that fit first, then by score. */
export async function rankSkills(task: string, skills: readonly IndexedSkill[]): Promise<RankedSkill[]> {
  const index = await indexOf(skills);
  const found = new Map(index.find(task).map(({ item, words }) => [item, words]));
  const ranked = skills.flatMap((skill) => {
    const words = found.get(skill) ?? [];
    const named = isNamed(task, skill.name);
    if (words.length === 0 && !named) return [];
    const sum = words.reduce((total, { score }) => total + score, 0);
    const share = (words[0]?.score ?? 0) / (sum || 1);
    const because = words.map(({ word, score }) => `${word} ${score.toFixed(2)}`);
    return {
      skill,
      named,
      distinct: words.some(({ items, fields }) => items === 1 && fields.includes('name')),
      score: Math.round(sum * (1 - limits.singleWord * share ** 2) * 1000) / 1000,
      reason: [...(named ? ['named in the task'] : []), ...because].join(', '),
    };
  });
  const [best = 0, second = 0] = ranked.map(({ score }) => score).sort((one, other) => other - one);
  const isClear = best >= limits.leastAlone && best >= limits.ahead * second;
  return ranked
    .map(({ named, distinct, ...one }) => ({
      ...one,
      fits:
        named ||
        (one.score >= limits.least && one.score >= limits.besideBest * best) ||
        (distinct && one.score >= limits.leastByName) ||
        (isClear && one.score === best),
    }))
    .sort(
      (one, other) =>
        Number(other.fits) - Number(one.fits) || other.score - one.score || compare(one.skill, other.skill),
    );
}

/** An autopilot ranks the same skills for each of its jobs. */
const indexes = new WeakMap<readonly IndexedSkill[], Promise<SearchIndex<IndexedSkill>>>();

function indexOf(skills: readonly IndexedSkill[]): Promise<SearchIndex<IndexedSkill>> {
  const known = indexes.get(skills);
  if (known !== undefined) return known;
  const index = new SearchIndex<IndexedSkill>(options);
  const made = index.update(skills).then(() => index);
  indexes.set(skills, made);
  return made;
}

/** Written as a word of its own. A name without a hyphen, which may be any English word, needs a dollar sign. */
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
