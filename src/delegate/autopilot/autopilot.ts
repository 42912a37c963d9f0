import { promises as disk } from 'node:fs';
import { type JsonSchema, messageOf } from '../../json.ts';
import type { AgentName, Usage } from '../agents/agent.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import type { CheckOptions } from '../changes/acceptance.ts';
import { scopesOverlap } from '../changes/write-scope.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { describeEvent } from '../record/event-lines.ts';
import type { RunAgent } from '../record/run-request.ts';
import type { AutopilotSettings, WorktreeRule } from '../settings/autopilot-settings.ts';
import { selectSkills, uniqueByName } from '../skills/skill-selection.ts';
import { asSkill, discoverSkills, type IndexedSkill } from '../skills/skills.ts';
import { AutopilotLog } from './autopilot-log.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import { type AutopilotState, deleteState, saveState } from './autopilot-state.ts';
import { type ComparisonRequest, candidateJobs, decisionFor } from './comparison.ts';
import { type Decision, measureTask } from './decision.ts';
import { areOrdered, runGraph } from './job-graph.ts';
import { JobRunner, type JobRunnerOptions } from './job-runner.ts';
import { type JobSpec, specify } from './job-spec.ts';
import type { PlanBounds, PlannedJob } from './plan.ts';
import { makePlan, type Planned, type PlannerAnswer } from './planner.ts';

/** What the autopilot needs from its surroundings. */
export interface AutopilotPorts {
  readonly settings: AutopilotSettings;
  readonly codexHome: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  readonly run: RunAgent;
  /** The configured agent. */
  readonly agent: AgentName;
  /** Those of these agents whose programs are installed. */
  available(names: readonly AgentName[]): Promise<readonly AgentName[]>;
  readonly confine: CheckOptions['confine'];
  readonly listen: JobRunnerOptions['listen'];
  readonly signal: AbortSignal;
  /** True if the cancellation of the whole autopilot was requested, also by another server. */
  isCancelled(): boolean;
}

/** A checked tool call: task and role are expanded and the sandbox is granted. */
export interface AutopilotRequest {
  readonly input: AutopilotInput;
  readonly task: string;
  readonly role: string;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  readonly warnings: readonly string[];
  /** True if its writing jobs may ask people for permission to leave their sandbox. */
  readonly mayAsk?: boolean;
  /** Present if several agents do the whole task, and the best result is chosen. */
  readonly comparison?: ComparisonRequest;
}

/** Decides whether to delegate, makes a plan, runs its jobs and aggregates their results. */
export class Autopilot {
  readonly #directory: RunDirectory;
  readonly #request: AutopilotRequest;
  readonly #ports: AutopilotPorts;
  readonly #log: AutopilotLog;
  readonly #planning: AutopilotPlanning;
  #skills: readonly IndexedSkill[] = [];

  constructor(directory: RunDirectory, request: AutopilotRequest, ports: AutopilotPorts) {
    this.#directory = directory;
    this.#request = request;
    this.#ports = ports;
    this.#log = new AutopilotLog(directory, request.cwd, decisionFor(request), request.warnings);
    this.#planning = new AutopilotPlanning(directory, request, ports);
  }

