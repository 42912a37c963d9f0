import { promises as disk } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { Worktree, type WorktreeOptions } from '../changes/worktree.ts';
import { composePrompt } from '../delegation/subagent-prompt.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { answerSchema } from '../record/answer.ts';
import { loadRecord, type RunRecord } from '../record/run-record.ts';
import type { RunAgent, RunHooks, RunRequest } from '../record/run-request.ts';
import { RunReleased } from '../run/run-tracker.ts';
import { selectSkills } from '../skills/skill-selection.ts';
import type { IndexedSkill } from '../skills/skills.ts';
import type { JobResult } from './autopilot-output.ts';
import { type EndedJob, type JobOutcomeOptions, outcomeFile, recordJobOutcome } from './job-outcome.ts';
import { jobPrompt } from './job-prompt.ts';
import type { JobSpec } from './job-spec.ts';

export interface JobRunnerOptions extends JobOutcomeOptions {
  /** The autopilot's own directory; each job gets one in it. */
  readonly directory: RunDirectory;
  /** What the caller asked for as a whole. */
  readonly task: string;
  readonly skipGitRepoCheck: boolean;
  readonly skills: readonly IndexedSkill[];
  /** The jobs that work in a tree of their own. */
  readonly isolated: ReadonlySet<string>;
  readonly locksDir: string;
  readonly run: RunAgent;
  /** Who hears what the agent of a job does. */
  listen(job: JobSpec): Omit<RunHooks, 'signal'> & { finished(status: string): void };
}

