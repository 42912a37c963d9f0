import { promises as disk } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { Worktree, type WorktreeOptions } from '../changes/worktree.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { loadRecord, type RunRecord } from '../record/run-record.ts';
import type { RunAgent, RunHooks } from '../record/run-request.ts';
import type { JobResult } from './autopilot-output.ts';
import { type EndedJob, type JobOutcomeOptions, outcomeFile, recordJobOutcome } from './job-outcome.ts';
import { createJobRequest, type JobRequestOptions } from './job-request.ts';
import type { JobSpec } from './job-spec.ts';

export interface JobRunnerOptions extends JobOutcomeOptions, JobRequestOptions {
  /** The autopilot's run directory, which contains the directories of its jobs. */
  readonly directory: RunDirectory;
  /** The jobs that work in their own worktree. */
  readonly isolated: ReadonlySet<string>;
  readonly locksDir: string;
  readonly run: RunAgent;
  /** Creates the listener for the events of a job's agent. */
  listen(job: JobSpec): Omit<RunHooks, 'signal'> & { finished(status: string): void };
}

/** Runs the jobs of a plan, each in its own run directory. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  /** The jobs that are writing to the shared tree, and whether another job wrote to it at the same time. */
  readonly #writers = new Map<string, { hadConcurrentWriters: boolean }>();

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
    const worktree = await Worktree.reopen(this.#worktreePath(job), this.#worktreeOptions).catch(
      () => undefined,
    );
    const outcome = await readJson(resolve(path, outcomeFile));
    if (outcome !== undefined) {
      await worktree?.remove();
      return outcome as unknown as JobResult;
    }
    if (record === undefined || record.status === 'running' || neverStarted(record)) {
      await worktree?.remove();
      await disk.rm(path, { recursive: true, force: true });
      return this.run(job, dependencies);
    }
    const subrun = await directory.createSubrun(job.id);
    return this.#toResult(job, this.#options.listen(job), async () => {
      const result = await this.#recordOutcome({ job, record, subrun, worktree, hadConcurrentWriters: true });
      await worktree?.remove();
      return result;
    });
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
    const now = new Date();
    return {
      id: job.id,
      title: job.title,
      run_id: `${this.#options.directory.id}/${job.id}`,
      run_dir: this.#jobPath(job),
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

  async #runAgent(
    job: JobSpec,
    dependencies: readonly JobResult[],
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
      ? await Worktree.create(cwd, this.#worktreePath(job), this.#worktreeOptions, signal)
      : undefined;
    const endWriting = this.#startWriting(job, worktree === undefined);
    let keepsWorktree = false;
    try {
      const folder = worktree?.folder ?? cwd;
      const request = await createJobRequest(job, dependencies, subrun, folder, this.#options);
      const run = await this.#options.run(request, { ...listener, signal });
      const record = await loadRecord(subrun.path, subrun.id, run);
      if (record === undefined)
        throw new Failure('unavailable', `The run directory ${subrun.path} was removed.`);
      const reported = run.lastMessage?.trim() ? record : { ...record, summary: `${job.title} finished.` };
      return await this.#recordOutcome({
        job,
        record: reported,
        subrun,
        worktree,
        hadConcurrentWriters: endWriting(),
      });
    } catch (error) {
      // Keep the worktree if it has the only copy of the changes.
      keepsWorktree = error instanceof UndeliveredWork;
      throw error;
    } finally {
      endWriting();
      if (!keepsWorktree) await worktree?.remove();
    }
  }

  /** Writes the outcome of an isolated job to disk before its worktree is removed, so that a crash does not lose it. */
  async #recordOutcome(ended: EndedJob): Promise<JobResult> {
    const result = await recordJobOutcome(ended, this.#options).catch((error: unknown) => {
      throw ended.worktree === undefined ? error : new UndeliveredWork(error, ended.worktree.folder);
    });
    if (ended.worktree !== undefined)
      await ended.subrun
        .writeJson(outcomeFile, result)
        .catch((error: unknown) =>
          log('warning', `the outcome of job ${ended.job.id} could not be written`, error),
        );
    return result;
  }

  /** Called when the autopilot's log contains the result, which makes the job's own file obsolete. */
  async deleteOutcomeFile(job: JobSpec): Promise<void> {
    await disk.rm(resolve(this.#jobPath(job), outcomeFile), { force: true });
  }

  get #worktreeOptions(): WorktreeOptions {
    const { checks, locksDir } = this.#options;
    return { env: checks.env, locksDir };
  }

  #worktreePath(job: JobSpec): string {
    return resolve(this.#options.directory.path, 'worktrees', job.id);
  }

  /** Registers a job that writes to the shared tree. The returned function unregisters it and reports concurrent writers. */
  #startWriting(job: JobSpec, isShared: boolean): () => boolean {
    if (!isShared || job.sandbox === 'read-only') return () => false;
    const own = { hadConcurrentWriters: this.#writers.size > 0 };
    for (const other of this.#writers.values()) other.hadConcurrentWriters = true;
    this.#writers.set(job.id, own);
    return () => {
      this.#writers.delete(job.id);
      return own.hadConcurrentWriters;
    };
  }
}

/** A job's changes could not be merged or saved as a patch. They exist only in the job's worktree. */
class UndeliveredWork extends Error {
  constructor(cause: unknown, folder: string) {
    super(`${messageOf(cause)}; the changes are still in ${folder}`, { cause });
  }
}

/** An agent without a thread has not done any work. */
function neverStarted({ status, subagent_thread_id }: RunRecord): boolean {
  return status === 'failed' && subagent_thread_id === null;
}
