import { type JsonSchema, parseJson } from '../../json.ts';
import type { Usage } from '../agents/agent.ts';
import { uniqueByName } from '../run/skill-selection.ts';
import type { IndexedSkill } from '../run/skills.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import type { AutopilotPorts, AutopilotRequest } from './autopilot-request.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import { type Plan, type PlanBounds, parsePlan, planSchema } from './plan.ts';

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
  readonly cwd: string;
  readonly bounds: PlanBounds;
  /** The skills that the planner can choose from. */
  readonly skills: readonly { readonly name: string; readonly description?: string }[];
  readonly maxParallel: number;
  ask(prompt: string, schema: JsonSchema, attempt: number): Promise<PlannerAnswer>;
}

export interface Planned {
  /** Absent if the model has returned no valid plan. */
  readonly plan?: Plan;
  readonly source: 'none' | 'model' | 'repaired';
  /** The problems of the plans that were rejected. */
  readonly problems: readonly string[];
}

const maxAttempts = 2;
const maxQuotedAnswer = 8_000;

/** Asks the model for a plan. An invalid plan is sent back once with its problems. */
export async function makePlan(plannerTask: PlannerTask, signal: AbortSignal): Promise<Planned> {
  const { bounds, ask } = plannerTask;
  const schema = planSchema(bounds);
  const prompt = planPrompt(plannerTask);
  const problems: string[] = [];
  let nextPrompt = prompt;
  for (let attempt = 1; attempt <= maxAttempts && !signal.aborted; attempt++) {
    const answer = await ask(nextPrompt, schema, attempt);
    if (answer.text === undefined) {
      problems.push(`The planner returned no plan: ${answer.error ?? 'its answer was empty'}.`);
      break;
    }
    const parsed = await parsePlan(answer.value, bounds);
    if ('plan' in parsed)
      return { plan: parsed.plan, source: attempt === 1 ? 'model' : 'repaired', problems };
    problems.push(...parsed.problems);
    nextPrompt = repairPrompt(prompt, answer.text, parsed.problems);
  }
  return { source: 'none', problems };
}

function planPrompt({ task, cwd, bounds, skills, maxParallel }: PlannerTask): string {
  const mayWrite = bounds.sandbox !== 'read-only';
  return [
    'Plan how sub-agents should carry out the task below. Look at the working folder as far as the plan requires; change nothing and do none of the work yourself.',
    '',
    `Working folder: ${cwd}`,
    `At most ${bounds.maxJobs} jobs, of which ${maxParallel} run at the same time. The widest sandbox a job may have is ${bounds.sandbox}.`,
    '',
    'Rules:',
    '- Split the task where its parts can be done separately. If one agent should do all of it, plan a single job.',
    '- Set should_delegate to false, with no jobs, only if starting an agent is not worth it: a question that can be answered at once, an edit of a few lines, or a task that is too unclear to begin. Say why in reason.',
    '- Prefer jobs that can run in parallel to a chain. A job depends on another job only if it needs its result.',
    '- Give each job complete instructions: it sees nothing of this plan except the results of the jobs it depends on.',
    '- Write reason, titles and instructions in the language of the task.',
    ...(mayWrite
      ? [
          '- A job that changes files, runs tests or builds has the sandbox workspace-write; a job that only reads has the sandbox read-only.',
          '- Each writing job works on its own copy of the folder, and its changes are applied when it ends. Name in its instructions the files it may change: jobs that can run at the same time must not change the same ones.',
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

/** How many agents work at the same time. */
export function maxParallel({ max_agents, max_parallel = max_agents }: AutopilotInput): number {
  return Math.floor(Math.min(max_agents, max_parallel));
}

/** How many skills the model can choose from. */
const shortlistLength = 20;

/** Lets the configured agent plan the jobs of a task. Returns the token usage of each of its runs too. */
export async function planTask(
  directory: RunDirectory,
  { input, task, cwd, sandbox }: AutopilotRequest,
  ports: AutopilotPorts,
  discovered: readonly IndexedSkill[],
): Promise<Planned & { readonly usage: readonly (Usage | null)[] }> {
  const { settings, signal, run, maxJobs = Math.floor(input.max_agents) } = ports;
  const allowed = input.agents ?? settings.agents;
  const agents = await ports.available(allowed);
  const missing = allowed.filter((name) => !agents.includes(name));
  // Skills named by the caller go to every job, so the planner has no choice.
  const skills =
    input.skills_mode === 'auto' && input.max_skills >= 1 ? await shortlist(task, discovered) : [];
  const bounds: PlanBounds = { maxJobs, sandbox, agents, shortlist: skills.map(({ name }) => name) };
  const usage: (Usage | null)[] = [];
  /** Asks the model in a read-only run that leaves no thread behind. */
  const ask: PlannerTask['ask'] = async (prompt, outputSchema, attempt) => {
    const result = await run(
      {
        directory: await directory.createSubrun(`plan-${attempt}`, 'planner'),
        tool: 'delegate_autopilot',
        prompt,
        outputSchema,
        cwd,
        sandbox: 'read-only',
        ...(settings.models.low !== undefined && { model: settings.models.low }),
        reasoningEffort: settings.efforts.low ?? 'low',
        skipGitRepoCheck: input.skip_git_repo_check,
        ephemeral: true,
        repairsAnswer: false,
        skills: 'named',
        disable: ['multi_agent', 'goals'],
        totalTimeoutMs: settings.plannerTimeoutMs,
      },
      { signal },
    );
    usage.push(result.usage);
    const { lastMessage: text, answer, error } = result;
    return { text, value: answer ?? parseJson(text ?? ''), error };
  };
  const planned = await makePlan({ task, cwd, bounds, skills, maxParallel: maxParallel(input), ask }, signal);
  const problems = missing.map((name) => `The agent ${name} is not installed.`);
  return { ...planned, problems: [...new Set([...problems, ...planned.problems])], usage };
}

/** The skills that the planner may assign. */
async function shortlist(task: string, discovered: readonly IndexedSkill[]): Promise<IndexedSkill[]> {
  const { rankSkills } = await import('../run/skill-ranking.ts');
  const skills = uniqueByName(discovered);
  const ranked = rankSkills(task, skills).map(({ skill }) => skill);
  // The words of a task in another language match no skill, but the model understands both.
  return [...new Set([...ranked, ...skills])].slice(0, shortlistLength);
}
