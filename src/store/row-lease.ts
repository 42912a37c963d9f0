import { type RawBuilder, sql } from 'kysely';
import type { Store } from './store.ts';

// Rows of a table that wait for their time, such as notifications and firings, carry their lease in the columns `owner`, `lease_ms`
// and `fence`. Every new owner gets a higher fence. A worker writes only what nobody has taken or changed since it was read.

/** A row as it was read. */
interface LeasedRow {
  readonly id: string;
  readonly fence: number;
  readonly status: string;
}

interface NewLease {
  readonly owner: string;
  readonly endMs: number;
  /** What becomes of the columns of a row that is taken, besides its lease. */
  readonly set: RawBuilder<unknown>;
}

/** Takes the rows whose ids a query selects, except those that another process takes at this moment, and returns them. */
export function takeRows<Row extends LeasedRow>(
  engine: Store['engine'],
  table: 'notifications' | 'firings',
  ids: RawBuilder<unknown>,
  { owner, endMs, set }: NewLease,
): RawBuilder<Row> {
  return sql<Row>`update ${sql.table(table)} set owner = ${owner}, lease_ms = ${endMs}, fence = fence + 1, ${set}
    where ${isAmong(engine, ids)} returning *`;
}

/** PostgreSQL may evaluate a plain subquery more than once and then lock more rows than its limit. */
export function isAmong(engine: Store['engine'], ids: RawBuilder<unknown>): RawBuilder<boolean> {
  return engine === 'postgres' ? sql`id = any(array(${ids} for update skip locked))` : sql`id in (${ids})`;
}

/** True for a row that is still as it was read. */
export function isUnchanged({ id, fence, status }: LeasedRow): RawBuilder<boolean> {
  return sql`id = ${id} and fence = ${fence} and status = ${status}`;
}
