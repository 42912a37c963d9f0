// Measures how often the right skill is among those that are offered for a task, compared with plain word overlap. With a folder
// that somebody else has written (skills/NAME/SKILL.md, and tasks.jsonl with {"task", "skill"}), lists what was not found there.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rankSkills } from '../src/delegate/run/skill-ranking.ts';
import { discoverSkills, type IndexedSkill } from '../src/delegate/run/skills.ts';

export interface Figures {
  /** Labelled skills that were offered. */
  readonly found: number;
  readonly labels: number;
  readonly offered: number;
  readonly missed: readonly string[];
}

interface LabelledTask {
  readonly task: string;
  readonly skills: readonly string[];
}
type Rule = (task: string, skills: readonly IndexedSkill[]) => readonly string[];

const fixtures = join(import.meta.dirname, '..', 'test', 'fixtures', 'skills');
/** How many skills `standard` offers. */
const maxSkills = 3;

const ranking: Rule = (task, skills) => rankSkills(task, skills).map(({ skill }) => skill.name);

/** Baseline: counts shared words of three or more letters. A match in the name scores three points, in the description one. */
const overlap: Rule = (task, skills) => {
  const tokens = (text: string) =>
    text
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.filter((token) => token.length >= 3) ?? [];
  const taskTokens = new Set(tokens(task));
  const points = (text: string) => tokens(text).filter((token) => taskTokens.has(token)).length;
  return skills
    .map(({ name, description }) => ({ name, score: 3 * points(name) + points(description ?? '') }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
    .map(({ name }) => name);
};

const rules: Readonly<Record<string, Rule>> = { ranking, overlap };

/** Measures both rules on the skills and labelled tasks of a folder. */
export async function measureSkills(folder = fixtures): Promise<Readonly<Record<string, Figures>>> {
  const { skills } = await discoverSkills({
    cwd: folder,
    codexHome: folder,
    userHome: folder,
    includeRepo: false,
    includeGlobal: true,
  });
  const tasks = loadTasks(folder);
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, figures(tasks, skills, rule)]),
  );
}

function loadTasks(folder: string): LabelledTask[] {
  const lines = readFileSync(join(folder, 'tasks.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { task, skill, skills = [skill] } = JSON.parse(line);
    return { task, skills };
  });
}

function figures(tasks: readonly LabelledTask[], skills: readonly IndexedSkill[], rule: Rule): Figures {
  let [found, labels, offered] = [0, 0, 0];
  const missed: string[] = [];
  for (const { task, skills: right } of tasks) {
    const picked = rule(task, skills).slice(0, maxSkills);
    const hits = right.filter((name) => picked.includes(name));
    found += hits.length;
    labels += right.length;
    offered += picked.length;
    if (hits.length < right.length) missed.push(`${task}: ${right.join(', ')}, not ${picked.join(', ')}`);
  }
  return { found, labels, offered, missed };
}

if (import.meta.main) {
  const folder = process.argv[2] === undefined ? fixtures : resolve(process.argv[2]);
  for (const [rule, { found, labels, offered, missed }] of Object.entries(await measureSkills(folder))) {
    console.log(`${rule.padEnd(8)} ${found} of ${labels} right skills among ${offered} offered`);
    if (rule === 'ranking') for (const one of missed) console.log(`  missed ${one}`);
  }
}
