import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunQueue } from './run-queue.ts';

let folder: string;
let ledger: RunQueue;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-ledger-'));
  ledger = await RunQueue.open(join(folder, 'state', 'runs.sqlite'));
});
afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

const now = '2026-01-01T00:00:00.000Z';
function enqueue(directory: string, threadId: string | null = null) {
  ledger.enqueue({
    directory,
    runId: directory,
    agent: 'codex',
    tool: 'delegate_run',
    threadId,
    totalTimeoutMs: 0,
  });
}
const takeTurn = (directory: string, places = 2) => ledger.takeTurn(directory, places, now);

/** Leaves a run in the name of a process that never was. */
function abandon(directory: string) {
  const run = ledger.find(directory)!;
  Object.assign(ledger.self, { born: 'never' });
  expect(ledger.adopt(run)).toBe(true);
  Object.assign(ledger.self, { born: run.owner.born });
}

describe('the ledger', () => {
  it('starts anew when its file is broken, and keeps the broken one', async () => {
    const file = join(folder, 'broken.sqlite');
    writeFileSync(file, 'this is no database, not at all, not even a small one'.repeat(100));
    const fresh = await RunQueue.open(file);
    expect(fresh.open()).toEqual([]);
    fresh.close();
  });

  it('lets a run keep its place when it is put in line again', async () => {
    for (const name of ['a', 'b', 'a']) enqueue(name);
    expect(ledger.open().map(({ directory }) => directory)).toEqual(['a', 'b']);
  });

  it('gives out no more places than there are', async () => {
    for (const name of ['a', 'b', 'c']) enqueue(name);
    expect(await takeTurn('a')).toBe(true);
    expect(await takeTurn('b')).toBe(true);
    expect(await takeTurn('c')).toBe(false);
    ledger.finish('a');
    expect(await takeTurn('c')).toBe(true);
  });

  it('serves first who came first', async () => {
    for (const name of ['a', 'b', 'c']) enqueue(name);
    expect(await takeTurn('c', 2)).toBe(false);
    expect(await takeTurn('b', 2)).toBe(true);
    expect(await takeTurn('c', 2)).toBe(false);
    expect(await takeTurn('a', 2)).toBe(true);
  });

  it('lets one run at a time go on with a thread, and others pass by', async () => {
    enqueue('a', 'thread');
    enqueue('b', 'thread');
    enqueue('c');
    expect(await takeTurn('a', 3)).toBe(true);
    expect(await takeTurn('b', 3)).toBe(false);
    expect(await takeTurn('c', 3)).toBe(true);
    ledger.finish('a');
    expect(await takeTurn('b', 3)).toBe(true);
  });

  it('does not wait for the dead', async () => {
    enqueue('dead in line');
    enqueue('dead at work');
    expect(await ledger.takeTurn('dead at work', 9, now)).toBe(true);
    ledger.noteProcess('dead at work', { pid: 2 ** 30, born: 'never' });
    abandon('dead in line');
    abandon('dead at work');
    enqueue('c');
    expect(await takeTurn('c', 1)).toBe(true);
  });

  it('keeps the place of an agent that outlives its server', async () => {
    enqueue('a');
    expect(await takeTurn('a', 1)).toBe(true);
    ledger.noteProcess('a', ledger.self);
    abandon('a');
    enqueue('b');
    expect(await takeTurn('b', 1)).toBe(false);
  });

  it('lets one of many adopt a run', async () => {
    enqueue('a');
    abandon('a');
    const seen = ledger.find('a')!;
    expect(ledger.adopt(seen)).toBe(true);
    expect(ledger.adopt(seen)).toBe(false);
  });

  it('keeps the first reason to end, for a run and its parts alike', () => {
    enqueue('/runs/a');
    expect(ledger.cancellationOf('/runs/a')).toBeUndefined();
    ledger.requestCancellation('/runs/a', 'one');
    ledger.requestCancellation('/runs/a', 'two');
    expect(ledger.cancellationOf('/runs/a')).toBe('one');
    expect(ledger.cancellationOf('/runs/a/subruns/scan')).toBe('one');
    expect(ledger.cancellationOf('/runs/ab')).toBeUndefined();
    ledger.finish('/runs/a');
    expect(ledger.cancellationOf('/runs/a')).toBeUndefined();
  });

  it('remembers threads and what they have used, also when the run is over', () => {
    enqueue('a');
    ledger.noteThread('a', 'run', 'thread');
    const usage = {
      input_tokens: 1,
      cached_input_tokens: 0,
      output_tokens: 2,
      reasoning_output_tokens: 0,
    };
    ledger.noteUsage('thread', usage);
    ledger.finish('a');
    expect(ledger.knowsThread('thread')).toBe(true);
    expect(ledger.knowsThread('another')).toBe(false);
    expect(ledger.usageOf('thread')).toEqual(usage);
    expect(ledger.usageOf('another')).toBeUndefined();
  });
});
