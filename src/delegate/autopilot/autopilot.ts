import { promises as disk } from 'node:fs';
import type { JsonSchema } from '../../json.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import type { CheckOptions } from '../changes/acceptance.ts';
import { Repository } from '../changes/git.ts';
import { scopesOverlap } from '../changes/write-scope.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { describeEvent } from '../record/event-lines.ts';
import type { RunAgent } from '../record/run-request.ts';
import type { AutopilotSettings } from '../settings/autopilot-settings.ts';
import { selectSkills, uniqueByName } from '../skills/skill-selection.ts';
import { asSkill, discoverSkills, type IndexedSkill } from '../skills/skills.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import { decide, shapeOf } from './decision.ts';
import { AutopilotLog } from './autopilot-log.ts';
import { deleteState, type AutopilotState, saveState } from './autopilot-state.ts';
import { jobsToIsolate } from './isolation.ts';
import { runGraph } from './job-graph.ts';
import { JobRunner, type JobRunnerOptions } from './job-runner.ts';
import { type JobSpec, specify } from './job-spec.ts';
import type { PlanBounds } from './plan.ts';
import { makePlan, type Planned, type PlannerAnswer } from './planner.ts';

/** What the autopilot is given to work with. */
export interface AutopilotPorts {
  readonly settings: AutopilotSettings;
  readonly codexHome: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly locksDir: string;
  readonly run: RunAgent;
  readonly confine: CheckOptions['confine'];
  readonly listen: JobRunnerOptions['listen'];
  readonly signal: AbortSignal;
}

/** The wish of a caller, with everything settled that is not the plan's to decide. */
export interface AutopilotRequest {
  readonly input: AutopilotInput;
  readonly task: string;
  readonly role: string;
  readonly cwd: string;
  /** Already granted. */
  readonly sandbox: Sandbox;
  readonly warnings: readonly string[];
}

/** How many skills a planner is offered. */
const shortlistLength = 12;

/** Decides, plans, runs the jobs and gathers what they came to. */
export class Autopilot {
  readonly #directory: RunDirectory;
  readonly #flight: AutopilotRequest;
  readonly #ports: AutopilotPorts;
  readonly #log: AutopilotLog;
  #skills: readonly IndexedSkill[] = [];

  constructor(directory: RunDirectory, flight: AutopilotRequest, ports: AutopilotPorts) {
    this.#directory = directory;
    this.#flight = flight;
    this.#ports = ports;
    this.#log = new AutopilotLog(directory, flight.cwd, decide(flight.task), flight.warnings);
  }

  async fly(): Promise<AutopilotOutput> {
    const refusal = this.#log.decision.should_delegate ? await this.#prepare() : undefined;
    await this.#log.writePlan();
    const { plannerUsage, jobs } = this.#log;
    await saveState(this.#directory, { flight: this.#flight, plannerUsage, servers: 1 }, jobs);
    await this.#log.tell(this.#announcement());
    return this.#finish(refusal);
  }

  /** From where another server had to stop. */
  async resumeAutopilot(
    left: AutopilotOutput,
    { plannerUsage, servers, flight }: AutopilotState,
  ): Promise<AutopilotOutput> {
    this.#log.resume(left, plannerUsage);
    const warning = 'Its server ended while it was at work; another one went on with it.';
    if (!this.#log.warnings.includes(warning)) this.#log.warnings.push(warning);
    await saveState(this.#directory, { flight, plannerUsage, servers: servers + 1 });
    await this.#log.tell('gone on with after the end of its server');
    await this.#discover();
    return this.#finish();
  }

  async #finish(refusal?: string): Promise<AutopilotOutput> {
    if (this.#log.jobs.length > 0) await this.#runJobs();
    const someone = this.#log.results.some(({ status }) => status === 'cancelled');
    const output = await this.#log.finish(this.#ports.signal.aborted || someone, refusal);
    await deleteState(this.#directory);
    return output;
  }

  async #discover(): Promise<readonly IndexedSkill[]> {
    const { input, cwd } = this.#flight;
    const { roots, skills } = await discoverSkills({
      ...this.#ports,
      cwd,
      includeRepo: input.include_repo_skills,
      includeGlobal: input.include_global_skills,
    });
    await this.#directory.writeJson('skills_index.json', { roots, skills: skills.map(asSkill) });
    this.#skills = uniqueByName(skills);
    return skills;
  }

  /** Skills and plan; or the reason why there can be none. */
  async #prepare(): Promise<string | undefined> {
    const { input, task } = this.#flight;
    const skills = await this.#discover();
    if (input.skills_mode === 'explicit') {
      const wish = {
        mode: 'explicit',
        task,
        requested: input.skills ?? [],
        maxSkills: input.max_skills,
      } as const;
      const { errors, warnings } = await selectSkills(wish, skills);
      this.#log.warnings.push(...warnings);
      if (errors.length > 0) return errors.join('; ');
    }
    this.#adopt(await this.#plan());
    return undefined;
  }

  async #plan(): Promise<Planned> {
    const { input, task, cwd, role, sandbox } = this.#flight;
    const { settings, signal } = this.#ports;
    const skills = await this.#shortlist();
    const shortlist = skills.map(({ name }) => name);
    const bounds: PlanBounds = { cwd, role, maxAgents: Math.floor(input.max_agents), sandbox, shortlist };
    return makePlan(
      {
        task,
        decision: this.#log.decision,
        shape: shapeOf(task),
        bounds,
        skills,
        maxParallel: input.max_parallel,
        ...(settings.planner === 'model' && { ask: (...asked) => this.#ask(...asked) }),
      },
      signal,
    );
  }

  /** The skills a plan may hand out. What the caller insists on goes to every job and is no choice. */
  async #shortlist(): Promise<IndexedSkill[]> {
    const { input, task } = this.#flight;
    if (input.skills_mode !== 'auto' || input.max_skills < 1) return [];
    const { rankSkills } = await import('../skills/skill-ranking.ts');
    const ranked = await rankSkills(task, this.#skills);
    return ranked.slice(0, shortlistLength).map(({ skill }) => skill);
  }

  /** One call that can only read and leaves no thread behind. */
  async #ask(prompt: string, outputSchema: JsonSchema, attempt: number): Promise<PlannerAnswer> {
    const { run, settings, signal } = this.#ports;
    const { cwd, input } = this.#flight;
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
        skills: 'named',
        disable: ['multi_agent', 'goals'],
        totalTimeoutMs: settings.plannerTimeoutMs,
      },
      { signal },
    );
    this.#log.plannerUsage.push(usage);
    return { text: lastMessage, value: answer ?? asValue(lastMessage), error };
  }

