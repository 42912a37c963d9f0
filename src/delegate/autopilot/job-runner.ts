import { promises as disk } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { truncate } from '../../single-line.ts';
import { readJson } from '../process/json-file.ts';
import { answerSchema } from '../run/answer.ts';
import { loadRecord, notStartedRecord, type StoredRun } from '../run/run-record.ts';
import { describe } from '../run/run-report.ts';
import type { RunAgent, RunHooks, RunRequest } from '../run/run-request.ts';
import { timingSince, writeJob } from '../run/run-state.ts';
import { selectSkills } from '../run/skill-selection.ts';
import { type IndexedSkill, skillFolders } from '../run/skills.ts';
import { composePrompt } from '../run/subagent-prompt.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { releaseWorkspace, Workspace, workspaceFolder } from '../workspace/workspace.ts';
import type { JobResult } from './autopilot-output.ts';
import { type EndedJob, type JobOutcomeOptions, outcomeFile, recordJobOutcome } from './job-outcome.ts';
import type { JobSpec } from './plan.ts';

export interface JobRunnerOptions extends JobOutcomeOptions, JobRequestOptions {
  /** The autopilot's run directory, which contains the directories of its jobs. */
  readonly directory: RunDirectory;
  readonly run: RunAgent;
  /** True if the jobs work in one workspace, because their changes are not applied. */
  readonly sharesWorkspace: boolean;
  /** Creates the listener for the events of a job's agent. */
  listen(job: JobSpec): Omit<RunHooks, 'signal'> & { finished(status: string): void };
}

/** Runs the jobs of a plan, each in its own run directory. */
export class JobRunner {
  readonly #options: JobRunnerOptions;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  #jobPath(job: JobSpec): string {
    return resolve(this.#options.directory.path, 'subruns', job.id);
  }

  /** Runs a job. Errors become a failed result. */
  async run(job: JobSpec, dependencies: readonly JobResult[]): Promise<JobResult> {
    const listener = this.#options.listen(job);
    return this.#toResult(job, listener, () => this.#runAgent(job, dependencies, listener));
  }

  /** Finishes a job of a host that was killed if the job's agent had finished, otherwise runs the job again. */
  async resume(job: JobSpec, dependencies: readonly JobResult[]): Promise<JobResult> {
    const { directory } = this.#options;
    const path = this.#jobPath(job);
    const record = await loadRecord(path, `${directory.id}/${job.id}`);
    const outcome = await readJson(resolve(path, outcomeFile));
    if (outcome !== undefined) return outcome as unknown as JobResult;
    if (record === undefined || record.status === 'running' || neverStarted(record)) {
      const workspace = await Workspace.open(resolve(path, workspaceFolder), this.#options.checks.env);
      await workspace?.remove();
      await disk.rm(path, { recursive: true, force: true });
      return this.run(job, dependencies);
    }
    const subrun = await directory.createSubrun(job.id);
    return this.#toResult(job, this.#options.listen(job), () => this.#recordOutcome(job, record, subrun));
  }

  async #toResult(
    job: JobSpec,
    listener: ReturnType<JobRunnerOptions['listen']>,
    work: () => Promise<JobResult>,
  ): Promise<JobResult> {
    const startedAt = new Date();
    let status = 'failed';
    try {
      const result = await work();
      status = result.status;
      return result;
    } catch (error) {
      const { aborted, reason } = this.#options.signal;
      if (aborted && error === reason) {
        status = 'cancelled';
        const cancelled = this.emptyResult(job, 'cancelled', `${job.title} was cancelled.`, startedAt);
        return { ...cancelled, error: `cancelled: ${messageOf(reason)}` };
      }
      if (!(error instanceof Failure)) log('error', `job ${job.id} failed`, error);
      const failed = this.emptyResult(job, 'failed', `${job.title} finished.`, startedAt);
      return { ...failed, error: messageOf(error) };
    } finally {
      listener.finished(status);
    }
  }

  /** A result without any output from an agent. */
  emptyResult(job: JobSpec, status: JobResult['status'], summary: string, startedAt = new Date()): JobResult {
    return {
      ...notStartedRecord(''),
      id: job.id,
      title: job.title,
      run_id: `${this.#options.directory.id}/${job.id}`,
      run_dir: this.#jobPath(job),
      summary,
      status,
      error: null,
      timing: timingSince(startedAt),
    };
  }

