import { sql } from 'kysely';
import { log } from '../../log.ts';
import { makeDue, needsPlanning, planningTurns } from '../../store/planning-turns.ts';
import type { Clock, Store } from '../../store/store.ts';

const minute = 60_000;
/** How often the loop looks for users who are due. */
const intervalMs = minute;
/** Delay after a change, so that the changes of an import are planned together. */
const changeDelayMs = 500;
/** How often each user is planned without a change, because new occurrences come within the planning horizon. */
const replanMs = 60 * minute;

export interface PlanningLoopOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly plan: (userId: string) => Promise<unknown>;
}

/** Plans for users whose data changed, and for every user once an hour. Each user is planned by one process at a time. */
export class PlanningLoop {
  readonly #options: PlanningLoopOptions;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #unsubscribe: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: PlanningLoopOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#unsubscribe = this.#options.store.subscribe((changes) => {
      if (changes.some(needsPlanning)) this.#planSoon();
    });
    // Random jitter, so that processes on several machines do not start at the same moment.
    this.#timer = setInterval(() => this.#run(), intervalMs * (1 + Math.random() / 2));
    this.#run();
  }

  #planSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#run();
    }, changeDelayMs);
  }

  #run(): void {
    this.#running = this.#running.then(() => this.runOnce());
  }

  async runOnce(): Promise<void> {
    if (this.#closed) return;
    try {
      const remaining = new Set(await this.#claimDueUsers());
      for (const id of remaining) {
        const planned = await this.#plan(id);
        if (!this.#closed || planned) remaining.delete(id);
        if (this.#closed) break;
      }
      if (remaining.size > 0) await this.#options.store.write(({ db }) => makeDue(db, [...remaining]));
    } catch (error) {
      log('warning', 'planning failed; the next run tries again', error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#unsubscribe();
    this.#closed = true;
    await this.#running;
  }

  async #plan(userId: string): Promise<boolean> {
    try {
      await this.#options.plan(userId);
      return true;
    } catch (error) {
      if (!this.#closed) log('warning', `notifications of user ${userId} could not be planned`, error);
      return false;
    }
  }

  /** Claims the users who are due. No other process gets them before their next turn. */
  async #claimDueUsers(): Promise<readonly string[]> {
    const { store, clock } = this.#options;
    const now = clock();
    const rows = await store.run(sql<{ key: string }>`insert into records (kind, key, value, position)
      select ${planningTurns}, users.id, '{}', ${now + replanMs} from users
      where exists (select 1 from events where events.user_id = users.id and events.last_ms > ${now})
        and not exists (select 1 from records
          where kind = ${planningTurns} and key = users.id and position > ${now})
      on conflict (kind, key) do update set position = excluded.position where records.position <= ${now}
      returning key`);
    return rows.map(({ key }) => key);
  }
}
