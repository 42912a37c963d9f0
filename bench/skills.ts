// Measures how often the right skills are chosen for labelled tasks, compared with plain word overlap.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rankSkills } from '../src/delegate/skills/skill-ranking.ts';
import { discoverSkills, type IndexedSkill } from '../src/delegate/skills/skills.ts';

export interface Figures {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Number of tasks for which exactly the labelled skills were selected. */
  readonly exact: number;
  readonly tasks: number;
}

interface LabelledTask {
  readonly task: string;
  readonly skills: readonly string[];
}
type Rule = (task: string, skills: readonly IndexedSkill[]) => readonly string[] | Promise<readonly string[]>;

const fixtures = join(import.meta.dirname, '..', 'test', 'fixtures', 'skills');
const maxSkills = 6;

const ranking: Rule = async (task, skills) =>
  (await rankSkills(task, skills))
    .filter(({ fits }) => fits)
    .slice(0, maxSkills)
    .map(({ skill }) => skill.name);

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
    .slice(0, maxSkills)
    .map(({ name }) => name);
};

export const rules: Readonly<Record<string, Rule>> = { ranking, overlap };

/** Measures all rules. Every second task is held out: the thresholds were tuned on the others. */
export async function measureSkills(): Promise<
  Record<'tuning' | 'held-out' | 'all', Record<string, Figures>>
> {
  const { skills } = await discoverSkills({
    cwd: fixtures,
    codexHome: fixtures,
    userHome: fixtures,
    includeRepo: false,
    includeGlobal: true,
  });
  const tasks = loadTasks();
  const measure = async (part: readonly LabelledTask[]) => {
    const measured: Record<string, Figures> = {};
    for (const [name, rule] of Object.entries(rules)) measured[name] = await figures(part, skills, rule);
    return measured;
  };
  return {
    tuning: await measure(tasks.filter((_, at) => at % 2 === 0)),
    'held-out': await measure(tasks.filter((_, at) => at % 2 === 1)),
    all: await measure(tasks),
  };
}

export function loadTasks(): LabelledTask[] {
  const lines = readFileSync(join(fixtures, 'tasks.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as LabelledTask);
}

async function figures(
  tasks: readonly LabelledTask[],
  skills: readonly IndexedSkill[],
  rule: Rule,
): Promise<Figures> {
  let [correct, selected, expected, exact] = [0, 0, 0, 0];
  for (const { task, skills: labels } of tasks) {
    const picked = await rule(task, skills);
    const hits = picked.filter((name) => labels.includes(name)).length;
    correct += hits;
    selected += picked.length;
    expected += labels.length;
    if (hits === labels.length && picked.length === hits) exact++;
  }
  const [precision, recall] = [correct / selected, correct / expected];
  return {
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall),
    exact,
    tasks: tasks.length,
  };
}

if (import.meta.main) {
  for (const [part, byRule] of Object.entries(await measureSkills())) {
    for (const [rule, { precision, recall, f1, exact, tasks }] of Object.entries(byRule)) {
      const formatted = [precision, recall, f1].map((value) => value.toFixed(3));
      console.log(
        `${part.padEnd(9)} ${rule.padEnd(8)} precision ${formatted[0]}  recall ${formatted[1]}  f1 ${formatted[2]}  exact ${exact}/${tasks}`,
      );
    }
  }
}
