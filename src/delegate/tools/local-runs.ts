import { promises as disk, existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf, present } from '../../json.ts';
import { log } from '../../log.ts';
import type { RunOrder } from '../agents/protocols/approval.ts';
import { loadAutopilot } from '../autopilot/autopilot-record.ts';
import type { Delegation } from '../run/delegation.ts';
import { ownRuns } from '../run/open-run.ts';
import { oneLine } from '../run/run-progress.ts';
import type { RunQueue } from '../run/run-queue.ts';
import {
  asInterrupted,
  listRunIds,
  loadRecord,
  outlineOf,
  type RunOutline,
  type RunRecord,
  runIdPattern,
} from '../run/run-record.ts';
import { recoverUnlisted } from '../run/run-recovery.ts';
import { hasJobs, type RunRequest } from '../run/run-request.ts';
import { hasCall, hasEnd, type RunCall, readCall, readEnd, readStart } from '../run/run-state.ts';
import { removeFolder } from '../workspace/remove-folder.ts';
import { type Artifact, incompletePrefix, RunDirectory } from '../workspace/run-directory.ts';
import { planRemoval, type RemovalPlan, type Retention } from './retention.ts';
import type { RunAccount, RunOverview } from './run-overview.ts';

/** Runs that are read at a time to find those that match. */
const pageLength = 100;

type IsWanted = (run: RunOverview, task: string) => boolean;

/** How many of the newest runs are checked for a missing result. */
const checkedRuns = 50;

/** The runs on this machine, whichever server started them. */
export class LocalRuns {
  readonly #delegation: Delegation;

  constructor(delegation: Delegation) {
    this.#delegation = delegation;
  }

