import { promises as disk, existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { log } from '../../log.ts';
import { loadAutopilot } from '../autopilot/autopilot-record.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { readJson } from '../files/json-file.ts';
import { removeFolder } from '../files/remove-folder.ts';
import { type Artifact, incompletePrefix, RunDirectory } from '../files/run-directory.ts';
import { isAlive } from '../process/process-table.ts';
import { oneLine } from '../record/run-progress.ts';
import {
  asInterrupted,
  isOpen,
  listRunIds,
  loadRecord,
  outlineOf,
  type RunOutline,
  type RunRecord,
  runIdPattern,
} from '../record/run-record.ts';
import { hasJobs } from '../record/run-request.ts';
import { ownRuns } from '../run/open-run.ts';
import { recoverRun } from '../run/run-recovery.ts';
import type { RunAccount, RunOverview } from './run-overview.ts';

/** How many of the newest runs are checked for a missing result. */
const checkedRuns = 50;

/** The runs on this machine, whichever server started them. */
export class LocalRuns {
  readonly #delegation: Delegation;

  constructor(delegation: Delegation) {
    this.#delegation = delegation;
  }

  /** The newest runs, or the newest that are older than `before`. */
  async list(limit: number, before?: string): Promise<readonly RunOverview[]> {
    const ids: string[] = [];
    for (const id of await this.#ids()) {
      if (ids.length === limit) break;
      if ((before === undefined || id < before) && this.has(id)) ids.push(id);
    }
    const overviews = await Promise.all(ids.map((id) => this.#listed(id)));
    return overviews.filter((one) => one !== undefined);
  }

  has(id: string): boolean {
    return existsSync(join(this.#pathOf(id), 'request.json'));
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
   * call this. Reading a run never does: whoever only looks must not wait for the changes of a run to be delivered.
   */
  async recoverAll(): Promise<void> {
    await this.#recoverQueued();
    for (const id of (await this.#ids()).slice(0, checkedRuns)) {
      if (!existsSync(join(this.#pathOf(id), 'result.json'))) await this.#recoverUnlisted(id);
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

  /** Removes finished runs older than `ageMs`, except the newest `keep`. `onRemoved` is called for each. */
  async clean(
    ageMs: number,
    keep: number,
    onRemoved: (id: string) => Promise<void> | undefined,
  ): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const id of (await this.#ids()).slice(keep)) {
      const record = await this.#load(id);
      if (record !== undefined && isOpen(record)) continue;
      if (record !== undefined && Date.now() - Date.parse(record.timing.finished_at) < ageMs) continue;
      await removeFolder(this.#pathOf(id));
      (await this.#delegation.runner.queue).finish(this.#pathOf(id));
      await onRemoved(id);
      removed.push(id);
    }
    await this.#removeIncomplete();
    return removed;
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
    const owner = (await this.#delegation.runner.queue).find(path)?.owner;
    return ownRuns.has(path) || (owner !== undefined && (await isAlive(owner)));
  }

  /** Finishes or continues a run that has neither a result nor a place in the queue. */
  async #recoverUnlisted(id: string): Promise<void> {
    const path = this.#pathOf(id);
    const { runner, hosts } = this.#delegation;
    const isOpen = (await runner.queue).find(path) !== undefined || ownRuns.has(path);
    if (isOpen || (await this.#load(id))?.status !== 'interrupted') return;
    const directory = new RunDirectory(path, id, runner.redact);
    const request = await readJson(directory.file('request.json'));
    if (hasJobs(request?.['tool'])) return hosts.resumeUnlisted(directory);
    const exec = await readJson(directory.file('codex_exec.json'));
    await recoverRun(runner, { directory: path, runId: id, agent: this.#delegation.findAgent(exec).name });
  }

  /** Reads only the two files that a list needs, if the run has finished. */
  async #listed(id: string): Promise<RunOverview | undefined> {
    const path = this.#pathOf(id);
    const [request, result] = await Promise.all(
      ['request.json', 'result.json'].map((name) => readJson(join(path, name))),
    );
    if (request !== undefined && result !== undefined)
      return overviewOf(outlineOf(id, request, result), request);
    const record = await this.#load(id);
    return record && this.#overview(record);
  }

  async #overview(record: RunRecord): Promise<RunOverview> {
    const request = (await readJson(join(record.run_dir, 'request.json'))) ?? {};
    const queue = await this.#delegation.runner.queue;
    const isWaiting = record.status === 'running' && queue.find(record.run_dir)?.state === 'waiting';
    return { ...overviewOf(record, request), ...(isWaiting && { status: 'waiting' }) };
  }
}

function overviewOf(run: RunOutline, request: Readonly<Record<string, unknown>>): RunOverview {
  const input = (request['request'] ?? {}) as Readonly<Record<string, unknown>>;
  return {
    run_id: run.run_id,
    tool: String(request['tool']),
    status: run.status,
    started_at: run.timing.started_at,
    duration_ms: run.timing.duration_ms,
    usage: run.usage,
    subagent_thread_id: run.subagent_thread_id,
    cwd: String(input['cwd'] ?? ''),
    task: oneLine(String(input['task'] ?? ''), 120),
    summary: oneLine(run.summary, 200),
    error: run.error,
    ...(typeof request['actor'] === 'string' && { actor: request['actor'] }),
    ...(typeof request['actor_id'] === 'string' && { actor_id: request['actor_id'] }),
  };
}
