import { resolve, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { type CheckOptions, type CheckResult, runChecks } from './acceptance.ts';
import { answerSchema } from './answer.ts';
import type { JobResult, Patch } from './autopilot-output.ts';
import { type Evidence, type FileEvidence, plainPath } from './evidence.ts';
import { jobPrompt } from './job-prompt.ts';
import type { JobSpec } from './job-spec.ts';
import { readJson } from './json-file.ts';
import { patchFile } from './patch.ts';
import { loadRecord, type RunRecord } from './record.ts';
import type { RunAgent, RunHooks, RunRequest } from './run.ts';
import type { RunDirectory } from './run-directory.ts';
import { selectSkills } from './skill-selection.ts';
import type { IndexedSkill } from './skills.ts';
import { composePrompt } from './subagent-prompt.ts';
import { LetGo } from './supervisor.ts';
import { Worktree } from './worktree.ts';
import { scopesOverlap } from './write-scope.ts';

export interface JobRunnerOptions {
  /** The autopilot's own directory; each job gets one in it. */
  readonly directory: RunDirectory;
  /** What the caller asked for as a whole. */
  readonly task: string;
  readonly cwd: string;
  readonly skipGitRepoCheck: boolean;
  readonly skills: readonly IndexedSkill[];
  /** The jobs that work in a tree of their own. */
  readonly isolated: ReadonlySet<string>;
  readonly checks: Pick<CheckOptions, 'allowed' | 'confine' | 'timeoutMs' | 'env'>;
  readonly run: RunAgent;
  readonly signal: AbortSignal;
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
    const startedAt = new Date();
    const listener = this.#options.listen(job);
    let status = 'failed';
    try {
      const result = await this.#attempt(job, before, listener);
      status = result.status;
      return result;
    } catch (error) {
      if (error instanceof LetGo) throw error;
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
    const { directory, cwd, checks } = this.#options;
    const subrun = await directory.createSubrun(job.id);
    await subrun.writeJson('request.json', {
      tool: 'delegate_autopilot',
      received_at: new Date().toISOString(),
      job,
    });
    const worktree = this.#options.isolated.has(job.id)
      ? await Worktree.create(cwd, resolve(directory.path, 'worktrees', job.id), checks.env)
      : undefined;
    const place = worktree?.folder ?? cwd;
    const leave = this.#enter(job, worktree === undefined);
    try {
      const request = await this.#request(job, before, subrun, place);
      const run = await this.#options.run(request, { ...listener, signal: this.#options.signal });
      const record = await loadRecord(subrun.path, subrun.id, run);
      if (record === undefined) throw new Failure('unavailable', `The run directory ${subrun.path} is gone.`);
      const told = run.lastMessage?.trim() ? record : { ...record, summary: `${job.title} finished.` };
      const judged = await this.#check(job, this.#asJob(job, told, place, leave()), subrun, place);
      const delivered = worktree === undefined ? judged : await this.#deliver(judged, worktree, subrun);
      return { ...delivered, artifacts: await subrun.artifacts() };
    } finally {
      leave();
      await worktree?.remove();
    }
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
    const selection = selectSkills(
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

  #asJob(job: JobSpec, record: RunRecord, place: string, accompanied: boolean): JobResult {
    const { evidence, deliverables, open_questions } = record;
    const inPlace = (path: string) =>
      place === this.#options.cwd || !resolve(place, path).startsWith(place + sep)
        ? path
        : (plainPath(path, place) ?? path);
    const isOwn = ({ path }: FileEvidence) => scopesOverlap([path], job.writes);
    // What changed elsewhere while others were at work is more likely theirs.
    const files =
      evidence?.files.filter((file) => !accompanied || file.status !== 'unreported' || isOwn(file)) ?? [];
    const strays = files.filter((file) => file.change !== undefined && !isOwn(file)).map(({ path }) => path);
    return {
      ...record,
      id: job.id,
      title: job.title,
      deliverables: deliverables.map((one) => ({ ...one, path: inPlace(one.path) })),
      open_questions: [
        ...open_questions,
        ...(strays.length === 0
          ? []
          : [`${job.title} changed files that the plan did not give to it: ${strays.join(', ')}.`]),
      ],
      evidence: evidence && { ...evidence, files },
    };
  }

  /** Runs the acceptance checks; a job that does not pass them is not done, whatever its agent says. */
  async #check(job: JobSpec, result: JobResult, subrun: RunDirectory, place: string): Promise<JobResult> {
    if (result.status !== 'completed' || job.acceptance.length === 0) return result;
    const { checks: how, signal } = this.#options;
    const checks = await runChecks(job.acceptance, { ...how, cwd: place, sandbox: job.sandbox, signal });
    await subrun.writeJson('evidence.json', { ...(result.evidence ?? unseen), checks });
    // Read back, since on the way to the disk secrets have been taken out.
    const evidence = (await readJson(subrun.file('evidence.json'))) as Evidence | undefined;
    if (evidence === undefined) throw new Failure('unavailable', `The evidence of ${job.id} cannot be kept.`);
    const failures = checks.filter(({ status }) => status === 'failed' || status === 'timed-out');
    return failures.length === 0
      ? { ...result, evidence }
      : { ...result, evidence, status: 'failed', error: failures.map(complaint).join('; ') };
  }

  /** Brings what was done in a tree of its own into the common one. The work of a job that failed stays a patch. */
  async #deliver(result: JobResult, worktree: Worktree, subrun: RunDirectory): Promise<JobResult> {
    const path = subrun.file(patchFile);
    const wanted = result.status === 'completed';
    const { applied, conflicts, changes } = await worktree.merge(path, wanted);
    if (changes.length === 0) return result;
    const patch: Patch = { path, applied, conflicts };
    if (applied || !wanted) return { ...result, patch };
    return {
      ...result,
      patch,
      status: 'failed',
      error: `its changes do not fit the tree as it is now (${conflicts.join(', ')}); they are kept in ${path}`,
    };
  }
}

const unseen: Evidence = { method: 'walk', complete: false, files: [], omitted: 0 };

function complaint({ command, status, exit_code }: CheckResult): string {
  return status === 'timed-out'
    ? `the acceptance check "${command}" did not end in time`
    : `the acceptance check "${command}" failed${exit_code === null ? '' : ` with code ${exit_code}`}`;
}
