import { promises as disk, existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import type { AgentEvent } from './agent.ts';
import { salvageAutopilot } from './autopilot-salvage.ts';
import type { Delegation } from './delegation.ts';
import { EventFile } from './event-file.ts';
import { readJson } from './json-file.ts';
import { isAlive, type ProcessIdentity } from './process-table.ts';
import { listRunIds, loadRecord, type RunRecord, runIdPattern } from './record.ts';
import { type Artifact, RunDirectory, unfinished } from './run-directory.ts';
import { oneLine } from './run-progress.ts';

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
}

export interface EventLine {
  readonly line: number;
  readonly text: string;
}

const lookEveryMs = 150;
/** How far back runs without a result are looked for. */
const looked = 50;

/** The runs in the runs folder, whichever server has or had them. */
export class Runs {
  readonly #delegation: Delegation;

  constructor(delegation: Delegation) {
    this.#delegation = delegation;
  }

  async list(limit: number): Promise<readonly RunOverview[]> {
    await this.#settle();
    const ids = (await listRunIds(this.#folder)).slice(0, limit);
    const found = await Promise.all(
      ids.map(async (id) => {
        const record = await this.#load(id);
        return record && this.#overview(record);
      }),
    );
    return found.filter((one) => one !== undefined);
  }

  async show(id: string): Promise<RunRecord> {
    await this.#settle();
    const record = runIdPattern.test(id) ? await this.#load(id) : undefined;
    if (record === undefined)
      throw new Failure('resource-not-found', `There is no run ${id}; list_runs tells those there are.`);
    return record;
  }

  async toolOf(id: string): Promise<string> {
    const request = await readJson(join(this.#folder, id, 'request.json'));
    return String(request?.['tool'] ?? 'delegate_run');
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
    (await this.#delegation.supervisor.ledger).askToEnd(record.run_dir, reason);
    return this.collect(id, 20_000, signal);
  }

  /** The events of a run as lines for a person, from a line on. */
  async tail(id: string, after: number, limit: number): Promise<readonly EventLine[]> {
    const { run_dir } = await this.show(id);
    const agent = await this.#delegation.agentOf(run_dir);
    const lines: EventLine[] = [];
    let line = 0;
    for await (const raw of new EventFile(join(run_dir, 'events.jsonl')).lines()) {
      line += 1;
      if (line <= after) continue;
      const text = agent
        .parse(this.#delegation.redact(raw))
        .map(describeEvent)
        .filter((one) => one !== '')
        .join('; ');
      lines.push({ line, text });
      if (after >= 0 && lines.length >= limit) break;
      // Without a place to begin at, the last lines are wanted.
      if (after < 0 && lines.length > limit) lines.shift();
    }
    return lines;
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
      if (!existsSync(join(this.#folder, id, 'result.json'))) await this.#load(id);
    }
  }

  /** The file behind `runs://id/name`; `undefined` for whatever is no artifact. */
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

  async #load(id: string): Promise<RunRecord | undefined> {
    const record = await loadRecord(join(this.#folder, id), id);
    if (record?.status !== 'running' || (await this.#isOpen(record.run_dir))) return record;
    // It may have ended between the two looks.
    const { options, redact, supervisor } = this.#delegation;
    const salvor = { env: options.env, redact };
    if (
      (await this.toolOf(id)) === 'delegate_autopilot' &&
      !(await salvageAutopilot(record.run_dir, id, salvor))
    )
      return record;
    const again = await loadRecord(record.run_dir, id);
    if (again?.status !== 'running') return again;
    const directory = new RunDirectory(record.run_dir, id, redact);
    const result = await supervisor.refuse(directory, 'the server ended before the run had a result');
    return loadRecord(record.run_dir, id, result);
  }

  async #isOpen(path: string): Promise<boolean> {
    const ledger = await this.#delegation.supervisor.ledger;
    if (ledger.open().some(({ directory }) => directory === path || directory.startsWith(path + sep)))
      return true;
    const request = await readJson(join(path, 'request.json'));
    const server = request?.['server'] as ProcessIdentity | undefined;
    return server !== undefined && (await isAlive(server));
  }

  async #overview(record: RunRecord): Promise<RunOverview> {
    const request = await readJson(join(record.run_dir, 'request.json'));
    const input = (request?.['request'] ?? {}) as Readonly<Record<string, unknown>>;
    const ledger = await this.#delegation.supervisor.ledger;
    const waits = record.status === 'running' && ledger.find(record.run_dir)?.state === 'waiting';
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

/** One event as a person would say it. */
export function describeEvent(event: AgentEvent): string {
  switch (event.kind) {
    case 'thread':
      return `thread ${event.threadId}`;
    case 'turn':
      return 'turn began';
    case 'warning':
      return `warning: ${oneLine(event.message, 300)}`;
    case 'failed':
      return `failed: ${oneLine(event.message, 300)}`;
    case 'completed':
      return 'turn completed';
    case 'item':
      return describeItem(event);
  }
}

function describeItem({ item, phase }: Extract<AgentEvent, { kind: 'item' }>): string {
  switch (item.type) {
    case 'message':
      return oneLine(item.text, 500);
    case 'reasoning':
      return `(${oneLine(item.text, 300)})`;
    case 'command':
      return item.exitCode === undefined
        ? `$ ${oneLine(item.command, 300)}`
        : `$ ${oneLine(item.command, 300)} → ${item.exitCode}`;
    case 'files':
      return item.changes.map(({ kind, path }) => `${kind} ${path}`).join(', ');
    case 'tool':
      return `${item.name} ${phase}`;
    case 'todo':
      return item.items
        .map(({ text, completed }) => `[${completed ? 'x' : ' '}] ${oneLine(text, 80)}`)
        .join(' ');
  }
}
