import { promises as disk, existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { mostBytes, readRegularFile } from '../../regular-file.ts';
import { loadAutopilot } from '../autopilot/autopilot-record.ts';
import { takeOverAutopilot } from '../autopilot/autopilot-takeover.ts';
import { extendResumeWindow } from '../autopilot/autopilot-state.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { EventFile } from '../files/event-file.ts';
import { parseObject, readJson } from '../files/json-file.ts';
import { type Artifact, RunDirectory, unfinished } from '../files/run-directory.ts';
import { isAlive, type ProcessIdentity } from '../process/process-table.ts';
import { type EventLine, linesOf } from '../record/event-lines.ts';
import { oneLine } from '../record/run-progress.ts';
import { listRunIds, loadRecord, type RunRecord, runIdPattern } from '../record/run-record.ts';
import type { RunAccount, SharedRun, SharedRuns } from './shared-runs.ts';

export interface RunOverview {
  readonly run_id: string;
  readonly tool: string;
  readonly status: RunRecord['status'] | 'waiting';
  readonly started_at: string;
  readonly duration_ms: number;
  /** Tokens of this run; `null` where they are not known. */
  readonly usage: RunRecord['usage'];
  readonly subagent_thread_id: string | null;
  readonly cwd: string;
  readonly task: string;
  readonly summary: string;
  readonly error: string | null;
  /** The machine that has it, where that is another one. */
  readonly host?: string;
}

const lookEveryMs = 150;
/** How far back runs without a result are looked for. */
const looked = 50;

/** The runs in the runs folder, whichever server has or had them, and those that other machines have told of. */
export class Runs {
  readonly #delegation: Delegation;
  readonly #shared: SharedRuns | undefined;

  constructor(delegation: Delegation, shared?: SharedRuns) {
    this.#delegation = delegation;
    this.#shared = shared;
  }

  /** The newest, or the newest of those before one. */
  async list(limit: number, before?: string): Promise<readonly RunOverview[]> {
    await this.#settle();
    const ids: string[] = [];
    for (const id of await listRunIds(this.#folder)) {
      if (ids.length === limit) break;
      if ((before === undefined || id < before) && this.#isHere(id)) ids.push(id);
    }
    const [here, there] = await Promise.all([
      Promise.all(
        ids.map(async (id) => {
          const record = await this.#load(id);
          return record && this.#overview(record);
        }),
      ),
      this.#elsewhere(limit, before),
    ]);
    return [...here.filter((one) => one !== undefined), ...there]
      .sort((one, other) => (one.run_id > other.run_id ? -1 : 1))
      .slice(0, limit);
  }

  async show(id: string): Promise<RunRecord> {
    return (await this.account(id)).record;
  }

  /** Everything about a run, of this machine or another. */
  async account(id: string): Promise<RunAccount> {
    await this.#settle();
    const account = (await this.local(id)) ?? (await this.#away(id));
    if (account === undefined)
      throw new Failure('resource-not-found', `There is no run ${id}; list_runs tells those there are.`);
    return account;
  }

  /** As its directory tells it; `undefined` where it has none here. */
  async local(id: string): Promise<RunAccount | undefined> {
    const record = runIdPattern.test(id) ? await this.#load(id) : undefined;
    if (record === undefined) return undefined;
    const overview = await this.#overview(record);
    const autopilot =
      overview.tool === 'delegate_autopilot' ? await loadAutopilot(record.run_dir, id) : undefined;
    return { overview, record, ...(autopilot && { autopilot }) };
  }

  /** What a run has come to, after at most so long. */
  async collect(id: string, milliseconds: number, signal: AbortSignal): Promise<RunRecord> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const record = await this.show(id);
      if (record.status !== 'running' || performance.now() >= deadline || signal.aborted) return record;
      await pause(lookEveryMs);
    }
  }

  /** Ends a run, its parts and all their processes, and waits until that is done. */
  async cancel(id: string, reason: string, signal: AbortSignal): Promise<RunRecord> {
    const record = await this.show(id);
    if (record.status !== 'running') return record;
    if (this.#isHere(id))
      (await this.#delegation.supervisor.queue).requestCancellation(record.run_dir, reason);
    else await this.#shared?.requestCancellation(id, reason);
    return this.collect(id, 20_000, signal);
  }

  /** The events of a run as lines for a person, from a line on. */
  async tail(id: string, after: number, limit: number): Promise<readonly EventLine[]> {
    const { run_dir } = await this.show(id);
    const isHere = this.#isHere(id);
    const exec = isHere
      ? await readJson(join(run_dir, 'codex_exec.json'))
      : parseObject((await this.#shared?.file(id, 'codex_exec.json')) ?? '');
    const agent = this.#delegation.agentOf(exec);
    const events = isHere
      ? new EventFile(join(run_dir, 'events.jsonl')).lines()
      : (await this.#fileAway(id, 'events.jsonl')).trimEnd().split('\n');
    return linesOf(events, (raw) => agent.parse(this.#delegation.redact(raw)), after, limit);
  }

  /** Removes the directories of finished runs that are older than so many milliseconds; tells which. */
  async clean(age: number, keep: number): Promise<readonly string[]> {
    await this.#settle();
    const removed: string[] = [];
    for (const id of (await listRunIds(this.#folder)).slice(keep)) {
      const record = await this.#load(id);
      if (record?.status === 'running') continue;
      if (record !== undefined && Date.now() - Date.parse(record.timing.finished_at) < age) continue;
      await disk.rm(join(this.#folder, id), { recursive: true, force: true });
      (await this.#delegation.supervisor.queue).finish(join(this.#folder, id));
      await this.#shared?.forget(id).catch((error) => log('warning', `the record of ${id} stays`, error));
      removed.push(id);
    }
    await this.#cleanUnfinished();
    return removed;
  }

  /** Directories whose server died while making them; nobody else knows of them. */
  async #cleanUnfinished(): Promise<void> {
    const names = await disk.readdir(this.#folder).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(unfinished))) {
      const path = join(this.#folder, name);
      const changed = (await disk.stat(path).catch(() => undefined))?.mtimeMs;
      if (changed !== undefined && Date.now() - changed > 60_000)
        await disk.rm(path, { recursive: true, force: true });
    }
  }

  artifactsOf(id: string): Promise<readonly Artifact[]> {
    return new RunDirectory(join(this.#folder, id), id).artifacts();
  }

  /** Follows or ends what dead servers left: their agents, and the newest of the runs that never came to a result. */
  async finishAbandoned(): Promise<void> {
    await this.#delegation.supervisor.sweep();
    for (const id of (await listRunIds(this.#folder)).slice(0, looked)) {
      if (!existsSync(join(this.#folder, id, 'result.json'))) await this.#load(id, true);
    }
  }

  /** What `runs://id/name` holds; `undefined` for whatever is no artifact. */
  async read(id: string, name: string): Promise<string | undefined> {
    if (!runIdPattern.test(id)) return undefined;
    if (!this.#isHere(id)) return (await this.#away(id)) === undefined ? undefined : this.#fileAway(id, name);
    const file = await this.artifact(id, name);
    // What a running agent writes has not been cleaned yet.
    return file && this.#delegation.redact(await readRegularFile(file, mostBytes));
  }

  /** The file of an artifact of this machine. */
  async artifact(id: string, name: string): Promise<string | undefined> {
    const parts = name.split('/');
    if (!runIdPattern.test(id) || parts.some((part) => part === '' || part.startsWith('.'))) return undefined;
    const root = join(this.#folder, id);
    const file = join(root, ...parts);
    const real = await disk.realpath(file).catch(() => undefined);
    if (real === undefined || !real.startsWith((await disk.realpath(root)) + sep)) return undefined;
    return (await disk.stat(real)).isFile() ? file : undefined;
  }

  get #folder(): string {
    return this.#delegation.options.runsDir;
  }

  /** What dead servers left is looked after first, so that nothing is called running that is not. */
  async #settle(): Promise<void> {
    const { supervisor } = this.#delegation;
    if ((await supervisor.sweep()) > 0) await pause(2 * lookEveryMs);
  }

  async #load(id: string, isToStay = false): Promise<RunRecord | undefined> {
    const record = await loadRecord(join(this.#folder, id), id);
    if (record?.status !== 'running') return record;
    if (await this.#isOpen(record.run_dir)) {
      if (isToStay) await extendResumeWindow(record.run_dir);
      return record;
    }
    // It may have ended between the two looks.
    const { redact, supervisor } = this.#delegation;
    const directory = new RunDirectory(record.run_dir, id, redact);
    const request = await readJson(directory.file('request.json'));
    if (request?.['tool'] === 'delegate_autopilot') {
      const isOver = await takeOverAutopilot(this.#delegation, directory, isToStay).catch(
        (error: unknown) => {
          log('error', `the autopilot ${id} cannot be taken over`, error);
          return false;
        },
      );
      if (!isOver) return record;
    }
    const again = await loadRecord(record.run_dir, id);
    if (again?.status !== 'running') return again;
    const result = await supervisor.refuse(directory, 'the server ended before the run had a result');
    return loadRecord(record.run_dir, id, result);
  }

  #isHere(id: string): boolean {
    return existsSync(join(this.#folder, id, 'request.json'));
  }

  /** Those of other machines; what cannot be asked for now must not hide what is here. */
  async #elsewhere(limit: number, before: string | undefined): Promise<readonly RunOverview[]> {
    const told = await this.#shared?.newest(limit, before).catch((error: unknown) => {
      log('warning', 'the runs of other machines cannot be listed', error);
      return [];
    });
    return (told ?? [])
      .filter(({ overview }) => !this.#isHere(overview.run_id))
      .map(({ overview, host }) => ({ ...overview, host }));
  }

  async #away(id: string): Promise<SharedRun | undefined> {
    const found = await this.#shared?.find(id);
    return found && { ...found, overview: { ...found.overview, host: found.host } };
  }

  async #fileAway(id: string, name: string): Promise<string> {
    const text = await this.#shared?.file(id, name);
    if (text !== undefined) return text;
    const host = (await this.#away(id))?.host;
    throw new Failure('resource-not-found', `${name} of the run ${id} can only be read on ${host}.`);
  }

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
    const waits = record.status === 'running' && queue.find(record.run_dir)?.state === 'waiting';
    return {
      run_id: record.run_id,
      tool: String(request?.['tool']),
      status: waits ? 'waiting' : record.status,
      started_at: record.timing.started_at,
      duration_ms: record.timing.duration_ms,
      usage: record.usage,
      subagent_thread_id: record.subagent_thread_id,
      cwd: String(input['cwd'] ?? ''),
      task: oneLine(String(input['task'] ?? ''), 120),
      summary: oneLine(record.summary, 200),
      error: record.error,
    };
  }
}
