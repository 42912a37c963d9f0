import { describe, expect, it } from 'vitest';
import { jobsToIsolate } from './autopilot.ts';

const job = (
  id: string,
  writes: string[],
  depends_on: string[] = [],
  sandbox = 'workspace-write' as const,
) => ({
  id,
  writes,
  depends_on,
  sandbox,
});
const jobs = [
  { ...job('look', []), sandbox: 'read-only' as const },
  job('a', ['src']),
  job('b', ['src/x.ts']),
  job('c', ['docs']),
  job('after', ['src'], ['a', 'b']),
];

describe('jobsToIsolate', () => {
  it('isolates no job, all writers, or writers that may change the same files in parallel', () => {
    expect([...jobsToIsolate(jobs, 'never')]).toEqual([]);
    expect([...jobsToIsolate(jobs, 'always')]).toEqual(['a', 'b', 'c', 'after']);
    expect([...jobsToIsolate(jobs, 'overlap')]).toEqual(['a', 'b']);
  });

  it('treats a writer without a list of files as writing anywhere', () => {
    expect([...jobsToIsolate([job('a', []), job('c', ['docs'])], 'overlap')]).toEqual(['a', 'c']);
  });
});
