// Random orders of acknowledgements, moves, cancellations and time, replayed on a real store with a real worker.

import { join } from 'node:path';
import fc from 'fast-check';
import { expandEvent } from '../../src/assistant/calendar/expand-event.ts';
import { createDelivery } from '../../src/assistant/delivery/delivery.ts';
import { createEvent, updateEvent } from '../../src/assistant/editing/events.ts';
import { acknowledgeNotification, snoozeNotification } from '../../src/assistant/editing/notifications.ts';
import { createUser } from '../../src/assistant/editing/users.ts';
import type { AssistantData } from '../../src/assistant/entities/entity-access.ts';
import { Failure } from '../../src/failure.ts';
import type { Notification } from '../../src/store/schema.ts';
import { createStore } from '../../src/store/store.ts';
import { channelConfig } from '../channel-config.ts';

const minute = 60_000;
const start = Date.parse('2026-11-16T08:00:00Z');

export const anyOrder = fc.record({
  reminders: fc.subarray(['2h', '90m', '1h', '30m', '5m'], { minLength: 1 }),
  channel: fc.constantFrom('email', 'both', 'ntfy', 'webhook'),
  steps: fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('wait' as const),
          minutes: fc.integer({ min: 1, max: 70 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('acknowledge' as const) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('move' as const),
          minutes: fc.constantFrom(-60, -15, 15, 60, 240),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('confirm' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('snooze' as const) }) },
    ),
    { minLength: 3, maxLength: 12 },
  ),
});
type Order = typeof anyOrder extends fc.Arbitrary<infer Value> ? Value : never;

export interface Bench {
  play(order: Order): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens a store and a worker that all stories share. */
export function openBench(folder: string): Bench {
  let now = start;
  let number = 0;
  const databaseUrl = join(folder, 'orders.db');
  const store = createStore(databaseUrl);
  const data: AssistantData = { store, clock: () => now, occurrences: expandEvent };
  const delivery = createDelivery({
    databaseUrl,
    policy: { name: 'rules', timeoutMs: 1000 },
    calendars: {
      privateHosts: [],
      passwordsFile: join(folder, 'none'),
      maxBytes: 1_000_000,
      intervalMs: 15 * minute,
    },
    channels: channelConfig(join(folder, 'outbox')),
    slots: 4,
    leaseMs: 60_000,
    clock: () => now,
  });

  async function play({ reminders, channel, steps }: Order): Promise<string[]> {
    now = start;
    const id = `u${++number}`;
    await createUser(data, {
      ...{ id, name: id, email: `${id}@example.com`, phone_e164: '+4930123456', ntfy_topic: id },
      ...{ webhook_url: 'https://hooks.example.com/', channel_pref: channel as 'email' },
      ...{ quiet_start: '00:00', quiet_end: '00:00' },
    });
    const begin = new Date(start + 150 * minute).toISOString();
    await createEvent(data, id, { title: 'Review', start_ts: begin, reminders }, id);
    const rows = () =>
      store.read((db) => db.selectFrom('notifications').selectAll().where('event_id', '=', id).execute());
    /** Delivers in order what comes due until then. */
    const advance = async (untilMs: number) => {
      await delivery.once();
      for (;;) {
        const due = (await rows()).filter(
          ({ status, next_ms }) => status === 'planned' && next_ms <= untilMs,
        );
        if (due.length === 0) break;
        now = Math.max(now, Math.min(...due.map(({ next_ms }) => next_ms)));
        await delivery.once();
      }
      now = untilMs;
      await delivery.once();
    };
    const broken: string[] = [];
    /** When each start was acknowledged. */
    const acknowledged = new Map<number, number>();
    for (const step of [...steps, { kind: 'wait' as const, minutes: 600 }]) {
      const sent = (await rows()).filter(({ status }) => status === 'sent');
      const last = sent.toSorted((a, b) => a.sent_ms! - b.sent_ms! || (a.id < b.id ? -1 : 1)).at(-1);
      const event = await store.read((db) =>
        db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      );
      if (step.kind === 'wait') await advance(now + step.minutes * minute);
      else if (step.kind === 'acknowledge' && last !== undefined) {
        await acknowledgeNotification(data, last.id, 'test');
        acknowledged.set(last.event_start_ms, now);
      } else if (step.kind === 'snooze' && last !== undefined)
        await snoozeNotification(data, last.id, { minutes: 10 }, 'test').catch(ignoreRefusal);
      else if (step.kind === 'move') {
        const moved = new Date(event.start_ms + step.minutes * minute).toISOString();
        await updateEvent(data, id, { start_ts: moved }, []);
      } else if (step.kind === 'cancel' || step.kind === 'confirm')
        await updateEvent(data, id, { status: step.kind === 'cancel' ? 'cancelled' : 'confirmed' }, []);
      if (['move', 'cancel', 'confirm'].includes(step.kind)) {
        await advance(now + 2 * minute);
        broken.push(...unreported(await rows(), last, now, id, await currentEvent(id)));
      }
      broken.push(...remindedAfter(await rows(), acknowledged));
    }
    await store.write(({ db }) => db.deleteFrom('users').where('id', '=', id).execute());
    return broken;
  }

  const currentEvent = (id: string) =>
    store.read((db) => db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
  return {
    play,
    async close() {
      await delivery.stop();
      await store.close();
    },
  };
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

/** Reminders that were sent although the user had acknowledged that start of the event. */
function remindedAfter(rows: readonly Notification[], acknowledged: ReadonlyMap<number, number>): string[] {
  return rows
    .filter(({ change, sent_ms, event_start_ms }) => {
      const atMs = acknowledged.get(event_start_ms);
      return change === null && sent_ms !== null && atMs !== undefined && sent_ms > atMs;
    })
    .map(({ channel, slot }) => `a reminder by ${channel} (${slot}) after the acknowledgement`);
}

/** After a change, the last message says what is true now, unless it is too late or the limit is reached. */
function unreported(
  rows: readonly Notification[],
  before: Notification | undefined,
  nowMs: number,
  id: string,
  event: { readonly status: string; readonly start_ms: number },
): string[] {
  if (before === undefined || before.event_start_ms <= nowMs || event.start_ms <= nowMs) return [];
  const sent = rows.filter(({ status }) => status === 'sent');
  const last = sent.toSorted((a, b) => a.sent_ms! - b.sent_ms! || (a.id < b.id ? -1 : 1)).at(-1)!;
  const cancelled = event.status === 'cancelled';
  const limited = ['moved', 'cancelled', 'restored'].some(
    (kind) => sent.filter(({ change, parent_id }) => change === kind && parent_id === null).length >= 3,
  );
  const told = last.change === 'cancelled' ? cancelled : !cancelled && last.event_start_ms === event.start_ms;
  return told || limited ? [] : [`${id}: ${event.status} at ${event.start_ms} was not reported`];
}
