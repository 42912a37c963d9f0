import { sep } from 'node:path';
import type { RunEvent } from '../../run-events.ts';
import { Leases, setUpLeases } from '../../store/lease.ts';
import { LocalDatabase } from '../../store/local-database.ts';
import type { SqliteFile } from '../../store/sqlite-file.ts';
import type { Usage } from '../agents/agent.ts';
import { identify, isAlive, type ProcessIdentity } from '../process/process-table.ts';
import { mayStart, type NewRun, type OpenRun, toOpenRun } from './open-run.ts';
import { RunEvents, runEventsSchema } from './run-events.ts';
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
    socket TEXT,
    starter_pid INTEGER,
    starter_born TEXT
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
  ${spendingSchema}
  ${runEventsSchema}`;
const leaseTable = {
  name: 'open_runs',
  key: 'directory',
  pid: 'owner_pid',
  born: 'owner_born',
  fence: 'fence',
};

const checkValidityMs = 60 * 60_000;

/**
 * The queue of open runs, shared by all servers and run hosts of one user through SQLite. Each run is a lease of the process that
 * carries it. The queue also holds cancellation requests (table `wishes`), the token usage of threads, and which checks have
 * passed lately. Each change is one transaction, so a crash never leaves half a change.
 */
export class RunQueue {
  readonly #database: LocalDatabase;
  readonly #leases: Leases;
  readonly self: ProcessIdentity;
  /** What runs have used. */
  readonly spending: Spending;
  /** What happened to runs and concerns people. */
  readonly events: RunEvents;

  private constructor(database: LocalDatabase, self: ProcessIdentity) {
    this.#database = database;
    this.#leases = new Leases(database, leaseTable, self, isAlive);
    this.self = self;
    this.spending = new Spending(database);
    this.events = new RunEvents(database);
  }

  /** `lockTimeoutMs` is how long to wait for another process that uses the file. Requests of this process wait as well. */
  static async open(file: string, lockTimeoutMs?: number): Promise<RunQueue> {
    const self = (await identify(process.pid))!;
    const setUp = (opened: SqliteFile) => {
      opened.exec(schema);
      setUpLeases(opened, leaseTable);
      addStarter(opened);
    };
    const database = await LocalDatabase.open(file, setUp, lockTimeoutMs);
    return new RunQueue(database, self);
  }

  close(): void {
    this.#database.close();
  }

  /** Appends a run that this process owns. False if the run is already queued; it keeps its position and its owner. */
  enqueue({ directory, runId, agent, tool, state, threadId }: NewRun): boolean {
    const columns = { run_id: runId, agent, tool, state, thread_id: threadId };
    return this.#leases.take(directory, columns) !== undefined;
  }

  /**
   * Makes a run host the owner of the run. Until the host accepts, this process remains responsible. False if another process
   * has taken the run over.
   */
  assign(directory: string, host: ProcessIdentity): boolean {
    const run = this.find(directory);
    if (run === undefined || !this.isOwn(run)) return false;
    this.#updateOwn(directory, 'starter_pid = ?, starter_born = ?', this.self.pid, this.self.born);
    return this.#leases.pass(directory, run, host);
  }

  /** The host has accepted the run: if it dies, any server may finish the run. */
  recordAcceptance(directory: string): void {
    this.#database.run(
      'UPDATE open_runs SET starter_pid = NULL, starter_born = NULL WHERE directory = ?',
      directory,
    );
  }

  /** True if a process works on the run, or still gives it to a host. Otherwise any server may finish it. */
  async isCarried({ owner, starter }: Pick<OpenRun, 'owner' | 'starter'>): Promise<boolean> {
    return (await isAlive(owner)) || (starter !== null && (await isAlive(starter)));
  }

  /** True if this process carries the run, or is about to start its host. */
  isOwn({ owner }: Pick<OpenRun, 'owner'>): boolean {
    return owner.pid === this.self.pid && owner.born === this.self.born;
  }

  /** Records the socket through which the host of the run can be reached. */
  recordSocket(directory: string, socket: string): void {
    this.#updateOwn(directory, 'socket = ?', socket);
  }

  /** A number that changes when another process changes the queue. */
  get version(): number {
    return Number(this.#database.all('PRAGMA data_version')[0]!['data_version']);
  }

  /** Marks the run as running if it is next in line and fewer than `maxParallel` runs are running. */
  async tryStart(directory: string, maxParallel: number, startedAt: string): Promise<boolean> {
    const open = this.open();
    const abandoned = await this.#findAbandoned(open);
    if (!mayStart(directory, open, abandoned, maxParallel)) return false;
    return this.#database.transaction(() => {
      if (!mayStart(directory, this.open(), abandoned, maxParallel)) return false;
      this.#database.run(
        "UPDATE open_runs SET state = 'running', started_at = ? WHERE directory = ?",
        startedAt,
        directory,
      );
      return true;
    });
  }

  /** Runs whose owner and agent have exited. Stays valid later: a dead process never comes back. */
  async #findAbandoned(runs: readonly OpenRun[]): Promise<ReadonlySet<string>> {
    const isDead = await this.#leases.findDead(runs.map(({ owner }) => owner));
    const left = runs.filter(({ owner }) => isDead(owner));
    const hasExited = await this.#leases.findDead(left.flatMap((run) => run.process ?? []));
    const abandoned = left.filter((run) => run.process === null || hasExited(run.process));
    return new Set(abandoned.map(({ directory }) => directory));
  }

  recordProcess(directory: string, { pid, born }: ProcessIdentity): void {
    this.#updateOwn(directory, 'pid = ?, born = ?', pid, born);
  }

  recordThread(directory: string, runId: string, threadId: string): void {
    this.#database.transaction(() => {
      this.#database.run('UPDATE open_runs SET thread_id = ? WHERE directory = ?', threadId, directory);
      this.#database.run(
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
    const [row] = this.#database.all('SELECT run_id FROM threads WHERE thread_id = ?', threadId);
    return row && String(row['run_id']);
  }

  recordUsage(threadId: string, total: Usage): void {
    this.#database.run('UPDATE threads SET usage = ? WHERE thread_id = ?', JSON.stringify(total), threadId);
  }

  threadUsage(threadId: string): Usage | undefined {
    const [row] = this.#database.all('SELECT usage FROM threads WHERE thread_id = ?', threadId);
    return typeof row?.['usage'] === 'string' ? (JSON.parse(row['usage']) as Usage) : undefined;
  }

  /** Repeats a check only if it has not passed within the last hour. */
  async checkOnce(name: string, check: () => Promise<boolean>): Promise<boolean> {
    const since = Date.now() - checkValidityMs;
    if (
      this.#database.all('SELECT 1 FROM passed_checks WHERE name = ? AND passed_at > ?', name, since).length >
      0
    )
      return true;
    const passed = await check();
    if (passed) this.#database.run('INSERT OR REPLACE INTO passed_checks VALUES (?, ?)', name, Date.now());
    return passed;
  }

  /** Asks the host of the run to cancel it and all its sub-runs. Later requests do not replace the first reason. */
  requestCancellation(directory: string, reason: string): void {
    this.#database.run('INSERT OR IGNORE INTO wishes (directory, reason) VALUES (?, ?)', directory, reason);
  }

  /** Why the run, or the run it is part of, should be cancelled; `undefined` without a request. */
  cancellationReason(directory: string): string | undefined {
    const [row] = this.#database.all(
      'SELECT reason FROM wishes WHERE ? = directory OR substr(?, 1, length(directory) + 1) = directory || ?',
      directory,
      directory,
      sep,
    );
    return row && String(row['reason']);
  }

  /** Takes over the run of a dead owner. False if another process was first. */
  claim(run: OpenRun): boolean {
    return this.#leases.pass(run.directory, run);
  }

  /** Removes the run, and the cancellation requests for it and its jobs. `event` says how it ended. */
  finish(directory: string, event?: RunEvent): void {
    this.#database.transaction(() => {
      if (event !== undefined) this.events.add(event, directory);
      this.events.closeAll(directory, 'requests');
      this.events.leave(directory);
      for (const table of ['open_runs', 'wishes'])
        this.#database.run(`DELETE FROM ${table} WHERE directory = ?`, directory);
      this.#database.run('DELETE FROM wishes WHERE substr(directory, 1, length(?1)) = ?1', directory + sep);
    });
  }

  find(directory: string): OpenRun | undefined {
    return this.#database.all('SELECT * FROM open_runs WHERE directory = ?', directory).map(toOpenRun)[0];
  }

  /** All open runs, in queue order. */
  open(): readonly OpenRun[] {
    return this.#database.all('SELECT * FROM open_runs ORDER BY place').map(toOpenRun);
  }

  /** Changes nothing if another process has taken the run over. */
  #updateOwn(directory: string, change: string, ...values: readonly (string | number)[]): void {
    this.#database.run(
      `UPDATE open_runs SET ${change} WHERE directory = ? AND owner_pid = ? AND owner_born = ?`,
      ...[...values, directory, this.self.pid, this.self.born],
    );
  }
}

/** Earlier versions created the table without these columns, and their processes may still use it. */
function addStarter(file: SqliteFile): void {
  const hasColumn = () =>
    file.all('PRAGMA table_info(open_runs)').some((column) => column['name'] === 'starter_born');
  if (hasColumn()) return;
  file.exec('BEGIN IMMEDIATE');
  if (!hasColumn()) {
    file.exec('ALTER TABLE open_runs ADD COLUMN starter_pid INTEGER');
    file.exec('ALTER TABLE open_runs ADD COLUMN starter_born TEXT');
  }
  file.exec('COMMIT');
}
