import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

const program = `import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from ${JSON.stringify(new URL('thread-program.ts', import.meta.url))};
lowerThreadPriority();
parentPort.postMessage(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));
parentPort.on('message', () => parentPort.close());`;

it.runIf(process.platform === 'linux')('lowers the priority of one thread only', async () => {
  const before = getPriority();
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
  const thread = await new Promise<number>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  expect([getPriority(thread), getPriority()]).toEqual([Math.max(before, 5), before]);
  worker.postMessage('end');
});
