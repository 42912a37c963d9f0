import { promises as disk } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { AgentName, Usage } from '../agents/agent.ts';
import { identify, isAlive, type ProcessIdentity } from '../process/process-table.ts';

/** A run that has not come to its end yet, as every process of the user sees it. */
export interface OpenRun {
  readonly directory: string;
  readonly runId: string;
  readonly agent: AgentName;
  readonly tool: string;
  readonly state: 'waiting' | 'running';
  readonly threadId: string | null;
  /** Who follows it; where that process is dead, anybody may take over. */
  readonly owner: ProcessIdentity;
  /** The agent itself; `null` until its number is known. */
  readonly process: ProcessIdentity | null;
  readonly startedAt: string | null;
  readonly totalTimeoutMs: number;
}

export type NewRun = Pick<OpenRun, 'directory' | 'runId' | 'agent' | 'tool' | 'threadId' | 'totalTimeoutMs'>;

const schema = `
  CREATE TABLE IF NOT EXISTS runs (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    directory TEXT NOT NULL UNIQUE,
    run_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    tool TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    thread_id TEXT,
    owner_pid INTEGER NOT NULL,
    owner_born TEXT NOT NULL,
    pid INTEGER,
    born TEXT,
    started_at TEXT,
    total_timeout_ms INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS wishes (
    directory TEXT PRIMARY KEY,
    reason TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS threads (
    thread_id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    usage TEXT
  );`;

/**
 * What the user's processes agree on: which runs are open, who follows them, whose turn it is. Each step is one
 * transaction, so a process may die at any point and the rest see either all of the step or none.
 */
export class RunQueue {
  readonly #database: DatabaseSync;
  readonly self: ProcessIdentity;

  private constructor(database: DatabaseSync, self: ProcessIdentity) {
    this.#database = database;
    this.self = self;
  }

  static async open(file: string): Promise<RunQueue> {
    const { DatabaseSync } = await import('node:sqlite');
    await disk.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const self = (await identify(process.pid))!;
    const connect = () => {
      const database = new DatabaseSync(file, { timeout: 10_000 });
      // What it holds is about living processes, so it need not outlive a power cut.
      database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;');
      database.exec(schema);
      return database;
    };
    try {
      return new RunQueue(connect(), self);
    } catch (error) {
      if (!/malformed|not a database/.test(String(error))) throw error;
      await disk.rename(file, `${file}.broken`);
      return new RunQueue(connect(), self);
    }
  }

  close(): void {
    this.#database.close();
  }

