import { type Actor, identityOf, ownsNameSince } from '../../context.ts';
import type { LocalDatabase } from '../../store/local-database.ts';
import type { AgentName } from '../agents/agent.ts';
import type { Usage } from '../agents/protocols/agent-event.ts';

export const spendingSchema = `
  CREATE TABLE IF NOT EXISTS spending (
    directory TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT,
    cwd TEXT NOT NULL,
    actor TEXT,
    started_at TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'running',
    duration_ms INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    cached_input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL
  );
  CREATE INDEX IF NOT EXISTS spending_by_start ON spending (started_at);`;

/** A run as it is counted in budgets and statistics. */
export interface CountedRun {
  readonly directory: string;
  readonly runId: string;
  readonly tool: string;
  readonly agent: AgentName;
  readonly model: string | undefined;
  readonly cwd: string;
  /** Whose run it is, as `identityOf` identifies actors. Earlier versions recorded the actor's name. */
  readonly actor?: string | undefined;
  readonly startedAt: Date;
}

export interface Spent {
  readonly tokens: number;
  readonly usd: number;
  readonly milliseconds: number;
}

/** The columns by which runs are grouped. */
export const groupings = ['agent', 'model', 'folder', 'day'] as const;
export type Grouping = (typeof groupings)[number];

const columns: Readonly<Record<Grouping, string>> = {
  agent: 'agent',
  model: "coalesce(model, 'default')",
  folder: 'cwd',
  day: "date(started_at, 'localtime')",
};

export interface Period {
  readonly since: Date;
  /** Only the runs of this actor. */
  readonly actor?: Actor;
}

/** What runs have used, also those whose files were removed. Part of the database of the run queue. */
export class Spending {
  readonly #database: LocalDatabase;

  constructor(database: LocalDatabase) {
    this.#database = database;
  }

  start(run: CountedRun): void {
    // A job that runs again uses its directory again. What it has used before still counts.
    this.#database.run(
      `UPDATE spending SET directory = directory || '/attempt-' || rowid,
         status = iif(status = 'running', 'failed', status) WHERE directory = ?`,
      run.directory,
    );
    this.#database.run(
      `INSERT INTO spending (directory, run_id, tool, agent, model, cwd, actor, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      run.directory,
      run.runId,
      run.tool,
      run.agent,
      run.model ?? null,
      run.cwd,
      run.actor ?? null,
      run.startedAt.toISOString(),
    );
  }

  /** Records the tokens so far. */
  update(directory: string, usage: Usage | undefined, costUsd: number | undefined, durationMs: number): void {
    this.#database.run(
      `UPDATE spending SET input_tokens = coalesce(?, input_tokens),
         cached_input_tokens = coalesce(?, cached_input_tokens), output_tokens = coalesce(?, output_tokens),
         cost_usd = coalesce(?, cost_usd), duration_ms = ? WHERE directory = ?`,
      usage?.input_tokens ?? null,
      usage?.cached_input_tokens ?? null,
      usage?.output_tokens ?? null,
      costUsd ?? null,
      Math.round(durationMs),
      directory,
    );
  }

  finish(directory: string, status: string): void {
    this.#database.run('UPDATE spending SET status = ? WHERE directory = ?', status, directory);
  }

  /** What the runs have used that started at this time or later, or that are part of an autopilot. */
  spent(of: { readonly since: Date } | { readonly autopilot: string }): Spent {
    const [condition, value] =
      'since' in of
        ? ['started_at >= ?', of.since.toISOString()]
        : ['substr(directory, 1, length(?1) + 1) = ?1 || char(47)', of.autopilot];
    const [row] = this.#database.all(
      `SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens, coalesce(sum(cost_usd), 0) AS usd,
         coalesce(sum(duration_ms), 0) AS milliseconds FROM spending WHERE ${condition}`,
      value,
    );
    return {
      tokens: Number(row!['tokens']),
      usd: Number(row!['usd']),
      milliseconds: Number(row!['milliseconds']),
    };
  }

  /** The ids of the counted runs. That of a job is `RUN/JOB`. */
  runIds(since: Date): readonly string[] {
    const rows = this.#database.all(
      'SELECT DISTINCT run_id FROM spending WHERE started_at >= ?',
      since.toISOString(),
    );
    return rows.map((row) => String(row['run_id']));
  }

  /** Totals for each agent, model, folder or day. Autopilots are counted by their jobs. */
  groups(by: Grouping, { since, actor }: Period): readonly Record<string, unknown>[] {
    return this.#database.all(
      `SELECT ${columns[by]} AS key, count(*) AS runs,
         sum(status LIKE 'completed%') AS completed, sum(status = 'failed') AS failed,
         sum(status = 'cancelled') AS cancelled, sum(status = 'running') AS running,
         sum(input_tokens) AS input_tokens, sum(cached_input_tokens) AS cached_input_tokens,
         sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd, sum(duration_ms) AS duration_ms
       FROM spending WHERE started_at >= ?1 AND (?2 IS NULL OR actor = ?2 OR (actor = ?3 AND started_at >= ?4))
       GROUP BY key ORDER BY ${by === 'day' ? 'key' : 'runs DESC, key'}`,
      since.toISOString(),
      actor === undefined ? null : identityOf(actor),
      actor?.name ?? null,
      actor === undefined ? null : new Date(ownsNameSince(actor)).toISOString(),
    );
  }
}
