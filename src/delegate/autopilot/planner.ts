import type { JsonSchema } from '../../json.ts';
import type { PlanSource } from './autopilot-output.ts';
import type { Decision, TaskShape } from './decision.ts';
import { fallbackPlan } from './fallback-plan.ts';
import { type Plan, type PlanBounds, parsePlan, planSchema } from './plan.ts';

/** One question to the model and its answer. */
export interface PlannerAnswer {
  /** As it was written; `undefined` when there was none. */
  readonly text: string | undefined;
  /** As a value, where it is one. */
  readonly value: unknown;
  readonly error: string | null;
}

export interface PlannerTask {
  readonly task: string;
  readonly decision: Decision;
  readonly shape: TaskShape;
  readonly bounds: PlanBounds;
  /** The skills of the shortlist, with what they are for. */
  readonly skills: readonly { readonly name: string; readonly description?: string }[];
  readonly maxParallel: number;
  /** Absent where no model is to be asked. */
  readonly ask?: (prompt: string, schema: JsonSchema, attempt: number) => Promise<PlannerAnswer>;
}

export interface Planned {
  readonly plan: Plan;
  readonly source: PlanSource;
  /** What was wrong with what the model planned. */
  readonly problems: readonly string[];
}

const attempts = 2;
const quotedAnswer = 8_000;

/** Asks for a plan, once more with its mistakes when it breaks the rules, and falls back on a plan that needs no model. */
export async function makePlan(given: PlannerTask, signal: AbortSignal): Promise<Planned> {
  const { task, decision, shape, bounds, ask } = given;
  const schema = planSchema(bounds);
  const prompt = planPrompt(given);
  const problems: string[] = [];
  let asked = prompt;
  for (let attempt = 1; ask !== undefined && attempt <= attempts && !signal.aborted; attempt++) {
    const answer = await ask(asked, schema, attempt);
    if (answer.text === undefined) {
      problems.push(`The planner gave no plan: ${answer.error ?? 'it said nothing'}.`);
      break;
    }
    const parsed = await parsePlan(answer.value, bounds);
    if ('plan' in parsed) {
      return { plan: parsed.plan, source: attempt === 1 ? 'model' : 'repaired', problems };
    }
    problems.push(...parsed.problems);
    asked = repairPrompt(prompt, answer.text, parsed.problems);
  }
  return { plan: fallbackPlan(task, decision, shape, bounds), source: 'fallback', problems };
}

function planPrompt({ task, bounds, skills, maxParallel }: PlannerTask): string {
  const writes = bounds.sandbox !== 'read-only';
  return [
    'Plan how sub-agents should carry out the task below. Look at the working folder as far as the plan needs it; change nothing and do none of the work yourself.',
    '',
    `Working folder: ${bounds.cwd}`,
    `At most ${bounds.maxAgents} jobs, of which ${maxParallel} run at the same time. The widest sandbox a job may have is ${bounds.sandbox}.`,
    '',
    'Rules:',
    '- Set should_delegate to false, with no jobs, when one agent would do it as well.',
    '- Prefer jobs that can run side by side to a chain. A job depends on another only when it needs its result.',
    '- Each job gets its own complete instructions: it sees nothing of this plan but the results of the jobs it depends on.',
    ...(writes
      ? [
          '- A job that changes files has the sandbox workspace-write and lists in writes all it will create or change; jobs that run side by side must not share any. A job that only looks is read-only and writes nothing.',
          '- A job that runs tests or builds needs workspace-write too.',
        ]
      : ['- All jobs are read-only and write nothing.']),
    '- In acceptance, give commands the project already has that succeed only when the job is done, such as its tests. Leave it empty when there are none.',
    '- thinking_level: low for looking and checking, medium for ordinary work, high for what is hard or dangerous.',
    skills.length === 0
      ? '- There are no skills to choose from; leave skills empty.'
      : '- Give a job the skills of the list below that help with it, if any.',
    ...(skills.length === 0
      ? []
      : [
          '',
          'Skills:',
          ...skills.map(
            ({ name, description }) => `- ${name}${description ? `: ${description.slice(0, 300)}` : ''}`,
          ),
        ]),
    '',
    'Do not call any delegate_* MCP tools.',
    '',
    'The task:',
    task,
    '',
  ].join('\n');
}

function repairPrompt(prompt: string, answer: string, problems: readonly string[]): string {
  return [
    prompt,
    'You have answered this before, and the plan could not be used. Give a corrected plan.',
    '',
    'What was wrong:',
    ...problems.slice(0, 20).map((problem) => `- ${problem}`),
    '',
    'What you had answered:',
    answer.slice(0, quotedAnswer),
    '',
  ].join('\n');
}
