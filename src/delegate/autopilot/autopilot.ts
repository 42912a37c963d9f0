import { promises as disk } from 'node:fs';
import { messageOf } from '../../json.ts';
import { describeEvent } from '../run/event-lines.ts';
import { selectSkills, uniqueByName } from '../run/skill-selection.ts';
import { asSkill, discoverSkills, type IndexedSkill } from '../run/skills.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { AutopilotLog, type Refusal } from './autopilot-log.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';
import { type AutopilotState, deleteState, saveState } from './autopilot-record.ts';
import type { AutopilotPorts, AutopilotRequest } from './autopilot-request.ts';
import { candidateJobs } from './comparison.ts';
import { runGraph } from './job-graph.ts';
import { endSharedWorkspace } from './job-outcome.ts';
import { JobRunner, type JobRunnerOptions } from './job-runner.ts';
import { type JobSpec, type Plan, specify } from './plan.ts';
import { maxParallel, planTask } from './planner.ts';

/**
 * An autopilot is *planning* → *running* → *ended*. Each of its jobs is *waiting* → *running* → *completed*, *failed* or *cancelled*, or
 * *skipped* if a job that it depends on has not completed. Each step is on disk before the next one: if the host dies, another one
 * plans again or runs the jobs that have no result.
 */
export class Autopilot {
  readonly #directory: RunDirectory;
  readonly #request: AutopilotRequest;
  readonly #ports: AutopilotPorts;
  readonly #log: AutopilotLog;
  #skills: readonly IndexedSkill[] = [];

  constructor(directory: RunDirectory, request: AutopilotRequest, ports: AutopilotPorts) {
    this.#directory = directory;
    this.#request = request;
    this.#ports = ports;
    this.#log = new AutopilotLog(directory, request.cwd, request.warnings);
  }

  async run(hosts = 1): Promise<AutopilotOutput> {
    const refusal = await this.#prepare();
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
    this.#skills = uniqueByName(await this.#discoverSkills());
    return this.#finish();
  }

  async #finish(refusal?: Refusal): Promise<AutopilotOutput> {
    if (this.#log.jobs.length > 0) await this.#runJobs();
    const { comparison } = this.#request;
    if (comparison !== undefined && this.#cancellation() === undefined) {
      const { concludeComparison } = await import('./comparison-end.ts');
      await concludeComparison(this.#log, comparison, this.#directory, this.#request, this.#ports);
    }
    const { apply, task } = this.#request;
    if (apply !== undefined) {
      const isComplete = this.#log.results.every(({ status }) => status === 'completed');
      const end = apply === 'branch' && isComplete && this.#cancellation() === undefined ? 'branch' : 'keep';
      this.#log.warnings.push(...(await endSharedWorkspace(this.#directory, task, end, this.#ports)));
    }
    const output = await this.#log.finish(this.#cancellation(), refusal);
    await deleteState(this.#directory);
    return output;
  }

  /** Why the autopilot was cancelled. A request can end the planner or a job before it reaches the signal. */
  #cancellation(): string | undefined {
    const { signal } = this.#ports;
    return signal.aborted ? messageOf(signal.reason) : this.#ports.cancellationReason();
  }

  /** Finds the skills and makes the plan. Returns why there is none, unless the task needs none. */
  async #prepare(): Promise<Refusal | undefined> {
    const { task, plan, comparison } = this.#request;
    if (task.trim() === '' && plan === undefined) {
      this.#log.decision = { should_delegate: false, reason: 'Empty task.' };
      return undefined;
    }
    const skills = await this.#discoverSkills();
    this.#skills = uniqueByName(skills);
    const errors = await this.#checkRequestedSkills(skills);
    if (errors.length > 0)
      return {
        error: errors.join('; '),
        summary: 'Failed to select skills; codex exec was not started.',
        next_actions: ['Fix skill selection errors (skills_mode/skills names) and retry'],
      };
    if (comparison !== undefined) {
      const reason = `${comparison.candidates.length} candidates do the same task.`;
      this.#log.decision = { should_delegate: true, reason };
      this.#log.jobs = candidateJobs(this.#request, comparison, this.#ports.agent);
      return undefined;
    }
    if (plan === undefined) return this.#askForPlan(skills);
    this.#adopt(plan);
    this.#log.source = 'caller';
    return undefined;
  }