  /** At the end of the line; a run that stands in it already keeps its place. */
  enqueue(run: NewRun): void {
    this.#run(
      `INSERT INTO runs (directory, run_id, agent, tool, thread_id, owner_pid, owner_born, total_timeout_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (directory) DO UPDATE SET total_timeout_ms = excluded.total_timeout_ms`,
      run.directory,
      run.runId,
      run.agent,
      run.tool,
      run.threadId,
      this.self.pid,
      this.self.born,
      run.totalTimeoutMs,
    );
  }

  /** Takes one of the places if it is this run's turn. */
  async takeTurn(directory: string, places: number, startedAt: string): Promise<boolean> {
    const seen = this.open();
    const dead = await this.#abandoned(seen);
    if (!isTurnOf(directory, seen, dead, places)) return false;
    return this.#atomically(() => {
      if (!isTurnOf(directory, this.open(), dead, places)) return false;
      this.#run(
        "UPDATE runs SET state = 'running', started_at = ? WHERE directory = ?",
        startedAt,
        directory,
      );
      return true;
    });
  }

  /** Those that nobody follows and that hold nothing. The dead stay dead, so the answer does not grow old. */
  async #abandoned(runs: readonly OpenRun[]): Promise<ReadonlySet<string>> {
    const owners = new Map(runs.map(({ owner }) => [`${owner.pid} ${owner.born}`, owner]));
    const alive = new Map<string, boolean>();
    for (const [key, owner] of owners) alive.set(key, await isAlive(owner));
    const dead = new Set<string>();
    for (const run of runs) {
      if (alive.get(`${run.owner.pid} ${run.owner.born}`)) continue;
      if (run.state === 'waiting' || (run.process !== null && !(await isAlive(run.process))))
        dead.add(run.directory);
    }
    return dead;
  }

  noteProcess(directory: string, { pid, born }: ProcessIdentity): void {
    this.#run('UPDATE runs SET pid = ?, born = ? WHERE directory = ?', pid, born, directory);
  }

  noteThread(directory: string, runId: string, threadId: string): void {
    this.#atomically(() => {
      this.#run('UPDATE runs SET thread_id = ? WHERE directory = ?', threadId, directory);
      this.#run(
        `INSERT INTO threads (thread_id, run_id) VALUES (?, ?)
         ON CONFLICT (thread_id) DO UPDATE SET run_id = excluded.run_id`,
        threadId,
        runId,
      );
    });
  }

  /** Whether the thread was started or gone on with by a run, now or ever. */
  knowsThread(threadId: string): boolean {
    return this.#all('SELECT 1 FROM threads WHERE thread_id = ?', threadId).length > 0;
  }

  noteUsage(threadId: string, total: Usage): void {
    this.#run('UPDATE threads SET usage = ? WHERE thread_id = ?', JSON.stringify(total), threadId);
  }

  usageOf(threadId: string): Usage | undefined {
    const [row] = this.#all('SELECT usage FROM threads WHERE thread_id = ?', threadId);
    return typeof row?.['usage'] === 'string' ? (JSON.parse(row['usage']) as Usage) : undefined;
  }

  /** Leaves word for whoever follows the run, or a part of it. The first reason stays. */
  requestCancellation(directory: string, reason: string): void {
    this.#run('INSERT OR IGNORE INTO wishes (directory, reason) VALUES (?, ?)', directory, reason);
  }

  /** Why the run shall end, or the one it is a part of; `undefined` as long as nobody wants that. */
  cancellationOf(directory: string): string | undefined {
    const [row] = this.#all(
      'SELECT reason FROM wishes WHERE ? = directory OR substr(?, 1, length(directory) + 1) = directory || ?',
      directory,
      directory,
      sep,
    );
    return row && String(row['reason']);
  }

  /** Makes a run of a dead process ours; false when another was quicker. */
  adopt(run: OpenRun): boolean {
    const changed = this.#run(
      'UPDATE runs SET owner_pid = ?, owner_born = ? WHERE directory = ? AND owner_pid = ? AND owner_born = ?',
      this.self.pid,
      this.self.born,
      run.directory,
      run.owner.pid,
      run.owner.born,
    );
    return changed > 0;
  }

  /** Leaves a run to whoever comes next. */
  release(directory: string): void {
    this.#run("UPDATE runs SET owner_pid = 0, owner_born = '' WHERE directory = ?", directory);
  }

  finish(directory: string): void {
    this.#atomically(() => {
      this.#run('DELETE FROM runs WHERE directory = ?', directory);
      this.#run('DELETE FROM wishes WHERE directory = ?', directory);
    });
  }

  find(directory: string): OpenRun | undefined {
    return this.#all('SELECT * FROM runs WHERE directory = ?', directory).map(toOpenRun)[0];
  }

  /** In the order they came. */
  open(): readonly OpenRun[] {
    return this.#all('SELECT * FROM runs ORDER BY place').map(toOpenRun);
  }

  #atomically<Value>(step: () => Value): Value {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const value = step();
      this.#database.exec('COMMIT');
      return value;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  #all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values);
  }
}

/** First come, first served, among those whose thread is free. */
function isTurnOf(
  directory: string,
  open: readonly OpenRun[],
  dead: ReadonlySet<string>,
  places: number,
): boolean {
  const runs = open.filter((run) => !dead.has(run.directory));
  const running = runs.filter((run) => run.state === 'running');
  const busy = new Set(running.flatMap((run) => run.threadId ?? []));
  let free = places - running.length;
  for (const run of runs) {
    if (free <= 0) return false;
    if (run.state === 'running' || (run.threadId !== null && busy.has(run.threadId))) continue;
    if (run.directory === directory) return true;
    if (run.threadId !== null) busy.add(run.threadId);
    free -= 1;
  }
  return false;
}

function toOpenRun(row: Record<string, unknown>): OpenRun {
  return {
    directory: String(row['directory']),
    runId: String(row['run_id']),
    agent: row['agent'] as AgentName,
    tool: String(row['tool']),
    state: row['state'] as OpenRun['state'],
    threadId: row['thread_id'] as string | null,
    owner: { pid: Number(row['owner_pid']), born: String(row['owner_born']) },
    process: row['pid'] === null ? null : { pid: Number(row['pid']), born: String(row['born']) },
    startedAt: row['started_at'] as string | null,
    totalTimeoutMs: Number(row['total_timeout_ms']),
  };
}