  #adopt({ plan, source, problems }: Planned): void {
    const { input } = this.#flight;
    const { models, efforts } = this.#ports.settings;
    const wish = { skillsMode: input.skills_mode, skills: input.skills ?? [], maxSkills: input.max_skills };
    this.#log.decision = plan.decision;
    this.#log.jobs = plan.jobs.map((job) => specify(job, { ...wish, models, efforts }));
    this.#log.source = source;
    this.#log.warnings.push(...problems.map((problem) => `Plan: ${problem}`));
  }

  async #runJobs(): Promise<void> {
    const { input, task, cwd } = this.#flight;
    const { settings, run, confine, env, locksDir } = this.#ports;
    const { jobs } = this.#log;
    const isolated = await this.#isolated();
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#ports.signal, stop.signal]);
    const runner = new JobRunner({
      directory: this.#directory,
      task,
      cwd,
      skipGitRepoCheck: input.skip_git_repo_check,
      skills: this.#skills,
      isolated,
      checks: { allowed: settings.checks, confine, timeoutMs: settings.checkTimeoutMs, env },
      locksDir,
      run,
      signal,
      listen: (job) => this.#listen(job),
    });
    const known = new Map(this.#log.results.map((result) => [result.id, result]));
    const begun = new Set(
      [...known.values()].filter(({ status }) => status === 'running').map(({ id }) => id),
    );
    const ended = [...known].filter(([, { status }]) => status !== 'waiting' && status !== 'running');
    await this.#log.note(
      ...jobs.filter(({ id }) => !known.has(id)).map((job) => runner.blank(job, 'waiting', 'Waiting.')),
    );
    const writesToTree = (job: JobSpec) => job.sandbox !== 'read-only' && !isolated.has(job.id);
    await runGraph<JobSpec, JobResult>({
      jobs,
      maxParallel: Math.floor(input.max_parallel),
      clash: (one, other) =>
        writesToTree(one) && writesToTree(other) && scopesOverlap(one.writes, other.writes),
      signal,
      known: new Map(ended),
      run: async (job, before) => {
        await this.#log.note(runner.blank(job, 'running', 'Running.'));
        await this.#log.tell(`${job.id}: started`);
        const result = await (begun.has(job.id) ? runner.takeUp(job, before) : runner.run(job, before));
        // Whoever cancels one job by itself means the whole.
        if (result.status === 'cancelled') stop.abort(new Error(result.error ?? 'cancelled'));
        return result;
      },
      skip: (job, by) =>
        runner.blank(job, 'skipped', by === undefined ? 'Skipped due to cancellation.' : this.#because(by)),
      isDone: ({ status }) => status === 'completed',
      onResult: async (job, result) => {
        const { id } = job;
        await this.#log.note(result);
        await runner.noted(job);
        await this.#log.tell(`${id}: ${result.status}${result.error === null ? '' : ` (${result.error})`}`);
      },
    });
    await disk.rmdir(this.#directory.file('worktrees')).catch(() => {});
  }

  #announcement(): string {
    const { decision, jobs, source } = this.#log;
    if (jobs.length === 0) return `not delegated: ${decision.reason}`;
    return `${jobs.length} jobs (${source}): ${jobs.map(({ id, title }) => `${id} (${title})`).join(', ')}`;
  }

  /** What a job's agent does is heard by the caller, and by whoever watches the whole. */
  #listen(job: JobSpec): ReturnType<JobRunnerOptions['listen']> {
    const told = this.#ports.listen(job);
    return {
      ...told,
      onEvent: (event) => {
        told.onEvent?.(event);
        if (event.kind === 'item') void this.#log.tell(`${job.id}: ${describeEvent(event)}`);
      },
    };
  }

  #because(id: string): string {
    const { title, status } = this.#log.results.find((one) => one.id === id)!;
    return `Skipped because ${title} (${id}) ${status === 'skipped' ? 'was skipped' : 'did not complete'}.`;
  }

  /** The jobs with a tree of their own, where the folder is one that git can copy. */
  async #isolated(): Promise<ReadonlySet<string>> {
    const { input, cwd } = this.#flight;
    const wanted = jobsToIsolate(this.#log.jobs, input.worktrees ?? this.#ports.settings.worktrees);
    if (wanted.size === 0 || (await Repository.find(cwd, this.#ports.env)) !== undefined) return wanted;
    this.#log.warnings.push(`${cwd} is not in a git repository: jobs that write share it and take turns.`);
    return new Set();
  }
}

function asValue(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
