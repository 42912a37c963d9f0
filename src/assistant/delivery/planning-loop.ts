import { sql } from 'kysely';
import { log } from '../../log.ts';
import { makeDue, planningTurns } from '../store/planning-turns.ts';
import type { Clock, Store } from '../store/store.ts';

const minute = 60_000;
/** Changes come in bursts: what has been quiet for a turn is planned. */
const turnMs = minute;
/** As time goes on, new occurrences come within the planning's view. */
const roundMs = 60 * minute;

export interface PlanningLoopOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly plan: (userId: string) => Promise<unknown>;
}

/** Plans by itself: for whom something has changed, and for everybody from time to time, on one machine at a time. */
export class PlanningLoop {
  readonly #options: PlanningLoopOptions;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: PlanningLoopOptions) {
    this.#options = options;
  }

  start(): void {
    // Not all machines at the same moment: the second one finds the work done.
    this.#timer ??= setInterval(
      () => {
        this.#turn = this.#turn.then(() => this.turn());
      },
      turnMs * (1 + Math.random() / 2),
    );
  }

  async turn(): Promise<void> {
    if (this.#closed) return;
    try {
      const left = new Set(await this.#due());
      for (const id of left) {
        const planned = await this.#plan(id);
        if (!this.#closed || planned) left.delete(id);
        if (this.#closed) break;
      }
      if (left.size > 0) await this.#options.store.write(({ db }) => makeDue(db, [...left]));
    } catch (error) {
      log('warning', 'nothing could be planned', error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed = true;
    await this.#turn;
  }

  async #plan(userId: string): Promise<boolean> {
    try {
      await this.#options.plan(userId);
      return true;
    } catch (error) {
      if (!this.#closed) log('warning', `user ${userId} could not be planned for`, error);
      return false;
    }
  }

  /** The users whose turn it is; whoever asks first has them until the next round. */
  async #due(): Promise<readonly string[]> {
    const { store, clock } = this.#options;
    const now = clock();
    const rows = await store.run(sql<{ key: string }>`insert into records (kind, key, value, position)
      select ${planningTurns}, users.id, '{}', ${now + roundMs} from users
      where exists (select 1 from events where events.user_id = users.id and events.last_ms > ${now})
        and not exists (select 1 from records
          where kind = ${planningTurns} and key = users.id and position > ${now})
      on conflict (kind, key) do update set position = excluded.position where records.position <= ${now}
      returning key`);
    return rows.map(({ key }) => key);
  }
}
