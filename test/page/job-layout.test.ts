import { describe, expect, it } from 'vitest';
import { layOutJobs } from '../../src/web/page/runs/job-layout.ts';

const places = (jobs: Record<string, readonly string[]>) =>
  Object.fromEntries(
    [...layOutJobs(Object.entries(jobs).map(([id, depends_on]) => ({ id, depends_on })))].map(
      ([id, { column, row }]) => [id, `${column}/${row}`],
    ),
  );

describe('layOutJobs', () => {
  it('accepts a job that depends on itself, on an unknown job, or on a cycle', () => {
    expect(places({ a: ['a'], b: ['nobody'] })).toEqual({ a: '0/0', b: '0/1' });
    expect(Object.keys(places({ a: ['c'], b: ['a'], c: ['b'] })).sort()).toEqual(['a', 'b', 'c']);
    expect(places({})).toEqual({});
  });

  it('places a job after the last of its dependencies', () => {
    expect(places({ look: [], change: ['look'], sum: ['look', 'change'] })).toEqual({
      look: '0/0',
      change: '1/0',
      sum: '2/0',
    });
  });

  it('places a job near the rows of its dependencies, so that few lines cross', () => {
    expect(places({ a: [], b: [], afterB: ['b'], afterA: ['a'] })).toEqual({
      a: '0/0',
      b: '0/1',
      afterA: '1/0',
      afterB: '1/1',
    });
  });
});
