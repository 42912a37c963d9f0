import { existsSync } from 'node:fs';
import { type SelectQueryBuilder, sql } from 'kysely';
import { present } from '../../json.ts';
import { newId } from '../../store/id.ts';
import { isUnchanged, takeRows } from '../../store/row-lease.ts';
import type { Firing, FiringUpdate, Tables } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import type { FiringSource } from '../../store/values.ts';
import { dayMs, hourMs } from '../definition/routine.ts';

// A firing is *due* → *starting* → *running* → *completed*, *failed* or *cancelled*; or it is *skipped*, with the reason. It is stored
// before anything starts. *starting* holds a lease: if its owner dies, the next worker looks for the run by the id of the firing.
// A run that could not start is *due* again, with one attempt more. A run that started is never repeated.

/** Whether a person is told of a time that did not fire, and not only the history. */
export function isMissed(reason: string | null | undefined): boolean {
  return reason?.startsWith('missed') ?? false;
}

/** Whether an event or a request triggered a firing, whose data is lost if it is skipped. */
export function isTriggered({ source }: Pick<Firing, 'source'>): boolean {
  return source === 'event' || source === 'webhook';
}

/** Why a firing is skipped while a run of its routine is in progress. */
export const overlapReason = 'the run before it was still in progress';

/** A due time before it is stored. */
export interface NewDue {
  readonly routineId: string;
  readonly machine: string;
  readonly key: string;
  readonly dueMs: number;
  readonly source: FiringSource;
  /** Set if it is skipped. */
  readonly reason?: string;
  readonly input?: string;
}

/** Begins the keys of requests whose signature has no time: somebody who has seen one can send it again years later. */
export const timelessKey = 'hook/';
/** Rows of one statement: SQLite limits the number of its values. */
const pageSize = 500;
const leaseMs = 5 * 60_000;
/** Firings that are considered at a time, so that many that are due keep no request waiting. */
export const waitingPage = 50;

/** The table of firings. Reading does not create a SQLite file. */
export class Firings {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get exists(): boolean {
    return this.#store.engine === 'postgres' || existsSync(this.#store.place);
  }

