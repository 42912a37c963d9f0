// One worker process of the benchmark: `node delivery-process.ts adjutant|graphile|empty URL`. Handles due jobs without
// sending anything, and reports over IPC when each job started. A `graphile` job looks up the notification and records
// its outcome, with one statement each; an `empty` job does nothing.

import type pg from 'pg';
import { Scheduler } from '../../src/assistant/delivery/scheduler.ts';
import { Worker } from '../../src/assistant/delivery/worker.ts';
import { followChanges } from '../../src/store/change-feed.ts';
import { createStore } from '../../src/store/store.ts';
import { senderPerChannel } from '../../test/channel-config.ts';
import { importComponent } from '../../test/components.ts';

const [kind, url] = process.argv.slice(2) as ['adjutant' | 'graphile' | 'empty', string];
/** Concurrent jobs, the same for both systems. Graphile Worker's local queue holds twice as many. */
const concurrency = 50;
let handled: [id: string, atMs: number][] = [];

async function adjutant(): Promise<() => Promise<void>> {
  const store = createStore(url);
  const channel = {
    async deliver({ id }: { id: string }) {
      handled.push([id, Date.now()]);
      return { kind: 'accepted', detail: '' } as const;
    },
  };
  const worker = new Worker({
    store,
    senders: senderPerChannel(() => channel),
    owner: `bench-${process.pid}`,
    slots: concurrency,
  });
  const scheduler = new Scheduler({ store, worker });
  const feed = followChanges(store, url, () => scheduler.wake());
  scheduler.start();
  return async () => {
    await feed.close();
    await scheduler.stop();
    await store.close();
  };
}

type WithClient = <Value>(work: (client: pg.PoolClient) => Promise<Value>) => Promise<Value>;

const lookUp = `select n.*, to_jsonb(u) as its_user, to_jsonb(e) as its_event
  from adjutant.notifications n join adjutant.users u on u.id = n.user_id join adjutant.events e on e.id = n.event_id
  where n.id = $1 and n.status = 'planned' and n.acknowledged_ms is null and e.revision = n.revision
    and e.status <> 'cancelled' and (select count(*) from adjutant.notifications o
      where o.event_id = n.event_id and o.occurrence = n.occurrence and o.status in ('sent', 'delivered')) < 3`;

const record = `with sent as (update adjutant.notifications set status = 'sent', sent_ms = $2, attempts = attempts + 1,
    fence = fence + 1, updated_ms = $2 where id = $1 and status = 'planned' returning id, user_id, event_id)
  insert into adjutant.audit select gen_random_uuid()::text, $2, 'notification.sent', user_id, event_id, id,
    '{"channel":"email","attempt":1,"reference":null,"detail":""}' from sent`;

async function graphile(): Promise<() => Promise<void>> {
  const { run, Logger } = (await importComponent('graphile-worker')) as unknown as Record<
    string,
    CallableFunction
  >;
  const silentLogger = new (Logger as unknown as new (factory: () => () => void) => object)(
    () => () => undefined,
  );
  const runner = (await run!({
    taskList: {
      deliver: async ({ id }: { id: string }, { withPgClient }: { withPgClient: WithClient }) => {
        if (kind === 'graphile') {
          const { rows } = await withPgClient((client) => client.query(lookUp, [id]));
          if (rows.length === 0) return;
        }
        handled.push([id, Date.now()]);
        if (kind === 'graphile') await withPgClient((client) => client.query(record, [id, Date.now()]));
      },
    },
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: concurrency,
        maxPoolSize: 10,
        pollInterval: 100,
        logger: silentLogger,
        localQueue: { size: concurrency * 2 },
        completeJobBatchDelay: 0,
      },
    },
    noHandleSignals: true,
  })) as { stop(): Promise<void> };
  return () => runner.stop();
}

const stop = await (kind === 'adjutant' ? adjutant() : graphile());
process.on('message', async (message) => {
  if (message === 'report') {
    process.send?.({ handled });
    handled = [];
  }
  if (message === 'stop') {
    await stop();
    process.exit();
  }
});
process.send?.('ready');
