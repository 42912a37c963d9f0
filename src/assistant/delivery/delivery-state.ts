import { existsSync } from 'node:fs';
import type { Finding } from '../../feature.ts';
import { refuseLost } from '../../store/damage.ts';
import type { Clock, Store } from '../../store/store.ts';
import type { Reader } from '../entities/entity-access.ts';
import { timestamp } from '../entities/view.ts';
import { hasSender } from './heartbeat.ts';

/** A running worker claims a reminder within seconds. */
const overdueMs = 2 * 60_000;

/** The notifications that a worker should have sent by now, and when the first of them was due. */
export async function overdueNotifications(
  db: Reader,
  nowMs: number,
): Promise<{ readonly count: number; readonly firstMs: number }> {
  const limitMs = nowMs - overdueMs;
  const { count, first } = await db
    .selectFrom('notifications')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('next_ms').as('first')])
    .where('next_ms', '<=', limitMs)
    .where((row) =>
      row.or([
        row('status', '=', 'planned'),
        row.and([row('status', '=', 'sending'), row('lease_ms', '<=', limitMs)]),
      ]),
    )
    .executeTakeFirstOrThrow();
  return { count: Number(count), firstMs: Number(first) };
}

/** Checks for monitoring: the database, the worker and the last delivery. Throws if the database does not answer. */
export async function checkDelivery(store: Store, clock: Clock): Promise<readonly Finding[]> {
  // A check must not create the database.
  if (store.engine === 'sqlite') refuseLost(store.place);
  if (store.engine === 'sqlite' && !existsSync(store.place))
    return [{ title: 'Database', state: 'good', detail: `${store.place} will be created on first use` }];
  const nowMs = clock();
  const isRunning = await hasSender(store, undefined, nowMs);
  return store.read(async (db) => {
    const overdue = await overdueNotifications(db, nowMs);
    const { last } = await db
      .selectFrom('notifications')
      .select(({ fn }) => fn.max('sent_ms').as('last'))
      .executeTakeFirstOrThrow();
    return [
      { title: 'Database', state: 'good', detail: `${store.place} answers` },
      overdue.count > 0
        ? {
            title: 'Worker',
            state: 'warning',
            detail: `${overdue.count} notifications are overdue, since ${timestamp(overdue.firstMs)}`,
            remedy: 'run adjutant worker',
          }
        : {
            title: 'Worker',
            state: 'good',
            detail: isRunning ? 'a worker is running' : 'no worker is running, and no notification is due',
          },
      {
        title: 'Last delivery',
        state: 'good',
        detail: last === null ? 'nothing was delivered yet' : timestamp(Number(last)),
      },
    ];
  });
}
