import type { JsonSchema } from '../../json.ts';
import { narrowest } from '../agents/sandbox.ts';
import type { PlanSource } from './autopilot-output.ts';
import type { Decision, TaskShape } from './decision.ts';
import { onlyAgent, type Plan, type PlanBounds, type PlannedJob, parsePlan, planSchema } from './plan.ts';

/** The model's answer to a planning prompt. */
export interface PlannerAnswer {
  /** The raw text; `undefined` if the model did not answer. */
  readonly text: string | undefined;
  /** The parsed JSON; `undefined` if the text is not JSON. */
  readonly value: unknown;
  readonly error: string | null;
}

export interface PlannerTask {
  readonly task: string;
  readonly decision: Decision;
  readonly shape: TaskShape;
  readonly bounds: PlanBounds;
  /** The skills that the planner can choose from. */
  readonly skills: readonly { readonly name: string; readonly description?: string }[];
  readonly maxParallel: number;
  /** Asks the model. If absent, the fallback plan is used. */
  readonly ask?: (prompt: string, schema: JsonSchema, attempt: number) => Promise<PlannerAnswer>;
}

export interface Planned {
  readonly plan: Plan;
  readonly source: PlanSource;
  /** The problems of the plans that were rejected. */
  readonly problems: readonly string[];
}

const maxAttempts = 2;
const maxQuotedAnswer = 8_000;

/** Asks the model for a plan. An invalid plan is sent back once with its problems; after that the fallback plan is used. */
export async function makePlan(plannerTask: PlannerTask, signal: AbortSignal): Promise<Planned> {
  const { task, decision, shape, bounds, ask } = plannerTask;
  const schema = planSchema(bounds);
  const prompt = planPrompt(plannerTask);
  const problems: string[] = [];
  let nextPrompt = prompt;
  for (let attempt = 1; ask !== undefined && attempt <= maxAttempts && !signal.aborted; attempt++) {
    const answer = await ask(nextPrompt, schema, attempt);
    if (answer.text === undefined) {
      problems.push(`The planner returned no plan: ${answer.error ?? 'its answer was empty'}.`);
      break;
    }
    const parsed = await parsePlan(answer.value, bounds);
    if ('plan' in parsed) {
      return { plan: parsed.plan, source: attempt === 1 ? 'model' : 'repaired', problems };
    }
    problems.push(...parsed.problems);
    nextPrompt = repairPrompt(prompt, answer.text, parsed.problems);
  }
  return { plan: fallbackPlan(task, decision, shape, bounds), source: 'fallback', problems };
}

function planPrompt({ task, bounds, skills, maxParallel }: PlannerTask): string {
  const mayWrite = bounds.sandbox !== 'read-only';
  return [
    'Plan how sub-agents should carry out the task below. Look at the working folder as far as the plan requires; change nothing and do none of the work yourself.',
    '',
    `Working folder: ${bounds.cwd}`,
    `At most ${bounds.maxAgents} jobs, of which ${maxParallel} run at the same time. The widest sandbox a job may have is ${bounds.sandbox}.`,
    '',
    'Rules:',
    '- Set should_delegate to false, with no jobs, if one agent can do the task just as well.',
    '- Prefer jobs that can run in parallel to a chain. A job depends on another job only if it needs its result.',
    '- Give each job complete instructions: it sees nothing of this plan except the results of the jobs it depends on.',
    ...(mayWrite
      ? [
          '- A job that changes files has the sandbox workspace-write and lists in writes every file it will create or change; jobs that run in parallel must not share any. A job that only reads has the sandbox read-only and writes nothing.',
          '- A job that runs tests or builds needs workspace-write too.',
        ]
      : ['- All jobs are read-only and write nothing.']),
    '- In acceptance, list commands that the project already has and that succeed only when the job is done, such as its tests. Leave it empty if there are none.',
    '- thinking_level: low for reading and checking, medium for ordinary work, high for difficult or risky work.',
    ...(bounds.agents.length > 1
      ? [`- agent: the program that does the job, one of ${bounds.agents.join(', ')}.`]
      : []),
    skills.length === 0
      ? '- There are no skills to choose from; leave skills empty.'
      : '- Give each job the skills from the list below that help with it, if any.',
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
    'Your previous plan was invalid. Return a corrected plan.',
    '',
    'Problems:',
    ...problems.slice(0, 20).map((problem) => `- ${problem}`),
    '',
    'Your previous answer:',
    answer.slice(0, maxQuotedAnswer),
    '',
  ].join('\n');
}

/** The plan without a model: scan, implement and verify, reduced to the number of agents allowed. */
export function fallbackPlan(task: string, decision: Decision, shape: TaskShape, bounds: PlanBounds): Plan {
  const { role, maxAgents, sandbox } = bounds;
  const isHard =
    shape.length >= 400 ||
    shape.clauses >= 4 ||
    shape.categories.length >= 3 ||
    shape.categories.some((category) => category === 'security' || category === 'research');
  const agent = onlyAgent(bounds);
  const common = { role, ...(agent && { agent }), writes: [], skills: undefined, acceptance: [] };
  const scan: PlannedJob = {
    ...common,
    id: 'scan',
    title: 'Repo scan + approach',
    thinking_level: 'low',
    role: 'specialist',
    task: `Prepare the following task; do not change anything. Find the files, conventions, tests and risks that matter for it and propose an approach that another agent can follow without looking again.\n\nThe task:\n${task}`,
    sandbox: 'read-only',
    depends_on: [],
  };
  const implement: PlannedJob = {
    ...common,
    id: 'implement',
    title: 'Implement requested change',
    thinking_level: isHard ? 'high' : 'medium',
    task,
    sandbox,
    depends_on: maxAgents >= 2 ? ['scan'] : [],
  };
  const verify: PlannedJob = {
    ...common,
    id: 'verify',
    title: 'Verify via tests/lint/build',
    thinking_level: 'low',
    role: 'specialist',
    // Tests and builds write caches and output files, so a read-only sandbox would break them.
    sandbox: narrowest(sandbox, 'workspace-write'),
    task: `Verify that the following task has been done; do not repair anything. Run the tests, linters and builds that the project has and that matter here, and report what failed, word for word, and what of the task is missing.\n\nThe task:\n${task}`,
    depends_on: ['implement'],
    skills: [],
  };
  return {
    decision,
    jobs: [...(maxAgents >= 2 ? [scan] : []), implement, ...(maxAgents >= 3 ? [verify] : [])],
  };
}
