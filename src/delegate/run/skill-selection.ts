import { nearest } from '../../nearest.ts';
import { asSkill, type IndexedSkill, type Skill } from './skills.ts';

export const skillModes = ['auto', 'explicit', 'none'] as const;
export type SkillMode = (typeof skillModes)[number];

export interface SkillRequest {
  readonly mode: SkillMode;
  readonly task: string;
  /** Requested skill names. Used only in mode `explicit`. */
  readonly requested: readonly string[];
  readonly maxSkills: number;
}

/** Contents of `selected_skills.json`: the selected skills and why. A run with errors must not start. */
export interface SkillSelection {
  readonly mode: SkillMode;
  readonly max_skills: number;
  readonly requested: readonly string[];
  readonly selected: readonly Skill[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly ranking: readonly SkillScore[];
}

export interface SkillScore {
  readonly name: string;
  readonly origin: Skill['origin'];
  readonly path: string;
  readonly score: number;
  readonly reason: string;
  readonly selected: boolean;
}

type Choice = Pick<SkillSelection, 'selected' | 'warnings' | 'errors' | 'ranking'>;

const nothing: Choice = { selected: [], warnings: [], errors: [], ranking: [] };
/** Maximum number of candidates in the recorded ranking. */
const maxRecorded = 20;

export async function selectSkills(
  request: SkillRequest,
  skills: readonly IndexedSkill[],
): Promise<SkillSelection> {
  const { mode, requested, maxSkills } = request;
  return { mode, max_skills: maxSkills, requested, ...(await selectors[mode](request, skills)) };
}

const selectors: Readonly<
  Record<SkillMode, (request: SkillRequest, skills: readonly IndexedSkill[]) => Promise<Choice>>
> = {
  none: async () => nothing,

  async auto({ task, maxSkills }, skills) {
    if (task.trim() === '') return { ...nothing, errors: ['skills_mode=auto requires non-empty task'] };
    const { rankSkills } = await import('./skill-ranking.ts');
    const ranked = rankSkills(task, uniqueByName(skills));
    const count = Math.max(0, Math.floor(maxSkills));
    return {
      ...nothing,
      selected: ranked.slice(0, count).map(({ skill, reason }) => ({ ...asSkill(skill), reason })),
      warnings:
        ranked.length > 0
          ? []
          : [
              'No skills matched task keywords; selected_skills is empty (use skills_mode=explicit to force selection).',
            ],
      ranking: ranked.slice(0, maxRecorded).map(({ skill, score, reason }, at) => ({
        name: skill.name,
        origin: skill.origin,
        path: skill.path,
        score,
        reason,
        selected: at < count,
      })),
    };
  },

  async explicit({ requested }, skills) {
    const names = [...new Map(requested.map((name) => [name.trim().toLowerCase(), name.trim()])).entries()];
    if (names.length === 0) return { ...nothing, errors: ['skills_mode=explicit requires skills[]'] };
    const found = names.map(([key, name]) => ({
      name,
      matches: skills.filter((skill) => skill.name.toLowerCase() === key),
    }));
    const missing = found.filter(({ matches }) => matches.length === 0).map(({ name }) => name);
    const suggestions = missing.flatMap((name) => {
      const suggestion = nearest(
        name,
        skills.map((skill) => skill.name),
      );
      return suggestion === undefined ? [] : [`There is no skill "${name}"; did you mean "${suggestion}"?`];
    });
    const ambiguous = found.flatMap(({ name, matches: [first, second] }) =>
      first === undefined || second === undefined
        ? []
        : [`Multiple skills matched "${name}", selected ${first.origin}:${first.name} (${first.path})`],
    );
    return {
      ...nothing,
      selected: missing.length > 0 ? [] : found.map(({ matches }) => asSkill(matches[0]!)),
      warnings: [...ambiguous, ...suggestions],
      errors: missing.length > 0 ? [`Missing requested skills: ${missing.join(', ')}`] : [],
    };
  },
};

/** Keeps only the nearest skill of each name. */
export function uniqueByName(skills: readonly IndexedSkill[]): readonly IndexedSkill[] {
  const seen = new Set<string>();
  const unique = skills.filter(({ name }) => !seen.has(name.toLowerCase()) && seen.add(name.toLowerCase()));
  return unique.length === skills.length ? skills : unique;
}
