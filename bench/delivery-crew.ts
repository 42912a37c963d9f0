// One member of a crew: `node delivery-crew.ts adjutant|graphile-worker URL`. Works off what is due without sending
// anything, and tells over IPC when each piece was begun.
import { followChanges } from '../src/assistant/delivery/feed.ts';
import { Scheduler } from '../src/assistant/delivery/scheduler.ts';
import { Worker } from '../src/assistant/delivery/worker.ts';
import { createStore } from '../src/assistant/store/store.ts';
import { importComponent } from '../test/components.ts';

const [kind, url] = process.argv.slice(2) as ['adjutant' | 'graphile-worker', string];
/** The same for both: so many at once, and as many again fetched ahead where there is such a thing. */
const atOnce = 50;
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
    channels: { email: channel, call: channel, webhook: channel, ntfy: channel },
    owner: `crew-${process.pid}`,
    slots: atOnce,
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

async function graphile(): Promise<() => Promise<void>> {
  const { run, Logger } = (await importComponent('graphile-worker')) as unknown as Record<
    string,
    CallableFunction
  >;
  const silent = new (Logger as unknown as new (factory: () => () => void) => object)(() => () => undefined);
  const runner = (await run!({
    taskList: {
      deliver: async ({ id }: { id: string }) => {
        handled.push([id, Date.now()]);
      },
    },
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: atOnce,
        maxPoolSize: 10,
        pollInterval: 100,
        logger: silent,
        localQueue: { size: atOnce * 2 },
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
