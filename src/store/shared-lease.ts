import { sql } from 'kysely';
import type { JsonObject } from '../json.ts';
import type { Clock, Store } from './store.ts';

interface Held {
  readonly owner: string;
  readonly fence: number;
}

/**
 * Says which process, on any machine, may do something now, such as polling a provider, and keeps the state of that work. No
 * process can see whether one on another machine is alive, so the lease ends when its owner does not renew it in time.
 *
 * Every new owner gets a higher fence, which is stored with the state. A process that was suspended for longer than its lease
 * does not know that it lost it: its next `save` fails, because the stored state is not the one that it has read.
 */
export class SharedLease<State extends JsonObject> {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #row: ReturnType<typeof sql>;
  readonly #insert: (value: string, untilMs: number) => ReturnType<typeof sql>;
  readonly #owner: string;
  readonly #durationMs: number;
  /** The stored text of the state while this process holds the lease. */
  #value: string | undefined;

  /** The lease is the record with this kind and key. */
  constructor(
    { store, clock }: { readonly store: Store; readonly clock: Clock },
    { kind, key }: { readonly kind: string; readonly key: string },
    owner: string,
    durationMs: number,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#row = sql`kind = ${kind} and key = ${key}`;
    this.#insert = (value, untilMs) => sql`insert into records (kind, key, value, position)
      values (${kind}, ${key}, ${value}, ${untilMs}) on conflict (kind, key) do nothing returning key`;
    this.#owner = owner;
    this.#durationMs = durationMs;
  }

  /** Takes or renews the lease. Returns its state, or `undefined` if another process holds it. */
  async take(initial: State): Promise<State | undefined> {
    const now = this.#clock();
    const [row] = await this.#store.read(
      async (db) =>
        (
          await sql<{ value: string; position: number }>`select value, position from records
          where ${this.#row}`.execute(db)
        ).rows,
    );
    if (row === undefined) {
      const value = this.#serialize(initial, 1);
      const added = await this.#store.run(this.#insert(value, now + this.#durationMs));
      return this.#keep(added, value, initial);
    }
    const { owner, fence, ...stored } = parse(row.value);
    const isOwn = owner === this.#owner;
    if (!isOwn && row.position > now) return undefined;
    const state = { ...initial, ...stored };
    const value = this.#serialize(state, isOwn ? fence : fence + 1);
    return this.#keep(await this.#replace(row.value, value), value, state);
  }

  /** Renews the lease and stores its state. Returns false if another process has taken the lease. */
  async save(state: State): Promise<boolean> {
    if (this.#value === undefined) return false;
    const value = this.#serialize(state, parse(this.#value).fence);
    return this.#keep(await this.#replace(this.#value, value), value, true) ?? false;
  }

  /** Ends the lease, so that another process need not wait until its time is up. */
  async release(): Promise<void> {
    if (this.#value === undefined) return;
    await this.#store.run(
      sql`update records set position = 0 where ${this.#row} and value = ${this.#value} returning key`,
    );
    this.#value = undefined;
  }

  #replace(before: string, value: string): Promise<readonly unknown[]> {
    return this.#store.run(sql`update records set value = ${value}, position = ${this.#clock() + this.#durationMs}
      where ${this.#row} and value = ${before} returning key`);
  }

  #keep<Result>(changed: readonly unknown[], value: string, result: Result): Result | undefined {
    this.#value = changed.length > 0 ? value : undefined;
    return changed.length > 0 ? result : undefined;
  }

  #serialize(state: State, fence: number): string {
    return JSON.stringify({ ...state, owner: this.#owner, fence });
  }
}

/** A text that is not a state, or one without a fence as earlier versions stored it, has the fence 0. */
function parse(value: string): Held & JsonObject {
  const none = { owner: '', fence: 0 };
  try {
    return { ...none, ...(JSON.parse(value) as object) };
  } catch {
    return none;
  }
}