  async #runAgent(
    job: JobSpec,
    dependencies: readonly JobResult[],
    listener: Omit<RunHooks, 'signal'>,
  ): Promise<JobResult> {
    const { directory, cwd, signal, stateDir } = this.#options;
    const subrun = await directory.createSubrun(job.id);
    await writeJob(subrun, job);
    try {
      const request = await createJobRequest(job, dependencies, subrun, cwd, this.#options);
      const isShared = this.#options.sharesWorkspace && job.sandbox !== 'danger-full-access';
      const shared = isShared ? { sharedBy: { id: directory.id, path: directory.path } } : {};
      const run = await this.#options.run({ ...request, ...shared }, { ...listener, signal });
      const record = await loadRecord(subrun.path, subrun.id, run);
      if (record === undefined)
        throw new Failure('unavailable', `The run directory ${subrun.path} was removed.`);
      const reported = run.lastMessage?.trim() ? record : { ...record, summary: `${job.title} finished.` };
      return await this.#recordOutcome(job, reported, subrun);
    } finally {
      if (job.sandbox === 'workspace-write') await releaseWorkspace(stateDir, subrun.id);
    }
  }

  /** Writes the outcome of an isolated job to disk, so that a crash does not lose it. */
  async #recordOutcome(job: JobSpec, record: StoredRun, subrun: RunDirectory): Promise<JobResult> {
    const { directory, sharesWorkspace, checks } = this.#options;
    const isShared = sharesWorkspace && job.sandbox !== 'danger-full-access';
    const workspace = await Workspace.open((isShared ? directory : subrun).file(workspaceFolder), checks.env);
    const ended: EndedJob = { job, record, subrun, workspace, isShared };
    const result = await recordJobOutcome(ended, this.#options);
    if (workspace !== undefined)
      await subrun
        .writeJson(outcomeFile, result)
        .catch((error: unknown) =>
          log('warning', `the outcome of job ${job.id} could not be written`, error),
        );
    return result;
  }

  /** Called when the autopilot's log contains the result, which makes the job's own file obsolete. */
  async deleteOutcomeFile(job: JobSpec): Promise<void> {
    await disk.rm(resolve(this.#jobPath(job), outcomeFile), { force: true });
  }
}

/** An agent without a thread has not done any work. */
function neverStarted({ status, subagent_thread_id }: StoredRun): boolean {
  return status === 'failed' && subagent_thread_id === null;
}

interface JobRequestOptions {
  /** The task of the whole autopilot. */
  readonly task: string;
  /** The working folder of the autopilot. */
  readonly cwd: string;
  readonly skills: readonly IndexedSkill[];
  readonly skipGitRepoCheck: boolean;
  /** True if writing jobs may ask people for permission. */
  readonly mayAsk: boolean;
  readonly approvalTimeoutMs: number | undefined;
}

/** Selects the skills for a job and composes the request for its agent. */
async function createJobRequest(
  job: JobSpec,
  dependencies: readonly JobResult[],
  subrun: RunDirectory,
  cwd: string,
  { task, skills, skipGitRepoCheck, mayAsk, approvalTimeoutMs }: JobRequestOptions,
): Promise<RunRequest> {
  const selection = await selectSkills(
    {
      mode: job.skills_mode === 'auto' && skills.length === 0 ? 'none' : job.skills_mode,
      task: `${job.title}\n${job.task}`,
      requested: job.skills ?? [],
      maxSkills: job.max_skills,
    },
    skills,
  );
  await subrun.writeJson('selected_skills.json', selection);
  if (selection.errors.length > 0) throw new Failure('refused', selection.errors.join('; '));
  return {
    directory: subrun,
    tool: 'delegate_autopilot',
    prompt: composePrompt({
      role: job.role,
      cwd,
      task: jobPrompt(job, task, dependencies),
      skills: selection.selected,
      context: `Autopilot job: ${job.title} (${job.id})`,
    }),
    outputSchema: answerSchema,
    cwd,
    sandbox: job.sandbox,
    approvals: mayAsk && job.sandbox === 'workspace-write' ? 'ask' : 'never',
    ...(approvalTimeoutMs !== undefined && { approvalTimeoutMs }),
    ...(job.agent !== undefined && { agent: job.agent }),
    ...(job.model !== undefined && { model: job.model }),
    ...(job.reasoning_effort !== undefined && { reasoningEffort: job.reasoning_effort }),
    configOverrides: job.config_overrides ?? [],
    skipGitRepoCheck,
    skills: job.skills_mode === 'auto' ? 'all' : 'named',
    reads: skillFolders(selection.selected),
  };
}

const limits = { summary: 4_000, items: 40, task: 8_000 };

/** A job's instructions, with the larger task and the results of the jobs it depends on as context. */
function jobPrompt(job: JobSpec, task: string, dependencies: readonly JobResult[]): string {
  const parts = [job.task];
  if (!job.task.includes(task)) {
    parts.push(
      `This is one part of a larger task. Do only your part; other agents do the rest. The larger task, for context:\n${truncate(task, limits.task)}`,
    );
  }
  if (dependencies.length > 0) {
    parts.push(
      ['Results of the jobs that yours depends on:', ...dependencies.map(formatResult)].join('\n\n'),
    );
  }
  if (job.acceptance.length > 0) {
    parts.push(`When you are done, your work is checked with: ${job.acceptance.join(' ; ')}`);
  }
  return parts.join('\n\n');
}

function formatResult({ id, title, summary, deliverables, open_questions, next_actions }: JobResult): string {
  return [
    `## ${title} (${id})`,
    truncate(summary, limits.summary),
    ...list('Deliverables', deliverables.map(describe)),
    ...list('Open questions', open_questions),
    ...list('Next actions', next_actions),
  ].join('\n');
}

function list(name: string, items: readonly string[]): string[] {
  return items.length === 0
    ? []
    : [`${name}:`, ...items.slice(0, limits.items).map((item) => `- ${truncate(item, 500)}`)];
}
