import { SearchIndex } from '../../search/search.ts';
import type { IndexedSkill } from './skills.ts';

interface RankedSkill {
  readonly skill: IndexedSkill;
  readonly score: number;
  /** The matching words of the task with their scores, highest first. */
  readonly reason: string;
  /** Whether the score is high enough, both absolutely and relative to the best skill. */
  readonly fits: boolean;
}

/** Nobody reviews the selection, so only exact words and long prefixes match. */
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

/** Thresholds, tuned on one half of the labelled tasks. `npm run bench -- skills` reports both halves. */
const thresholds = {
  /** Share of the score that is deducted if it comes from a single word. */
  singleWordPenalty: 0.8,
  /** Minimum score of a selected skill. */
  minScore: 12,
  /** Minimum share of the best score. */
  minShareOfBest: 0.3,
  /** Minimum score if the task contains a word of the skill's name that no other skill has. */
  minScoreByName: 8.4,
  /** Minimum score of the best skill if it is far ahead of the second. */
  minScoreIfAhead: 9.6,
  /** Ratio of best to second score that counts as far ahead. */
  aheadRatio: 1.5,
} as const;

/** Ranks the skills that share a word with the task: those that fit first, then by score. */
export async function rankSkills(task: string, skills: readonly IndexedSkill[]): Promise<RankedSkill[]> {
  const index = await loadIndex(skills);
  const found = new Map(index.find(task).map(({ item, words }) => [item, words]));
  const ranked = skills.flatMap((skill) => {
    const words = found.get(skill) ?? [];
    const named = isNamed(task, skill.name);
    if (words.length === 0 && !named) return [];
    const sum = words.reduce((total, { score }) => total + score, 0);
    const share = (words[0]?.score ?? 0) / (sum || 1);
    const matches = words.map(({ word, score }) => `${word} ${score.toFixed(2)}`);
    return {
      skill,
      named,
      distinct: words.some(({ items, fields }) => items === 1 && fields.includes('name')),
      score: Math.round(sum * (1 - thresholds.singleWordPenalty * share ** 2) * 1000) / 1000,
      reason: [...(named ? ['named in the task'] : []), ...matches].join(', '),
    };
  });
  const [best = 0, second = 0] = ranked.map(({ score }) => score).sort((one, other) => other - one);
  const isFarAhead = best >= thresholds.minScoreIfAhead && best >= thresholds.aheadRatio * second;
  return ranked
    .map(({ named, distinct, ...one }) => ({
      ...one,
      fits:
        named ||
        (one.score >= thresholds.minScore && one.score >= thresholds.minShareOfBest * best) ||
        (distinct && one.score >= thresholds.minScoreByName) ||
        (isFarAhead && one.score === best),
    }))
    .sort(
      (one, other) =>
        Number(other.fits) - Number(one.fits) || other.score - one.score || compare(one.skill, other.skill),
    );
}

/** Cache of search indexes: an autopilot run ranks the same skills for each of its jobs. */
const indexes = new WeakMap<readonly IndexedSkill[], Promise<SearchIndex<IndexedSkill>>>();

function loadIndex(skills: readonly IndexedSkill[]): Promise<SearchIndex<IndexedSkill>> {
  const cached = indexes.get(skills);
  if (cached !== undefined) return cached;
  const index = new SearchIndex<IndexedSkill>(options);
  const promise = index.update(skills).then(() => index);
  indexes.set(skills, promise);
  return promise;
}

/** True if the task contains the name as a whole word. A name of a single word needs a leading `$`, as it may be plain English. */
function isNamed(task: string, name: string): boolean {
  const escaped = name.toLowerCase().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const prefix = /[-_ ]/.test(name) ? '' : '\\$';
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${prefix}${escaped}(?![\\p{L}\\p{N}_-])`, 'u').test(
    task.toLowerCase(),
  );
}

function compare(one: IndexedSkill, other: IndexedSkill): number {
  const key = ({ origin, name, path }: IndexedSkill) => `${origin === 'repo' ? 0 : 1}\0${name}\0${path}`;
  return key(one) < key(other) ? -1 : 1;
}