  async run(hosts = 1): Promise<AutopilotOutput> {
    const refusal = this.#log.decision.should_delegate ? await this.#prepare() : undefined;
    await this.#log.writePlan();
    const { plannerUsage, jobs } = this.#log;
    await saveState(this.#directory, { request: this.#request, plannerUsage, hosts }, jobs);
    await this.#log.addEvent(this.#describePlan());
    return this.#finish(refusal);
  }

  /** Continues after the last recorded step of a host that was killed. */
  async resume(
    loaded: AutopilotOutput,
    { plannerUsage, hosts, request }: AutopilotState,
  ): Promise<AutopilotOutput> {
    await saveState(this.#directory, { request, plannerUsage, hosts: hosts + 1 });
    const warning = 'The process of the autopilot was killed; another one continued its work.';
    await this.#log.addEvent('continued by another process');
    if (loaded.plan.jobs.length === 0) {
      await disk.rm(this.#directory.file('planner'), { recursive: true, force: true });
      this.#log.warnings.push(warning);
      return this.run(hosts + 1);
    }
    this.#log.restore(loaded, plannerUsage);
    if (!this.#log.warnings.includes(warning)) this.#log.warnings.push(warning);
    this.#skills = uniqueByName(await this.#planning.discoverSkills());
    return this.#finish();
  }

  async #finish(refusal?: string): Promise<AutopilotOutput> {
    if (this.#log.jobs.length > 0) await this.#runJobs();
    const { aborted, reason } = this.#ports.signal;
    const { comparison } = this.#request;
    if (comparison !== undefined && !aborted && !this.#ports.isCancelled()) {
      const { concludeComparison } = await import('./comparison-end.ts');
      await concludeComparison(this.#log, comparison, this.#directory, this.#request, this.#ports);
    }
    const output = await this.#log.finish(
      aborted || this.#ports.isCancelled(),
      aborted ? messageOf(reason) : undefined,
      refusal,
    );
    await deleteState(this.#directory);
    return output;
  }

  /** Finds the skills and makes the plan. Returns the reason if the requested skills do not exist. */
  async #prepare(): Promise<string | undefined> {
    const skills = await this.#planning.discoverSkills();
    this.#skills = uniqueByName(skills);
    const { errors, warnings } = await this.#planning.checkRequestedSkills(skills);
    this.#log.warnings.push(...warnings);
    if (errors.length > 0) return errors.join('; ');
    const { comparison } = this.#request;
    if (comparison !== undefined) {
      this.#log.jobs = candidateJobs(this.#request, comparison, this.#ports.agent);
      return undefined;
    }
    this.#adopt(await this.#planning.plan(this.#log.decision, skills));
    return undefined;
  }

  #adopt({ plan, source, problems }: Planned): void {
    const { input } = this.#request;
    const { models, efforts } = this.#ports.settings;
    const skills = {
      skillsMode: input.skills_mode,
      skills: input.skills ?? [],
      maxSkills: input.max_skills,
    };
    this.#log.plannerUsage.push(...this.#planning.usage);
    this.#log.decision = plan.decision;
    this.#log.jobs = plan.jobs.map((job) =>
      specify(job, { ...skills, models, efforts, agent: this.#ports.agent }),
    );
    this.#log.source = source;
    this.#log.warnings.push(...problems.map((problem) => `Plan: ${problem}`));
  }

  async #runJobs(): Promise<void> {
    const { input, task, cwd, comparison, mayAsk = false } = this.#request;
    const { settings, run, confine, env, stateDir } = this.#ports;
    const { jobs } = this.#log;
    // Candidates must not see each other's work.
    const rule = comparison === undefined ? (input.worktrees ?? settings.worktrees) : 'always';
    const isolated = jobsToIsolate(jobs, rule);
    const allowed = comparison === undefined ? settings.checks : 'all';
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#ports.signal, stop.signal]);
    const runner = new JobRunner({
      directory: this.#directory,
      task,
      cwd,
      skipGitRepoCheck: input.skip_git_repo_check,
      skills: this.#skills,
      mayAsk,
      isolated,
      onlyKeeps: comparison !== undefined,
      checks: { allowed, confine, timeoutMs: settings.checkTimeoutMs, env },
      stateDir,
      run,
      signal,
      listen: (job) => this.#listen(job),
    });
    const known = new Map(this.#log.results.map((result) => [result.id, result]));
    const started = new Set(
      [...known.values()].filter(({ status }) => status === 'running').map(({ id }) => id),
    );
    const finished = [...known].filter(([, { status }]) => status !== 'waiting' && status !== 'running');
    await this.#log.recordResults(
      ...jobs.filter(({ id }) => !known.has(id)).map((job) => runner.emptyResult(job, 'waiting', 'Waiting.')),
    );
    const writesToSharedTree = (job: JobSpec) => job.sandbox !== 'read-only' && !isolated.has(job.id);
    await runGraph<JobSpec, JobResult>({
      jobs,
      maxParallel: Math.floor(input.max_parallel),
      conflicts: (one, other) =>
        writesToSharedTree(one) && writesToSharedTree(other) && scopesOverlap(one.writes, other.writes),
      signal,
      known: new Map(finished),
      run: async (job, dependencies) => {
        await this.#log.recordResults(runner.emptyResult(job, 'running', 'Running.'));
        await this.#log.addEvent(`${job.id}: started`);
        const result = await (started.has(job.id)
          ? runner.resume(job, dependencies)
          : runner.run(job, dependencies));
        // The request of another server may only have reached the job.
        if (result.status === 'cancelled' && this.#ports.isCancelled())
          stop.abort(new Error(result.error ?? 'cancelled'));
        return result;
      },
      skip: (job, blockedBy) =>
        runner.emptyResult(
          job,
          'skipped',
          blockedBy === undefined ? 'Skipped due to cancellation.' : this.#explainSkip(blockedBy),
        ),
      // A job whose changes conflict has not delivered what the next jobs need.
      isDone: ({ status, patch }) => status.startsWith('completed') && (patch?.conflicts.length ?? 0) === 0,
      onResult: async (job, result) => {
        const { id } = job;
        await this.#log.recordResults(result);
        await runner.deleteOutcomeFile(job);
        await this.#log.addEvent(
          `${id}: ${result.status}${result.error === null ? '' : ` (${result.error})`}`,
        );
      },
    });
  }

  #describePlan(): string {
    const { decision, jobs, source } = this.#log;
    if (jobs.length === 0) return `not delegated: ${decision.reason}`;
    return `${jobs.length} jobs (${source}): ${jobs.map(({ id, title }) => `${id} (${title})`).join(', ')}`;
  }

  /** Reports a job's events to the caller, and also adds them to the autopilot's own events. */
  #listen(job: JobSpec): ReturnType<JobRunnerOptions['listen']> {
    const listener = this.#ports.listen(job);
    return {
      ...listener,
      onEvent: (event) => {
        listener.onEvent?.(event);
        if (recordedKinds.has(event.kind)) void this.#log.addEvent(`${job.id}: ${describeEvent(event)}`);
      },
    };
  }

  #explainSkip(blockedBy: string): string {
    const { title, status } = this.#log.results.find(({ id }) => id === blockedBy)!;
    return `Skipped because ${title} (${blockedBy}) ${status === 'skipped' ? 'was skipped' : 'did not complete'}.`;
  }
}

/** The events of jobs that are repeated in the log of the autopilot. */
const recordedKinds = new Set(['item', 'approval', 'answered', 'steered', 'interrupted']);

type Job = Pick<PlannedJob, 'id' | 'depends_on' | 'sandbox' | 'writes'>;

/** The ids of the jobs that get an isolated view of the folder. With `overlap`, writers that may change the same files in parallel. */
export function jobsToIsolate(jobs: readonly Job[], rule: WorktreeRule): ReadonlySet<string> {
  const writers = jobs.filter(({ sandbox }) => sandbox !== 'read-only');
  const mayConflict = (one: Job, other: Job) =>
    one !== other && !areOrdered(jobs, one.id, other.id) && scopesOverlap(one.writes, other.writes);
  const isolated = {
    never: () => [],
    overlap: () => writers.filter((job) => writers.some((other) => mayConflict(job, other))),
    always: () => writers,
  }[rule]();
  return new Set(isolated.map(({ id }) => id));
}

/** How many skills the planner can choose from. */
const shortlistLength = 12;

/** Finds the skills for an autopilot and makes its plan. */
class AutopilotPlanning {
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
