import { sql } from 'kysely';
import type { JsonObject } from '../json.ts';
import type { Clock, Store } from './store.ts';

export interface SharedLeaseOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Kind and key of the record that holds the lease. */
  readonly kind: string;
  readonly key: string;
  readonly owner: string;
  readonly durationMs: number;
  /** Whether an owner is known to have exited. Its lease is free at once. Only for keys that one machine uses. */
  readonly hasExited?: (owner: string) => boolean;
}

/**
 * Says which process, on any machine, may do something now, such as polling a provider, and keeps the state of that work. No
 * process can see whether one on another machine is alive, so the lease ends when its owner does not renew it in time.
 *
 * Every new owner gets a higher fence, which is stored with the state. A process that was suspended for longer than its lease
 * does not know that it lost it: its next `save` fails, because the stored state is not the one that it has read.
 */
export class SharedLease<State extends JsonObject> {
  readonly #options: SharedLeaseOptions;
  /** The stored text while this process holds the lease. */
  #held: string | undefined;

  constructor(options: SharedLeaseOptions) {
    this.#options = options;
  }

  /** Takes or renews the lease. Returns its state, or `undefined` if another process holds it. */
  async take(initial: State): Promise<State | undefined> {
    const { store, clock, hasExited } = this.#options;
    const row = await store.read((db) =>
      db.selectFrom('records').select(['value', 'position']).where(this.#row).executeTakeFirst(),
    );
    const { owner, fence, ...stored } = parse(row?.value);
    const isOwn = owner === this.#options.owner;
    const isHeld = row !== undefined && row.position > clock() && !hasExited?.(owner);
    if (!isOwn && isHeld) return undefined;
    const state = { ...initial, ...stored };
    return (await this.#write(row?.value ?? '', state, isOwn ? fence : fence + 1)) ? state : undefined;
  }

  /** Renews the lease and stores its state. Returns false if another process has taken the lease. */
  async save(state: State): Promise<boolean> {
    return this.#held !== undefined && this.#write(this.#held, state, parse(this.#held).fence);
  }

  /** Ends the lease, so that another process need not wait until its time is up. A lease without state leaves no record. */
  async release(): Promise<void> {
    if (this.#held === undefined) return;
    const { owner: _, fence: __, ...state } = parse(this.#held);
    const end =
      Object.keys(state).length === 0 ? sql`delete from records` : sql`update records set position = 0`;
    await this.#options.store.run(sql`${end} where ${this.#row} and value = ${this.#held} returning key`);
    this.#held = undefined;
  }

  get #row() {
    return sql<boolean>`kind = ${this.#options.kind} and key = ${this.#options.key}`;
  }

  /** Stores a state if the record is still as it was read. */
  async #write(before: string, state: State, fence: number): Promise<boolean> {
    const { store, clock, kind, key, owner, durationMs } = this.#options;
    const value = JSON.stringify({ ...state, owner, fence });
    const rows = await store.run(sql`insert into records (kind, key, value, position)
      values (${kind}, ${key}, ${value}, ${clock() + durationMs})
      on conflict (kind, key) do update set value = excluded.value, position = excluded.position
      where records.value = ${before} returning key`);
    this.#held = rows.length > 0 ? value : undefined;
    return rows.length > 0;
  }
}

/** A text that is not a state, or one of an earlier version, has the fence 0. */
function parse(value = ''): JsonObject & { readonly owner: string; readonly fence: number } {
  const none = { owner: '', fence: 0 };
  try {
    return { ...none, ...(JSON.parse(value) as JsonObject) };
  } catch {
    return none;
  }
}
