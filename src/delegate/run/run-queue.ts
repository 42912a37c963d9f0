import { promises as disk } from 'node:fs';
import { sep } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { createPrivateFile } from '../../regular-file.ts';
import type { Usage } from '../agents/agent.ts';
import { identify, isAlive, type ProcessIdentity } from '../process/process-table.ts';
import { mayStart, type NewRun, type OpenRun, toOpenRun } from './open-run.ts';
import { Spending, spendingSchema } from './spending.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS open_runs (
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
    socket TEXT
  );
  CREATE TABLE IF NOT EXISTS wishes (
    directory TEXT PRIMARY KEY,
    reason TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS threads (
    thread_id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    usage TEXT
  );
  CREATE TABLE IF NOT EXISTS passed_checks (
    name TEXT PRIMARY KEY,
    passed_at INTEGER NOT NULL
  );
  ${spendingSchema}`;

const checkValidityMs = 60 * 60_000;

/**
 * The queue of open runs, shared by all servers and run hosts of one user through SQLite. It also holds cancellation requests
 * (table `wishes`), the token usage of threads, and which checks have passed lately. Each change is one transaction, so a crash never leaves half a change.
 */
export class RunQueue {
  readonly #database: DatabaseSync;
  readonly self: ProcessIdentity;
  /** What runs have used. */
  readonly spending: Spending;

  private constructor(database: DatabaseSync, self: ProcessIdentity) {
    this.#database = database;
    this.self = self;
    this.spending = new Spending(database);
  }

  /** `lockTimeoutMs` is how long to wait for another process that uses the file. Requests of this process wait as well. */
  static async open(file: string, lockTimeoutMs = 10_000): Promise<RunQueue> {
    const { DatabaseSync } = await import('node:sqlite');
    createPrivateFile(file);
    const self = (await identify(process.pid))!;
    const connect = () => {
      const database = new DatabaseSync(file, { timeout: lockTimeoutMs });
      // The rows describe live processes, so losing them in a power cut does no harm.
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

  /** Appends a run that this process owns. False if the run is already queued; it keeps its position and its owner. */
  enqueue(run: NewRun): boolean {
    const added = this.#run(
      `INSERT INTO open_runs (directory, run_id, agent, tool, state, thread_id, owner_pid, owner_born)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (directory) DO NOTHING`,
      run.directory,
      run.runId,
      run.agent,
      run.tool,
      run.state,
      run.threadId,
      this.self.pid,
      this.self.born,
    );
    return added > 0;
  }

  /** Makes a run host the owner of the run. */
  assign(directory: string, { pid, born }: ProcessIdentity): void {
    this.#run('UPDATE open_runs SET owner_pid = ?, owner_born = ? WHERE directory = ?', pid, born, directory);
  }

  /** Records the socket through which the host of the run can be reached. */
  recordSocket(directory: string, socket: string): void {
    this.#run('UPDATE open_runs SET socket = ? WHERE directory = ?', socket, directory);
  }

  /** A number that changes when another process changes the queue. */
  get version(): number {
    return Number(this.#all('PRAGMA data_version')[0]!['data_version']);
  }

  /** Marks the run as running if it is next in line and fewer than `maxParallel` runs are running. */
  async tryStart(directory: string, maxParallel: number, startedAt: string): Promise<boolean> {
    const open = this.open();
    const abandoned = await this.#findAbandoned(open);
    if (!mayStart(directory, open, abandoned, maxParallel)) return false;
    return this.#transaction(() => {
      if (!mayStart(directory, this.open(), abandoned, maxParallel)) return false;
      this.#run(
        "UPDATE open_runs SET state = 'running', started_at = ? WHERE directory = ?",
        startedAt,
        directory,
      );
      return true;
    });
  }

  /** Runs whose owner and agent have exited. Stays valid later: a dead process never comes back. */
  async #findAbandoned(runs: readonly OpenRun[]): Promise<ReadonlySet<string>> {
    const owners = new Map(runs.map(({ owner }) => [`${owner.pid} ${owner.born}`, owner]));
    const alive = new Map<string, boolean>();
    for (const [key, owner] of owners) alive.set(key, await isAlive(owner));
    const abandoned = new Set<string>();
    for (const run of runs) {
      if (alive.get(`${run.owner.pid} ${run.owner.born}`)) continue;
      if (run.process === null || !(await isAlive(run.process))) abandoned.add(run.directory);
    }
    return abandoned;
  }

  recordProcess(directory: string, { pid, born }: ProcessIdentity): void {
    this.#run('UPDATE open_runs SET pid = ?, born = ? WHERE directory = ?', pid, born, directory);
  }

  recordThread(directory: string, runId: string, threadId: string): void {
    this.#transaction(() => {
      this.#run('UPDATE open_runs SET thread_id = ? WHERE directory = ?', threadId, directory);
      this.#run(
        `INSERT INTO threads (thread_id, run_id) VALUES (?, ?)
         ON CONFLICT (thread_id) DO UPDATE SET run_id = excluded.run_id`,
        threadId,
        runId,
      );
    });
  }

  /** True if any run, past or present, started or resumed the thread. */
  knowsThread(threadId: string): boolean {
    return this.runOfThread(threadId) !== undefined;
  }

  /** The last run of the thread. */
  runOfThread(threadId: string): string | undefined {
    const [row] = this.#all('SELECT run_id FROM threads WHERE thread_id = ?', threadId);
    return row && String(row['run_id']);
  }

  recordUsage(threadId: string, total: Usage): void {
    this.#run('UPDATE threads SET usage = ? WHERE thread_id = ?', JSON.stringify(total), threadId);
  }

  threadUsage(threadId: string): Usage | undefined {
    const [row] = this.#all('SELECT usage FROM threads WHERE thread_id = ?', threadId);
    return typeof row?.['usage'] === 'string' ? (JSON.parse(row['usage']) as Usage) : undefined;
  }

  /** Repeats a check only if it has not passed within the last hour. */
  async checkOnce(name: string, check: () => Promise<boolean>): Promise<boolean> {
    const since = Date.now() - checkValidityMs;
    if (this.#all('SELECT 1 FROM passed_checks WHERE name = ? AND passed_at > ?', name, since).length > 0)
      return true;
    const passed = await check();
    if (passed) this.#run('INSERT OR REPLACE INTO passed_checks VALUES (?, ?)', name, Date.now());
    return passed;
  }

  /** Asks the host of the run to cancel it and all its sub-runs. Later requests do not replace the first reason. */
  requestCancellation(directory: string, reason: string): void {
    this.#run('INSERT OR IGNORE INTO wishes (directory, reason) VALUES (?, ?)', directory, reason);
  }

  /** Why the run, or the run it is part of, should be cancelled; `undefined` without a request. */
  cancellationReason(directory: string): string | undefined {
    const [row] = this.#all(
      'SELECT reason FROM wishes WHERE ? = directory OR substr(?, 1, length(directory) + 1) = directory || ?',
      directory,
      directory,
      sep,
    );
    return row && String(row['reason']);
  }

  /** Takes over the run of a dead owner. False if another process was first. */
  claim(run: OpenRun): boolean {
    const changed = this.#run(
      'UPDATE open_runs SET owner_pid = ?, owner_born = ? WHERE directory = ? AND owner_pid = ? AND owner_born = ?',
      this.self.pid,
      this.self.born,
      run.directory,
      run.owner.pid,
      run.owner.born,
    );
    return changed > 0;
  }

  /** Removes the run, and the cancellation requests for it and its jobs. */
  finish(directory: string): void {
    this.#transaction(() => {
      for (const table of ['open_runs', 'wishes'])
        this.#run(`DELETE FROM ${table} WHERE directory = ?`, directory);
      this.#run('DELETE FROM wishes WHERE substr(directory, 1, length(?1)) = ?1', directory + sep);
    });
  }

  find(directory: string): OpenRun | undefined {
    return this.#all('SELECT * FROM open_runs WHERE directory = ?', directory).map(toOpenRun)[0];
  }

  /** All open runs, in queue order. */
  open(): readonly OpenRun[] {
    return this.#all('SELECT * FROM open_runs ORDER BY place').map(toOpenRun);
  }

  #transaction<Value>(step: () => Value): Value {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const value = step();
      this.#database.exec('COMMIT');
      return value;
    } catch (error) {
      // SQLite itself ends the transaction if the disk is full.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
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
