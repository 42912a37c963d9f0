import type { JsonSchema } from '../../json.ts';
import type { Usage } from '../agents/agent.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { selectSkills, uniqueByName } from '../skills/skill-selection.ts';
import { asSkill, discoverSkills, type IndexedSkill } from '../skills/skills.ts';
import type { AutopilotPorts, AutopilotRequest } from './autopilot.ts';
import { type Decision, measureTask } from './decision.ts';
import type { PlanBounds } from './plan.ts';
import { makePlan, type Planned, type PlannerAnswer } from './planner.ts';

/** How many skills the planner can choose from. */
const shortlistLength = 12;

/** Finds the skills for an autopilot and makes its plan. */
export class AutopilotPlanning {
  readonly #directory: RunDirectory;
  readonly #request: AutopilotRequest;
  readonly #ports: AutopilotPorts;
  /** The token usage of each call to the planner. */
  readonly usage: (Usage | null)[] = [];

  constructor(directory: RunDirectory, request: AutopilotRequest, ports: AutopilotPorts) {
    this.#directory = directory;
    this.#request = request;
    this.#ports = ports;
  }

  async discoverSkills(): Promise<readonly IndexedSkill[]> {
    const { input, cwd } = this.#request;
    const { roots, skills } = await discoverSkills({
      ...this.#ports,
      cwd,
      includeRepo: input.include_repo_skills,
      includeGlobal: input.include_global_skills,
    });
    await this.#directory.writeJson('skills_index.json', { roots, skills: skills.map(asSkill) });
    return skills;
  }

  /** Checks that the skills named by the caller exist. */
  async checkRequestedSkills(
    skills: readonly IndexedSkill[],
  ): Promise<{ readonly errors: readonly string[]; readonly warnings: readonly string[] }> {
    const { input, task } = this.#request;
    if (input.skills_mode !== 'explicit') return { errors: [], warnings: [] };
    return selectSkills(
      { mode: 'explicit', task, requested: input.skills ?? [], maxSkills: input.max_skills },
      skills,
    );
  }

  async plan(decision: Decision, discovered: readonly IndexedSkill[]): Promise<Planned> {
    const { input, task, cwd, role, sandbox } = this.#request;
    const { settings, signal, available } = this.#ports;
    const allowed = input.agents ?? settings.agents;
    const agents = await available(allowed);
    const missing = allowed.filter((name) => !agents.includes(name));
    const skills = await this.#shortlist(discovered);
    const shortlist = skills.map(({ name }) => name);
    const maxAgents = Math.floor(input.max_agents);
    const bounds: PlanBounds = { cwd, role, maxAgents, sandbox, agents, shortlist };
    const planned = await makePlan(
      {
        task,
        decision,
        shape: measureTask(task),
        bounds,
        skills,
        maxParallel: input.max_parallel,
        ...(settings.planner === 'model' && { ask: (...question) => this.#ask(...question) }),
      },
      signal,
    );
    const problems = missing.map((name) => `The agent ${name} is not installed.`);
    return { ...planned, problems: [...problems, ...planned.problems] };
  }

  /** The skills that the planner may assign. Skills named by the caller go to every job, so the planner has no choice. */
  async #shortlist(discovered: readonly IndexedSkill[]): Promise<IndexedSkill[]> {
    const { input, task } = this.#request;
    if (input.skills_mode !== 'auto' || input.max_skills < 1) return [];
    const { rankSkills } = await import('../skills/skill-ranking.ts');
    const ranked = await rankSkills(task, uniqueByName(discovered));
    return ranked.slice(0, shortlistLength).map(({ skill }) => skill);
  }

  /** Asks the model in a read-only run that leaves no thread behind. */
  async #ask(prompt: string, outputSchema: JsonSchema, attempt: number): Promise<PlannerAnswer> {
    const { run, settings, signal } = this.#ports;
    const { cwd, input } = this.#request;
    const { usage, lastMessage, answer, error } = await run(
      {
        directory: await this.#directory.createSubrun(`plan-${attempt}`, 'planner'),
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
    this.usage.push(usage);
    return { text: lastMessage, value: answer ?? parseJson(lastMessage), error };
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