/** Takes one job of a plan from its instructions to its result. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  /** Jobs at work in the common tree, with whether others have been at work there meanwhile. */
  readonly #writers = new Map<string, { accompanied: boolean }>();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  directoryOf(job: JobSpec): string {
    return resolve(this.#options.directory.path, 'subruns', job.id);
  }

  /** Whatever goes wrong is the job's result. It rejects only when this process is to follow the job no longer. */
  async run(job: JobSpec, before: readonly JobResult[]): Promise<JobResult> {
    const listener = this.#options.listen(job);
    return this.#watch(job, listener, () => this.#attempt(job, before, listener));
  }

  /** Goes on with a job that another server began and whose agent has ended since; one that never began is run. */
  async takeUp(job: JobSpec, before: readonly JobResult[]): Promise<JobResult> {
    const { directory } = this.#options;
    const path = this.directoryOf(job);
    const record = await loadRecord(path, `${directory.id}/${job.id}`);
    const tree = this.#treeOf(job);
    const worktree = await Worktree.reopen(tree, this.#treeOptions).catch(() => undefined);
    const settled = await readJson(resolve(path, outcomeFile));
    if (settled !== undefined) {
      await worktree?.remove();
      return settled as unknown as JobResult;
    }
    // An agent without a thread has not done anything.
    if (record === undefined || record.status === 'running' || isUnbegun(record)) {
      await worktree?.remove();
      await disk.rm(path, { recursive: true, force: true });
      return this.run(job, before);
    }
    const subrun = await directory.createSubrun(job.id);
    return this.#watch(job, this.#options.listen(job), async () => {
      const result = await this.#settle({ job, record, subrun, worktree, accompanied: true });
      await worktree?.remove();
      return result;
    });
  }

  async #watch(
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
      if (error instanceof RunReleased) throw error;
      const { aborted, reason } = this.#options.signal;
      if (aborted && error === reason) {
        status = 'cancelled';
        const cancelled = this.blank(job, 'cancelled', `${job.title} was cancelled.`, startedAt);
        return { ...cancelled, error: `cancelled: ${messageOf(reason)}` };
      }
      if (!(error instanceof Failure)) log('error', `the job ${job.id} broke off`, error);
      return { ...this.blank(job, 'failed', `${job.title} finished.`, startedAt), error: messageOf(error) };
    } finally {
      listener.finished(status);
    }
  }

  /** The result of a job that has not run. */
  blank(job: JobSpec, status: JobResult['status'], summary: string, startedAt = new Date()): JobResult {
    const now = new Date();
    return {
      id: job.id,
      title: job.title,
      run_id: `${this.#options.directory.id}/${job.id}`,
      run_dir: this.directoryOf(job),
      subagent_thread_id: null,
      selected_skills: [],
      summary,
      deliverables: [],
      open_questions: [],
      next_actions: [],
      artifacts: [],
      timing: {
        started_at: startedAt.toISOString(),
        finished_at: now.toISOString(),
        duration_ms: now.getTime() - startedAt.getTime(),
      },
      status,
      error: null,
      usage: null,
      evidence: null,
      warnings: [],
      ended_processes: [],
    };
  }

  async #attempt(
    job: JobSpec,
    before: readonly JobResult[],
    listener: Omit<RunHooks, 'signal'>,
  ): Promise<JobResult> {
    const { directory, cwd, signal } = this.#options;
    const subrun = await directory.createSubrun(job.id);
    await subrun.writeJson('request.json', {
      tool: 'delegate_autopilot',
      received_at: new Date().toISOString(),
      job,
    });
    const worktree = this.#options.isolated.has(job.id)
      ? await Worktree.create(cwd, this.#treeOf(job), this.#treeOptions, signal)
      : undefined;
    const place = worktree?.folder ?? cwd;
    const leave = this.#enter(job, worktree === undefined);
    let isLeft = false;
    try {
      const request = await this.#request(job, before, subrun, place);
      const run = await this.#options.run(request, { ...listener, signal });
      const record = await loadRecord(subrun.path, subrun.id, run);
      if (record === undefined) throw new Failure('unavailable', `The run directory ${subrun.path} is gone.`);
      const told = run.lastMessage?.trim() ? record : { ...record, summary: `${job.title} finished.` };
      return await this.#settle({ job, record: told, subrun, worktree, accompanied: leave() });
    } catch (error) {
      // Its agent goes on in its tree, or its work is nowhere else.
      isLeft = error instanceof RunReleased || error instanceof Unsettled;
      throw error;
    } finally {
      leave();
      if (!isLeft) await worktree?.remove();
    }
  }

  /** What came of it is written down before its tree goes, since nobody could tell any more afterwards. */
  async #settle(ended: EndedJob): Promise<JobResult> {
    const result = await recordJobOutcome(ended, this.#options).catch((error: unknown) => {
      throw ended.worktree === undefined ? error : new Unsettled(error, ended.worktree.folder);
    });
    if (ended.worktree !== undefined)
      await ended.subrun
        .writeJson(outcomeFile, result)
        .catch((error: unknown) => log('warning', `what came of ${ended.job.id} is not noted`, error));
    return result;
  }

  /** The result is in the log of the whole now. */
  async noted(job: JobSpec): Promise<void> {
    await disk.rm(resolve(this.directoryOf(job), outcomeFile), { force: true });
  }

  get #treeOptions(): WorktreeOptions {
    const { checks, locksDir } = this.#options;
    return { env: checks.env, locksDir };
  }

  #treeOf(job: JobSpec): string {
    return resolve(this.#options.directory.path, 'worktrees', job.id);
  }

  /** Notes who works in the common tree at the same time; the note is returned on leaving. */
  #enter(job: JobSpec, shared: boolean): () => boolean {
    if (!shared || job.sandbox === 'read-only') return () => false;
    const own = { accompanied: this.#writers.size > 0 };
    for (const other of this.#writers.values()) other.accompanied = true;
    this.#writers.set(job.id, own);
    return () => {
      this.#writers.delete(job.id);
      return own.accompanied;
    };
  }

  async #request(
    job: JobSpec,
    before: readonly JobResult[],
    subrun: RunDirectory,
    place: string,
  ): Promise<RunRequest> {
    const { cwd, task, skills, skipGitRepoCheck } = this.#options;
    const selection = await selectSkills(
      {
        mode: job.skills_mode === 'auto' && skills.length === 0 ? 'none' : job.skills_mode,
        task: `${job.title}\n${task}`,
        requested: job.skills ?? [],
        maxSkills: job.max_skills,
      },
      skills,
    );
    await subrun.writeJson('selected_skills.json', selection);
    if (selection.errors.length > 0) throw new Failure('refused', selection.errors.join('; '));
    const copied =
      place === cwd
        ? ''
        : `You work in a copy of ${cwd}. Where a path below it is meant, use the one below your working directory.\n\n`;
    return {
      directory: subrun,
      tool: 'delegate_autopilot',
      prompt: composePrompt({
        role: job.role,
        cwd: place,
        task: copied + jobPrompt(job, task, before),
        skills: selection.selected,
        context: `Autopilot job: ${job.title} (${job.id})`,
      }),
      outputSchema: answerSchema,
      cwd: place,
      sandbox: job.sandbox,
      ...(job.model !== undefined && { model: job.model }),
      configOverrides: job.config_overrides ?? [],
      skipGitRepoCheck,
      skills: job.skills_mode === 'auto' ? 'all' : 'named',
    };
  }
}

/** The work of a job could not be brought in or kept as a patch; it is only in the job's own tree. */
class Unsettled extends Error {
  constructor(cause: unknown, folder: string) {
    super(`${messageOf(cause)}; the work is left in ${folder}`, { cause });
  }
}

function isUnbegun({ status, subagent_thread_id }: RunRecord): boolean {
  return status === 'failed' && subagent_thread_id === null;
}