  /** The newest runs that match, or the newest of those that are older than `before`. */
  async list(limit: number, before: string | undefined, isWanted: IsWanted): Promise<readonly RunOverview[]> {
    const ids = (await this.#ids()).filter((id) => before === undefined || id < before);
    const found: RunOverview[] = [];
    for (let start = 0; start < ids.length && found.length < limit; start += pageLength) {
      const page = await Promise.all(ids.slice(start, start + pageLength).map((id) => this.#listed(id)));
      found.push(...page.flatMap((one) => (one && isWanted(one.overview, one.task) ? [one.overview] : [])));
    }
    return found.slice(0, limit);
  }

  has(id: string): boolean {
    return hasCall(this.#pathOf(id));
  }

  hasEnded(id: string): boolean {
    return hasEnd(this.#pathOf(id));
  }

  async find(id: string): Promise<RunAccount | undefined> {
    const record = runIdPattern.test(id) ? await this.#load(id) : undefined;
    if (record === undefined) return undefined;
    const overview = await this.#overview(record);
    const autopilot = hasJobs(overview.tool) ? await loadAutopilot(record.run_dir, id) : undefined;
    if (autopilot === undefined) return { overview, record };
    const { withApprovals } = await import('./job-account.ts');
    return { overview, ...(await withApprovals(record, autopilot)) };
  }

  /**
   * Finishes the runs whose hosts were killed, and continues their autopilots. Servers and commands that start or change runs
   * call this. Reading a run never does: whoever only looks must not wait for the changes of a run to be applied.
   */
  async recoverAll(): Promise<void> {
    await this.#recoverQueued();
    for (const id of (await this.#ids()).slice(0, checkedRuns)) {
      if (!hasEnd(this.#pathOf(id))) await this.#recoverUnlisted(id);
    }
  }

  /** Like `recoverAll`, for one run. */
  async recover(id: string): Promise<void> {
    if (!runIdPattern.test(id)) return;
    await this.#recoverQueued(this.#pathOf(id));
    await this.#recoverUnlisted(id);
  }

  async #recoverQueued(only?: string): Promise<void> {
    await this.#delegation.hosts.recoverAbandoned(only).catch((error: unknown) => {
      // Without space on the disk, runs cannot be recovered, but they can be listed.
      log('warning', 'runs whose hosts were killed could not be recovered', error);
    });
  }

  /** Sends an order to the agent of a run of this machine, or of the job of an autopilot. */
  async order(
    { overview, record, autopilot }: RunAccount,
    job: string | undefined,
    order: RunOrder,
  ): Promise<void> {
    const { run_id, run_dir } = record;
    const id = job === undefined ? run_id : `${run_id}/${job}`;
    const jobs = autopilot?.jobs ?? [];
    if (job === undefined && autopilot !== undefined)
      throw new Failure(
        'refused',
        `Run ${run_id} is an autopilot. Name one of its jobs: ${jobs.map((one) => `${run_id}/${one.id}`).join(', ') || 'there are none yet'}.`,
      );
    const state = jobs.find((one) => one.id === job)?.status;
    if (job !== undefined && state === undefined)
      throw new Failure('resource-not-found', `Run ${run_id} has no job ${job}.`);
    if (state === 'waiting')
      throw new Failure('refused', `Job ${id} has not started. It waits for the jobs that it depends on.`);
    const directory = job === undefined ? run_dir : join(run_dir, 'subruns', job);
    if (record.status !== 'running' || hasEnd(directory))
      throw new Failure(
        'refused',
        `Run ${id} has ended (${record.status}). Continue it with delegate_resume.`,
      );
    if (overview.status === 'waiting')
      throw new Failure('refused', `Run ${id} waits in the queue; its agent has not started.`);
    const start = await readStart(directory);
    if (start !== undefined && start.protocol === undefined)
      throw new Failure(
        'refused',
        `The agent of run ${id} takes no messages while it works: it runs as "${start.agent === 'claude' ? 'claude -p' : 'codex exec'}", as the contract delegate and old versions of the agent require. Use cancel_run and delegate_resume.`,
      );
    await this.#delegation.hosts.order(run_dir, id, order);
  }

  /** Removes finished runs. `onRemoved` is called for each. With `isDry`, only says which. */
  async clean(
    rules: Retention,
    isDry: boolean,
    onRemoved: (id: string) => Promise<void> | undefined,
  ): Promise<RemovalPlan> {
    const plan = await planRemoval(this.#folder, rules);
    if (isDry) return plan;
    for (const id of plan.removed) {
      const path = join(this.#folder, id);
      await removeFolder(path);
      await this.#queued((queue) => queue.finish(path)).catch((error: unknown) =>
        log('warning', `run ${id} could not be removed from the queue: ${messageOf(error)}`),
      );
      await onRemoved(id);
    }
    await this.#removeIncomplete();
    return plan;
  }

  /** Removes directories whose server died while creating them. */
  async #removeIncomplete(): Promise<void> {
    const names = await disk.readdir(this.#folder).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(incompletePrefix))) {
      const path = join(this.#folder, name);
      const changed = (await disk.stat(path).catch(() => undefined))?.mtimeMs;
      if (changed !== undefined && Date.now() - changed > 60_000)
        await disk.rm(path, { recursive: true, force: true });
    }
  }

  artifacts(id: string): Promise<readonly Artifact[]> {
    return new RunDirectory(this.#pathOf(id), id).artifacts();
  }

  /** The path of an artifact; `undefined` for hidden files, links out of the run directory and anything but files. */
  async artifactPath(id: string, name: string): Promise<string | undefined> {
    const parts = name.split('/');
    if (!runIdPattern.test(id) || parts.some((part) => part === '' || part.startsWith('.'))) return undefined;
    const root = this.#pathOf(id);
    const file = join(root, ...parts);
    const real = await disk.realpath(file).catch(() => undefined);
    if (real === undefined || !real.startsWith((await disk.realpath(root)) + sep)) return undefined;
    return (await disk.stat(real)).isFile() ? file : undefined;
  }

  /** Ids of all runs, newest first. */
  async #ids(): Promise<readonly string[]> {
    const { runsDir, otherRunsDir } = this.#delegation.options;
    const own = await listRunIds(runsDir);
    if (otherRunsDir === undefined) return own;
    return [...new Set([...own, ...(await listRunIds(otherRunsDir))])].sort().reverse();
  }

  #pathOf(id: string): string {
    const { runsDir, otherRunsDir } = this.#delegation.options;
    const own = join(runsDir, id);
    return otherRunsDir === undefined || existsSync(own) ? own : join(otherRunsDir, id);
  }

  get #folder(): string {
    return this.#delegation.options.runsDir;
  }

  /** Loads a run. A run that has no result and no host is `interrupted` until a server finishes or continues it. */
  async #load(id: string): Promise<RunRecord | undefined> {
    const record = await loadRecord(this.#pathOf(id), id);
    if (record?.status !== 'running' || (await this.#isCarried(record.run_dir))) return record;
    // The run may have finished since it was loaded.
    const reloaded = await loadRecord(record.run_dir, id);
    return reloaded?.status === 'running' ? asInterrupted(reloaded) : reloaded;
  }

  /** True if a process works on the run. A run of this process may get another host. */
  async #isCarried(path: string): Promise<boolean> {
    const isCarried = await this.#queued((queue) => {
      const run = queue.find(path);
      return run !== undefined && queue.isCarried(run);
    });
    return ownRuns.has(path) || isCarried === true;
  }

  /** Uses the queue. Without a queue, no run is in it: reading and deleting runs must not create one on a full disk. */
  async #queued<Value>(use: (queue: RunQueue) => Value): Promise<Value | undefined> {
    const { runner, options } = this.#delegation;
    return existsSync(options.queueFile) ? use(await runner.queue) : undefined;
  }

  /** Finishes or continues a run that has neither a result nor a place in the queue. */
  async #recoverUnlisted(id: string): Promise<void> {
    const path = this.#pathOf(id);
    const { runner, hosts } = this.#delegation;
    const isOpen = (await runner.queue).find(path) !== undefined || ownRuns.has(path);
    if (isOpen || (await this.#load(id))?.status !== 'interrupted') return;
    const directory = new RunDirectory(path, id, runner.redact);
    const tool = ((await readCall(path))?.tool ?? 'delegate_run') as RunRequest['tool'];
    if (hasJobs(tool)) return hosts.resumeUnlisted(directory);
    const agent = this.#delegation.findAgent(await readStart(path)).name;
    await recoverUnlisted(runner, directory, tool, agent);
  }

  /** Reads only the two files that a list needs, if the run has finished. */
  async #listed(id: string): Promise<{ readonly overview: RunOverview; readonly task: string } | undefined> {
    const path = this.#pathOf(id);
    const [call, end] = await Promise.all([readCall(path), readEnd(path)]);
    if (call === undefined) return undefined;
    const task = String(call.input['task'] ?? '');
    if (end !== undefined)
      return {
        overview: overviewOf({ ...outlineOf(id, call, end), ...present({ agent: end.agent }) }, call),
        task,
      };
    const record = await this.#load(id);
    return record && { overview: await this.#overview(record), task };
  }

  async #overview(record: RunRecord): Promise<RunOverview> {
    const call = (await readCall(record.run_dir)) ?? { tool: '', receivedAt: '', input: {} };
    const isWaiting =
      record.status === 'running' &&
      (await this.#queued((queue) => queue.find(record.run_dir)))?.state === 'waiting';
    return { ...overviewOf(record, call), ...(isWaiting && { status: 'waiting' }) };
  }
}

function overviewOf(
  run: RunOutline & Pick<RunRecord, 'agent'>,
  { tool, input, actor, actorId }: RunCall,
): RunOverview {
  return {
    run_id: run.run_id,
    tool,
    status: run.status,
    started_at: run.timing.started_at,
    duration_ms: run.timing.duration_ms,
    usage: run.usage,
    subagent_thread_id: run.subagent_thread_id,
    cwd: String(input['cwd'] ?? ''),
    task: oneLine(String(input['task'] ?? ''), 120),
    summary: oneLine(run.summary, 200),
    error: run.error,
    ...present({ agent: run.agent, actor, actor_id: actorId }),
  };
}
