import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ThreadLimit, WorkThreads } from './work-threads.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-threads-'));
afterAll(() => rmSync(folder, { recursive: true }));

const program = join(folder, 'program.mjs');
writeFileSync(
  program,
  `import { parentPort, threadId, workerData } from 'node:worker_threads';
const tasks = {
  add: ([a, b]) => a + b,
  thread: () => threadId,
  fail: () => { throw new Error('it failed'); },
  forever: () => { for (;;); },
  fill: () => { const all = []; for (;;) all.push(('x' + all.length).repeat(500).toUpperCase()); },
  exit: () => process.exit(3),
};
if (workerData === 'test')
  parentPort.on('message', ({ task, input }) => {
    try {
      parentPort.postMessage({ value: tasks[task](input) });
    } catch ({ message }) {
      parentPort.postMessage({ error: { message } });
    }
  });
`,
);
const create = (file = program, maxThreads = 1) =>
  new WorkThreads({ name: 'test', file: () => file, maxThreads, maxMegabytes: 32 });
const options = { timeoutMs: 60_000 };

describe('a task in a thread', () => {
  it('uses the thread of the task before', async () => {
    const threads = create();
    const ids = [
      await threads.run('thread', undefined, options),
      await threads.run('thread', undefined, options),
    ];
    expect(ids[1]).toEqual(ids[0]);
    expect(await threads.run('add', [1, 2], options)).toEqual({ value: 3 });
    expect(await threads.run('fail', undefined, options)).toEqual({ error: { message: 'it failed' } });
  });

  it('waits for its turn if all threads are busy', async () => {
    const threads = create();
    const order: number[] = [];
    const runs = [1, 2, 3].map(async (number) => {
      await threads.run('add', [number, 0], options);
      order.push(number);
    });
    await Promise.all(runs);
    expect(order).toEqual([1, 2, 3]);
  });

  it.each([
    ['takes too long', 'forever', 500, ThreadLimit, 'it needs more than 0.5 s'],
    ['needs too much memory', 'fill', 60_000, ThreadLimit, 'it needs more than 32 MB of memory'],
    ['ends its thread', 'exit', 60_000, Error, 'the thread exited with code 3'],
  ] as const)(
    'is ended if it %s, and the next task gets another thread',
    { timeout: 120_000 },
    async (_, task, timeoutMs, type, message) => {
      const threads = create();
      const failed = threads.run(task, undefined, { timeoutMs });
      const next = threads.run('add', [1, 2], options);
      await expect(failed).rejects.toThrow(type);
      await expect(failed).rejects.toThrow(message);
      expect(await next).toEqual({ value: 3 });
    },
  );

  it('is ended if the request is cancelled', async () => {
    const threads = create();
    const controller = new AbortController();
    const run = threads.run('forever', undefined, { ...options, signal: controller.signal });
    controller.abort(new Error('cancelled'));
    await expect(run).rejects.toThrow('cancelled');
    expect(await threads.run('add', [1, 2], options)).toEqual({ value: 3 });
  });

  it('fails if its program cannot be read, and so does not keep later tasks waiting', async () => {
    const threads = create(join(folder, 'missing.mjs'));
    for (const _ of [1, 2]) await expect(threads.run('add', [1, 2], options)).rejects.toThrow('missing.mjs');
  });
});
