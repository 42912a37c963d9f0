import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunQueue } from './run-queue.ts';

let folder: string;
let queue: RunQueue;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-queue-'));
  queue = await RunQueue.open(join(folder, 'state', 'runs.sqlite'));
});
afterEach(() => {
  queue.close();
  rmSync(folder, { recursive: true, force: true });
});

const now = '2026-01-01T00:00:00.000Z';
function enqueue(directory: string, threadId: string | null = null) {
  queue.enqueue({
    directory,
    runId: directory,
    agent: 'codex',
    tool: 'delegate_run',
    threadId,
    state: 'waiting',
  });
}
const tryStart = (directory: string, maxParallel = 2) => queue.tryStart(directory, maxParallel, now);

/** Makes a process that never existed the owner of a run. */
function abandon(directory: string) {
  const run = queue.find(directory)!;
  Object.assign(queue.self, { born: 'never' });
  expect(queue.claim(run)).toBe(true);
  Object.assign(queue.self, { born: run.owner.born });
}

describe('RunQueue', () => {
  it('replaces a corrupt database file and keeps the corrupt one', async () => {
    const file = join(folder, 'broken.sqlite');
    writeFileSync(file, 'this is not a database'.repeat(100));
    const fresh = await RunQueue.open(file);
    expect(fresh.open()).toEqual([]);
    fresh.close();
  });

  it('creates a deleted file again instead of writing to the deleted one', async () => {
    rmSync(join(folder, 'state', 'runs.sqlite'));
    enqueue('a');
    const other = await RunQueue.open(join(folder, 'state', 'runs.sqlite'));
    expect(other.find('a')).toBeDefined();
    other.close();
  });

  it('reports another process that holds the file for too long', async () => {
    const file = join(folder, 'state', 'runs.sqlite');
    const impatient = await RunQueue.open(file, 1);
    const other = new DatabaseSync(file);
    other.exec('BEGIN EXCLUSIVE');
    expect(() => impatient.requestCancellation('a', 'enough')).toThrow(
      `The database ${file} is locked by another process; try again when that process is done.`,
    );
    other.close();
    impatient.requestCancellation('a', 'enough');
    expect(queue.cancellationReason('a')).toBe('enough');
    impatient.close();
  });

  it('keeps the position of a run that is enqueued twice', async () => {
    for (const name of ['a', 'b', 'a']) enqueue(name);
    expect(queue.open().map(({ directory }) => directory)).toEqual(['a', 'b']);
  });

  it('starts no more runs than the limit allows', async () => {
    for (const name of ['a', 'b', 'c']) enqueue(name);
    expect(await tryStart('a')).toBe(true);
    expect(await tryStart('b')).toBe(true);
    expect(await tryStart('c')).toBe(false);
    queue.finish('a');
    expect(await tryStart('c')).toBe(true);
  });

  it('starts runs in the order they were enqueued', async () => {
    for (const name of ['a', 'b', 'c']) enqueue(name);
    expect(await tryStart('c', 2)).toBe(false);
    expect(await tryStart('b', 2)).toBe(true);
    expect(await tryStart('c', 2)).toBe(false);
    expect(await tryStart('a', 2)).toBe(true);
  });

  it('runs one run per thread at a time and lets other runs pass', async () => {
    enqueue('a', 'thread');
    enqueue('b', 'thread');
    enqueue('c');
    expect(await tryStart('a', 3)).toBe(true);
    expect(await tryStart('b', 3)).toBe(false);
    expect(await tryStart('c', 3)).toBe(true);
    queue.finish('a');
    expect(await tryStart('b', 3)).toBe(true);
  });

  it('does not count runs of dead servers whose agents are gone', async () => {
    enqueue('dead and waiting');
    enqueue('dead and running');
    expect(await queue.tryStart('dead and running', 9, now)).toBe(true);
    queue.recordProcess('dead and running', { pid: 2 ** 30, born: 'never' });
    abandon('dead and waiting');
    abandon('dead and running');
    enqueue('c');
    expect(await tryStart('c', 1)).toBe(true);
  });

  it('still counts an agent that outlives its server', async () => {
    enqueue('a');
    expect(await tryStart('a', 1)).toBe(true);
    queue.recordProcess('a', queue.self);
    abandon('a');
    enqueue('b');
    expect(await tryStart('b', 1)).toBe(false);
  });

  it('lets only one server adopt a run', async () => {
    enqueue('a');
    abandon('a');
    const seen = queue.find('a')!;
    expect(queue.claim(seen)).toBe(true);
    expect(queue.claim(seen)).toBe(false);
  });

  it('keeps the first cancellation reason, for a run and its sub-runs', () => {
    enqueue('/runs/a');
    expect(queue.cancellationReason('/runs/a')).toBeUndefined();
    queue.requestCancellation('/runs/a', 'one');
    queue.requestCancellation('/runs/a', 'two');
    expect(queue.cancellationReason('/runs/a')).toBe('one');
    expect(queue.cancellationReason('/runs/a/subruns/scan')).toBe('one');
    expect(queue.cancellationReason('/runs/ab')).toBeUndefined();
    queue.finish('/runs/a');
    expect(queue.cancellationReason('/runs/a')).toBeUndefined();
  });

  it('remembers threads and their usage after the run has finished', () => {
    enqueue('a');
    queue.recordThread('a', 'run', 'thread');
    const usage = {
      input_tokens: 1,
      cached_input_tokens: 0,
      output_tokens: 2,
      reasoning_output_tokens: 0,
    };
    queue.recordUsage('thread', usage);
    queue.finish('a');
    expect(queue.knowsThread('thread')).toBe(true);
    expect(queue.knowsThread('another')).toBe(false);
    expect(queue.threadUsage('thread')).toEqual(usage);
    expect(queue.threadUsage('another')).toBeUndefined();
  });
});