  async #discoverSkills(): Promise<readonly IndexedSkill[]> {
    const { input, cwd, librarySkills: library } = this.#request;
    const { roots, skills } = await discoverSkills({
      ...this.#ports,
      cwd,
      library,
      includeRepo: input.include_repo_skills,
      includeGlobal: input.include_global_skills,
    });
    await this.#directory.writeJson('skills_index.json', { roots, skills: skills.map(asSkill) });
    return skills;
  }

  /** Checks that the skills named by the caller exist. */
  async #checkRequestedSkills(all: readonly IndexedSkill[]): Promise<readonly string[]> {
    const { task, input } = this.#request;
    const { skills_mode: mode, skills: requested = [], max_skills: maxSkills } = input;
    if (mode !== 'explicit') return [];
    const { errors, warnings } = await selectSkills({ mode, task, requested, maxSkills }, all);
    this.#log.warnings.push(...warnings);
    return errors;
  }

  async #askForPlan(skills: readonly IndexedSkill[]): Promise<Refusal | undefined> {
    const planned = await planTask(this.#directory, this.#request, this.#ports, skills);
    const { plan, source, problems, usage } = planned;
    this.#log.plannerUsage.push(...usage);
    this.#log.warnings.push(...problems.map((problem) => `Plan: ${problem}`));
    if (plan !== undefined) {
      this.#adopt(plan);
      this.#log.source = source;
      return undefined;
    }
    const error = `The task could not be planned. ${problems.join(' ')}`;
    this.#log.decision = { should_delegate: false, reason: error };
    return { error, summary: 'The task could not be planned; no job was started.', next_actions: [] };
  }

  #adopt(plan: Plan): void {
    const { input, role } = this.#request;
    const { settings, agent } = this.#ports;
    const setup = {
      ...settings,
      role,
      agent,
      skillsMode: input.skills_mode,
      skills: input.skills ?? [],
      maxSkills: input.max_skills,
    };
    this.#log.decision = plan.decision;
    this.#log.jobs = plan.jobs.map((job) => specify(job, setup));
  }

  async #runJobs(): Promise<void> {
    const { input, task, cwd, comparison, apply, mayAsk = false, approvalTimeoutMs } = this.#request;
    const { settings, run, confine, hiddenVariables, env, stateDir } = this.#ports;
    const { jobs } = this.#log;
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
      approvalTimeoutMs,
      applied: comparison !== undefined ? 'none' : this.#ports.isDocument ? 'all' : 'completed',
      sharesWorkspace: apply !== undefined,
      checks: { allowed, confine, timeoutMs: settings.checkTimeoutMs, env, hiddenVariables },
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
    await runGraph<JobSpec, JobResult>({
      jobs,
      maxParallel: maxParallel(input),
      // One workspace takes one job at a time. Without a sandbox, jobs write to the folder itself.
      conflicts: (one, other) =>
        apply !== undefined || [one, other].every(({ sandbox }) => sandbox === 'danger-full-access'),
      signal,
      known: new Map(finished),
      run: async (job, dependencies) => {
        await this.#log.recordResults(runner.emptyResult(job, 'running', 'Running.'));
        await this.#log.addEvent(`${job.id}: started`);
        const result = await (started.has(job.id)
          ? runner.resume(job, dependencies)
          : runner.run(job, dependencies));
        // The request of another server may only have reached the job.
        if (result.status === 'cancelled' && this.#ports.cancellationReason() !== undefined)
          stop.abort(new Error(result.error ?? 'cancelled'));
        return result;
      },
      skip: (job, blockedBy) =>
        runner.emptyResult(
          job,
          'skipped',
          blockedBy === undefined ? 'Skipped due to cancellation.' : this.#explainSkip(blockedBy),
        ),
      // A job whose changes conflict has not applied what the next jobs need.
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