  /** Stores due times that are new and returns their number. One that is known stays as it is. */
  async add(all: readonly NewDue[]): Promise<number> {
    let added = 0;
    for (let from = 0; from < all.length; from += pageSize) {
      const rows = all
        .slice(from, from + pageSize)
        .map(({ routineId, machine, key, dueMs, source, reason, input }) => ({
          id: newId(this.#clock()),
          routine_id: routineId,
          due_key: key,
          due_ms: dueMs,
          machine,
          source,
          status: reason === undefined ? ('due' as const) : ('skipped' as const),
          reason: reason ?? null,
          next_ms: dueMs,
          input: storable(input) ?? null,
          ended_ms: reason === undefined ? null : this.#clock(),
          untold: isMissed(reason) ? 1 : 0,
        }));
      added += await this.#store.write(async ({ db, changed }) => {
        const stored = await db
          .insertInto('firings')
          .values(rows)
          .onConflict((conflict) => conflict.columns(['routine_id', 'due_key']).doNothing())
          .returning('id')
          .execute();
        if (stored.length > 0) changed({ kind: 'record', id: firingChange, userId: '' });
        return stored.length;
      });
    }
    return added;
  }

  /** The latest due time of each routine of a machine, by source. */
  async latest(machine: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#read((db) =>
      db
        .selectFrom('firings')
        .select(['routine_id', ({ fn }) => fn.max('due_ms').as('due_ms')])
        .where('machine', '=', machine)
        .where('source', 'in', ['clock', 'event'])
        .groupBy('routine_id')
        .execute(),
    );
    return new Map(rows.map(({ routine_id, due_ms }) => [routine_id, Number(due_ms)]));
  }

  /** The firings of a machine whose runs are starting or in progress, earliest first. */
  active(machine: string): Promise<readonly Firing[]> {
    return this.#select((all) => openIn(all, machine).where('status', '<>', 'due'));
  }

  /** A page of the firings of a machine that wait for their start, earliest first: all of them, or those of some routines. */
  waiting(machine: string, after?: Firing, routineIds?: readonly string[]): Promise<readonly Firing[]> {
    return this.#select((all) =>
      openIn(all, machine)
        .where('status', '=', 'due')
        .where('next_ms', '<=', this.#clock())
        .$if(after !== undefined, (page) =>
          page.where(sql<boolean>`(due_ms, id) > (${after!.due_ms}, ${after!.id})`),
        )
        .$if(routineIds !== undefined, (page) => page.where('routine_id', 'in', routineIds!))
        .limit(waitingPage),
    );
  }

  /** When the next firing of a machine is to start, also one that waits already. */
  async nextStart(machine: string): Promise<number | undefined> {
    const [first] = await this.#select((all) =>
      openIn(all, machine).where('status', '=', 'due').clearOrderBy().orderBy('next_ms').limit(1),
    );
    return first?.next_ms;
  }

  /** The firings of a routine that have not ended. */
  openOf(routineId: string): Promise<readonly Firing[]> {
    return this.#select((all) =>
      all.where('routine_id', '=', routineId).where('status', 'in', ['due', 'starting', 'running']),
    );
  }

  async find(routineId: string, key: string): Promise<Firing | undefined> {
    const [found] = await this.#select((all) =>
      all.where('routine_id', '=', routineId).where('due_key', '=', key),
    );
    return found;
  }

  /** Takes a firing that is due, or one whose owner has lost its lease. Undefined if another process was first. */
  async claim(firing: Firing, owner: string): Promise<Firing | undefined> {
    const now = this.#clock();
    const id = sql`select id from firings where ${isUnchanged(firing)}`;
    const lease = { owner, endMs: now + leaseMs, set: sql`status = 'starting', started_ms = ${now}` };
    const [row] = await this.#store.run(takeRows<Firing>(this.#store.engine, 'firings', id, lease));
    return row;
  }

  /** Changes a firing that is as it was read. False if another process has changed it. */
  async update(firing: Firing, change: FiringUpdate): Promise<boolean> {
    return this.#store.write(async ({ db, changed }) => {
      const { numUpdatedRows } = await db
        .updateTable('firings')
        .set({
          ...change,
          ...present({ reason: storable(change.reason), result: storable(change.result) }),
        })
        .where(isUnchanged(firing))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed({ kind: 'record', id: firingChange, userId: '' });
      return numUpdatedRows > 0n;
    });
  }

  /** Ended firings of which a person is to be told. */
  untold(machine: string): Promise<readonly Firing[]> {
    return this.#select((all) =>
      all.where('machine', '=', machine).where(sql<boolean>`untold = 1`).orderBy('due_ms').limit(pageSize),
    );
  }

  async markTold(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += pageSize)
      await this.#store.write(({ db }) =>
        db
          .updateTable('firings')
          .set({ untold: 0 })
          .where('id', 'in', ids.slice(from, from + pageSize))
          .execute(),
      );
  }

  /** The last firings of a routine, newest first. */
  history(routineId: string, limit: number): Promise<readonly Firing[]> {
    return this.#select((all) =>
      all.where('routine_id', '=', routineId).orderBy('due_ms', 'desc').orderBy('id', 'desc').limit(limit),
    );
  }

  /** Whether the last runs of a routine, as many as this, have all failed since this time. */
  async hasFailed(routineId: string, times: number, sinceMs: number): Promise<boolean> {
    const rows = await this.#select((all) =>
      all
        .where('routine_id', '=', routineId)
        .where('status', 'in', ['completed', 'failed', 'cancelled'])
        .where('ended_ms', '>', sinceMs)
        .orderBy('ended_ms', 'desc')
        .limit(times),
    );
    return rows.length >= times && rows.every(({ status }) => status === 'failed');
  }

  /** How often the triggers of a routine fired in the last hour. */
  async triggeredLately(routineId: string): Promise<number> {
    const [row] = await this.#read((db) =>
      db
        .selectFrom('firings')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('routine_id', '=', routineId)
        .where('source', 'in', ['event', 'webhook'])
        .where('due_ms', '>', this.#clock() - hourMs)
        .execute(),
    );
    return Number(row?.count ?? 0);
  }

  /** What the runs of a routine have used since a time. */
  async usedSince(routineId: string, sinceMs: number) {
    const [row] = await this.#read((db) =>
      db
        .selectFrom('firings')
        .select(({ fn }) => [fn.sum('tokens').as('tokens'), fn.sum('usd_micros').as('micros')])
        .select(sql<number>`sum(ended_ms - started_ms)`.as('ms'))
        .where('routine_id', '=', routineId)
        .where('started_ms', '>=', sinceMs)
        .execute(),
    );
    return {
      tokens: Number(row?.tokens ?? 0),
      usd: Number(row?.micros ?? 0) / 1_000_000,
      minutes: Number(row?.ms ?? 0) / 60_000,
    };
  }

  /** Skips what a routine still had to do. Runs in progress end as they do. */
  async skipDue(routineId: string, reason: string): Promise<void> {
    await this.#store.write(({ db }) =>
      db
        .updateTable('firings')
        .set({ status: 'skipped', reason, ended_ms: this.#clock() })
        .where('routine_id', '=', routineId)
        .where('status', '=', 'due')
        .execute(),
    );
  }

  /**
   * Removes old firings, except the last one of each routine, which records how far its schedule was read. Keeps the keys of
   * requests whose signatures contain no time, so that a repeated request never fires again.
   */
  async prune(machine: string, keepMs: number): Promise<void> {
    if (keepMs === 0) return;
    const before = this.#clock() - Math.max(keepMs, dayMs);
    const isOld = sql`machine = ${machine} and due_ms < ${before} and ended_ms is not null`;
    const isTimeless = sql`due_key like ${`${timelessKey}%`}`;
    await this.#store.run(sql`delete from firings where ${isOld} and not (${isTimeless})
      and due_ms < (select max(due_ms) from firings as other
        where other.routine_id = firings.routine_id) returning id`);
    await this.#store.run(sql`update firings set input = null, result = null, run_id = null
      where ${isOld} and ${isTimeless} and input is not null returning id`);
  }

  async remove(routineId: string): Promise<void> {
    await this.#store.write(({ db }) =>
      db.deleteFrom('firings').where('routine_id', '=', routineId).execute(),
    );
  }

  #select(refine: (all: Select) => Select): Promise<readonly Firing[]> {
    return this.#read((db) => refine(db.selectFrom('firings').selectAll()).execute());
  }

  async #read<Row>(work: ReadRows<Row>): Promise<readonly Row[]> {
    return this.exists ? this.#store.read(work) : [];
  }
}

type Select = SelectQueryBuilder<Tables, 'firings', Firing>;

/** The firings of a machine that have not ended, earliest first. SQLite uses the index only if the condition has no parameters. */
function openIn(all: Select, machine: string): Select {
  return all
    .where('machine', '=', machine)
    .where(sql<boolean>`status in ('due', 'starting', 'running')`)
    .orderBy('due_ms')
    .orderBy('id');
}

/** Requests, agents and errors can contain U+0000, which PostgreSQL cannot store. */
function storable<Text extends string | null | undefined>(text: Text): Text {
  return (typeof text === 'string' ? text.replaceAll('\0', '\uFFFD') : text) as Text;
}

type ReadRows<Row> = (db: Parameters<Parameters<Store['read']>[0]>[0]) => Promise<Row[]>;

/** The kind of record that changes of firings are reported as, so that workers wake up. */
export const firingChange = 'firings';
