import { existsSync } from 'node:fs';
import type { Metric } from '../feature.ts';
import type { Store } from '../store/store.ts';

/** The queue of notifications. Does not create a SQLite database that does not exist yet. */
export async function notificationMetrics(store: Store, nowMs: number): Promise<readonly Metric[]> {
  if (store.engine === 'sqlite' && !existsSync(store.place)) return [];
  const { statuses, due, last } = await store.read(async (db) => ({
    statuses: await db
      .selectFrom('notifications')
      .select(({ fn }) => ['status', fn.countAll().as('count')])
      .groupBy('status')
      .orderBy('status')
      .execute(),
    due: await db
      .selectFrom('notifications')
      .select(({ fn }) => [fn.countAll().as('count'), fn.min('next_ms').as('oldest')])
      .where('status', '=', 'planned')
      .where('next_ms', '<=', nowMs)
      .executeTakeFirstOrThrow(),
    last: await db
      .selectFrom('notifications')
      .select(({ fn }) => fn.max('sent_ms').as('sent'))
      .executeTakeFirstOrThrow(),
  }));
  const gauge = (name: string, help: string, value: number): Metric => ({ name, help, type: 'gauge', value });
  return [
    ...statuses.map(({ status, count }) => ({
      ...gauge('notifications', 'Notifications by status', Number(count)),
      labels: { status },
    })),
    gauge('notifications_due', 'Notifications that wait for a worker', Number(due.count)),
    gauge(
      'notifications_late_seconds',
      'How long the oldest of them has waited',
      due.oldest == null ? 0 : (nowMs - Number(due.oldest)) / 1000,
    ),
    ...(last.sent == null
      ? []
      : [
          gauge(
            'last_delivery_timestamp_seconds',
            'When the last notification was sent',
            Number(last.sent) / 1000,
          ),
        ]),
  ];
}
