import { promises as disk, existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { log } from '../../log.ts';
import { loadAutopilot } from '../autopilot/autopilot-record.ts';
import { extendResumeWindow } from '../autopilot/autopilot-state.ts';
import { takeOverAutopilot } from '../autopilot/autopilot-takeover.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { readJson } from '../files/json-file.ts';
import { type Artifact, incompletePrefix, RunDirectory } from '../files/run-directory.ts';
import { isAlive, type ProcessIdentity } from '../process/process-table.ts';
import { oneLine } from '../record/run-progress.ts';
import { listRunIds, loadRecord, type RunRecord, runIdPattern } from '../record/run-record.ts';
import type { RunAccount, RunOverview } from './run-overview.ts';

/** Time for an adopted run to get its result before it is reported. */
const adoptionGraceMs = 300;
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
    const overviews = await Promise.all(
      ids.map(async (id) => {
        const record = await this.#load(id);
        return record && this.#overview(record);
      }),
    );
    return overviews.filter((one) => one !== undefined);
  }

  has(id: string): boolean {
    return existsSync(join(this.#pathOf(id), 'request.json'));
  }

  async find(id: string): Promise<RunAccount | undefined> {
    const record = runIdPattern.test(id) ? await this.#load(id) : undefined;
    if (record === undefined) return undefined;
    const overview = await this.#overview(record);
    const autopilot =
      overview.tool === 'delegate_autopilot' ? await loadAutopilot(record.run_dir, id) : undefined;
    return { overview, record, ...(autopilot && { autopilot }) };
  }

  /** Adopts the runs of dead servers, so that no dead run is reported as running. */
  async adopt(): Promise<void> {
    if ((await this.#delegation.supervisor.sweep()) > 0) await pause(adoptionGraceMs);
  }

  /** Adopts or finishes the runs of dead servers, and resumes their autopilots. */
  async finishAbandoned(): Promise<void> {
    await this.#delegation.supervisor.sweep();
    for (const id of (await this.#ids()).slice(0, checkedRuns)) {
      if (!existsSync(join(this.#pathOf(id), 'result.json'))) await this.#load(id, true);
    }
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
      if (record?.status === 'running') continue;
      if (record !== undefined && Date.now() - Date.parse(record.timing.finished_at) < ageMs) continue;
      await disk.rm(this.#pathOf(id), { recursive: true, force: true });
      (await this.#delegation.supervisor.queue).finish(this.#pathOf(id));
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

  /** Loads a run. A run without a result whose server has died is finished first, or resumed if `mayResume` is set. */
  async #load(id: string, mayResume = false): Promise<RunRecord | undefined> {
    const record = await loadRecord(this.#pathOf(id), id);
    if (record?.status !== 'running') return record;
    if (await this.#isOpen(record.run_dir)) {
      if (mayResume) await extendResumeWindow(record.run_dir);
      return record;
    }
    const { redact, supervisor } = this.#delegation;
    const directory = new RunDirectory(record.run_dir, id, redact);
    const request = await readJson(directory.file('request.json'));
    if (request?.['tool'] === 'delegate_autopilot') {
      const isFinished = await takeOverAutopilot(this.#delegation, directory, mayResume).catch(
        (error: unknown) => {
          log('error', `autopilot ${id} of a stopped server could not be adopted`, error);
          return false;
        },
      );
      if (!isFinished) return record;
    }
    // The run may have finished since it was loaded.
    const reloaded = await loadRecord(record.run_dir, id);
    if (reloaded?.status !== 'running') return reloaded;
    const result = await supervisor.refuse(directory, 'the server stopped before the run had a result');
    return loadRecord(record.run_dir, id, result);
  }

  /** True if the run or one of its sub-runs is in the queue, or the run's server is alive. */
  async #isOpen(path: string): Promise<boolean> {
    const queue = await this.#delegation.supervisor.queue;
    if (queue.open().some(({ directory }) => directory === path || directory.startsWith(path + sep)))
      return true;
    const request = await readJson(join(path, 'request.json'));
    const server = request?.['server'] as ProcessIdentity | undefined;
    return server !== undefined && (await isAlive(server));
  }

  async #overview(record: RunRecord): Promise<RunOverview> {
    const request = await readJson(join(record.run_dir, 'request.json'));
    const input = (request?.['request'] ?? {}) as Readonly<Record<string, unknown>>;
    const queue = await this.#delegation.supervisor.queue;
    const isWaiting = record.status === 'running' && queue.find(record.run_dir)?.state === 'waiting';
    return {
      run_id: record.run_id,
      tool: String(request?.['tool']),
      status: isWaiting ? 'waiting' : record.status,
      started_at: record.timing.started_at,
      duration_ms: record.timing.duration_ms,
      usage: record.usage,
      subagent_thread_id: record.subagent_thread_id,
      cwd: String(input['cwd'] ?? ''),
      task: oneLine(String(input['task'] ?? ''), 120),
      summary: oneLine(record.summary, 200),
      error: record.error,
      ...(typeof request?.['actor'] === 'string' && { actor: request['actor'] }),
    };
  }
}
