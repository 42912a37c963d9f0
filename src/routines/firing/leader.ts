import { sql } from 'kysely';
import { SharedLease } from '../../store/shared-lease.ts';
import type { Clock, Store } from '../../store/store.ts';
import { isDead } from './owner.ts';

/** Kind of the records that say which process fires the routines of a machine. */
export const leaderKind = 'routine-worker';
const leaseMs = 45_000;

export interface LeaderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly machine: string;
  readonly owner: string;
}

/** The lease of the one process that fires the routines of a machine. */
export class Leader {
  readonly #options: LeaderOptions;
  readonly #lease: SharedLease<Record<string, never>>;

  constructor(options: LeaderOptions) {
    this.#options = options;
    const { store, clock, machine: key, owner } = options;
    this.#lease = new SharedLease({ store, clock, kind: leaderKind, key, owner, durationMs: leaseMs });
  }

  /** Takes or renews the lease. A process of this machine that was killed loses it at once. */
  async take(): Promise<boolean> {
    if ((await this.#lease.take({})) !== undefined) return true;
    const { store, machine } = this.#options;
    const row = await store.read((db) =>
      db
        .selectFrom('records')
        .select('value')
        .where('kind', '=', leaderKind)
        .where('key', '=', machine)
        .executeTakeFirst(),
    );
    const { owner = '' } = JSON.parse(row?.value ?? '{}') as { owner?: string };
    if (!isDead(owner)) return false;
    await store.run(sql`update records set position = 0
      where kind = ${leaderKind} and key = ${machine} and value = ${row!.value} returning key`);
    return (await this.#lease.take({})) !== undefined;
  }

  async release(): Promise<void> {
    await this.#lease.release().catch(() => undefined);
  }
}
