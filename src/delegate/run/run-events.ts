import { basename, dirname, sep } from 'node:path';
import { present } from '../../json.ts';
import type { RunEvent, RunEventKind } from '../../run-events.ts';
import type { LocalDatabase } from '../../store/local-database.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import { isAlive, type ProcessIdentity } from '../process/process-table.ts';
import { type RunCall, readCall, readEnd } from './run-state.ts';

// The states of an event:
//
//   new ──its news is queued──▶ told ──no longer true──▶ withdrawn
//    └──no longer true (`closed`)──────────────────────────▲
//
// Run hosts add and close events; any server or worker of this machine tells and withdraws them.

export const runEventsSchema = `
  CREATE TABLE IF NOT EXISTS run_events (
    id TEXT PRIMARY KEY,
    directory TEXT NOT NULL,
    run_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    actor TEXT NOT NULL,
    folder TEXT NOT NULL,
    notify TEXT,
    request TEXT,
    expires_ms INTEGER,
    state TEXT NOT NULL DEFAULT 'new',
    closed INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS run_events_open ON run_events (state, closed);
  CREATE TABLE IF NOT EXISTS attended (
    directory TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    born TEXT NOT NULL
  );`;

/** An event that people must hear of, or one that they were told and that is no longer true. */
export interface UnsettledEvent {
  readonly event: RunEvent;
  readonly directory: string;
  readonly isClosed: boolean;
}

/** How long an event is kept. A run can be kept longer, so nobody may conclude from a missing event that it was never told. */
export const keptMs = 30 * 86_400_000;

/** The events of runs on this machine, and which runs a client still waits for. Part of the database of the run queue. */
export class RunEvents {
  readonly #database: LocalDatabase;

  constructor(database: LocalDatabase) {
    this.#database = database;
  }

  /** An event that exists stays as it is. */
  add(event: RunEvent, directory: string): void {
    this.#database.run(
      `INSERT OR IGNORE INTO run_events
         (id, directory, run_id, kind, at_ms, actor, folder, notify, request, expires_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[event.id, directory, event.runId, event.kind, event.atMs, event.actor, event.folder],
      ...[event.notify ?? null, event.request ?? null, event.expiresMs ?? null],
    );
  }

  has(id: string): boolean {
    return this.#database.all('SELECT 1 FROM run_events WHERE id = ?', id).length > 0;
  }

  /** The event is no longer true. */
  close(id: string): void {
    this.#database.run('UPDATE run_events SET closed = 1 WHERE id = ?', id);
  }

  /** Closes the requests of a run and its jobs, or, because it goes on, all that was told of it. */
  closeAll(directory: string, which: 'requests' | 'all'): void {
    this.#database.run(
      `UPDATE run_events SET closed = 1 WHERE (directory = ?1 OR substr(directory, 1, length(?2)) = ?2)
         AND (?3 = 'all' OR kind = 'asks_permission')`,
      directory,
      directory + sep,
      which,
    );
  }

  unsettled(): readonly UnsettledEvent[] {
    return this.#database
      .all(
        `SELECT id, run_id AS runId, kind, at_ms AS atMs, actor, folder, notify, request, expires_ms AS expiresMs,
           directory, closed
         FROM run_events WHERE state = 'new' OR (state = 'told' AND closed = 1) ORDER BY at_ms LIMIT 200`,
      )
      .map(({ directory, closed, ...event }) => ({
        event: present(event) as unknown as RunEvent,
        directory: String(directory),
        isClosed: closed === 1,
      }));
  }

  /** False if the event was closed in the meantime: then its news must be withdrawn. */
  markTold(id: string): boolean {
    return this.#database.run("UPDATE run_events SET state = 'told' WHERE id = ? AND closed = 0", id) > 0;
  }

  markWithdrawn(id: string): void {
    this.#database.run("UPDATE run_events SET state = 'withdrawn' WHERE id = ?", id);
  }

  /** Removes old events. */
  prune(nowMs: number): void {
    this.#database.run("DELETE FROM run_events WHERE at_ms < ? AND state <> 'new'", nowMs - keptMs);
  }

  /** A client waits for this run, as long as this process lives and does not say otherwise. */
  attend(directory: string, { pid, born }: ProcessIdentity): void {
    this.#database.run('INSERT OR REPLACE INTO attended VALUES (?, ?, ?)', directory, pid, born);
  }

  /** No client waits for the run any more. */
  leave(directory: string): void {
    this.#database.run('DELETE FROM attended WHERE directory = ?', directory);
  }

  async isAttended(directory: string): Promise<boolean> {
    const [row] = this.#database.all('SELECT pid, born FROM attended WHERE directory = ?', directory);
    return row !== undefined && isAlive({ pid: Number(row['pid']), born: String(row['born']) });
  }
}

/** How a run ended, as an event. `undefined` for a job, a run that was cancelled, and one that has not ended. */
export async function endEvent(events: RunEvents, directory: string): Promise<RunEvent | undefined> {
  const { runId, isJob } = nameOf(directory);
  const [call, end] = await Promise.all([readCall(directory), readEnd(directory)]);
  if (isJob || call === undefined || end === undefined || end.status === 'cancelled') return undefined;
  const kind: RunEventKind = end.overBudget
    ? 'over_budget'
    : end.status === 'failed'
      ? 'failed'
      : (end.answer?.open_questions.length ?? 0) > 0
        ? 'has_questions'
        : 'finished';
  const { person, ifLeft } = call.notify ?? {};
  const isWanted = person !== undefined && !(ifLeft && (await events.isAttended(directory)));
  return {
    ...aboutRun(runId, call),
    id: `run/${runId}/${kind}`,
    kind,
    atMs: Date.parse(end.timing.finished_at),
    ...(isWanted && { notify: person }),
  };
}

/** A request for permission, as an event. The request of a job is one of its autopilot. */
export async function requestEvent(directory: string, request: PendingApproval): Promise<RunEvent> {
  const { runId, isJob } = nameOf(directory);
  const call = await readCall(isJob ? dirname(dirname(directory)) : directory);
  return {
    ...aboutRun(runId, call),
    id: requestKey(runId, request.id),
    kind: 'asks_permission',
    atMs: Date.parse(request.asked_at),
    request: request.id,
    expiresMs: Date.parse(request.expires_at),
    ...(call?.notify && { notify: call.notify.person }),
  };
}

export function requestKey(runId: string, request: string): string {
  return `run/${runId}/approval/${request}`;
}

function aboutRun(runId: string, call: RunCall | undefined) {
  const folder = basename(String(call?.input['cwd'] ?? ''));
  return { runId, actor: call?.actorId ?? call?.actor ?? 'owner', folder: folder || runId };
}

/** The id of the run in this directory: `ID`, or `ID/JOB` for a job of an autopilot. */
function nameOf(directory: string): { readonly runId: string; readonly isJob: boolean } {
  const parent = dirname(directory);
  const isJob = basename(parent) === 'subruns';
  const name = basename(directory);
  return { runId: isJob ? `${basename(dirname(parent))}/${name}` : name, isJob };
}
