import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycle, type GraphJob, runGraph } from './job-graph.ts';

interface Job extends GraphJob {
  readonly writes: readonly string[];
  readonly fails: boolean;
}
interface Result {
  readonly id: string;
  readonly status: 'completed' | 'failed' | 'skipped';
  readonly blockedBy?: string | undefined;
}

const job = (id: string, depends_on: string[] = []): GraphJob => ({ id, depends_on });

describe('findCycle', () => {
  it('returns the ids of a cycle', () => {
    expect(findCycle([job('a', ['a'])])).toEqual(['a', 'a']);
    expect(findCycle([job('a'), job('b', ['d', 'a']), job('c', ['b']), job('d', ['c'])])).toEqual([
      'b',
      'd',
      'c',
      'b',
    ]);
  });

  it('returns undefined for a graph without a cycle and ignores unknown ids', () => {
    expect(findCycle([job('a', ['gone']), job('b', ['a']), job('c', ['a', 'b'])])).toBeUndefined();
  });
});

/** Random acyclic graphs: a job depends only on earlier jobs; then the jobs are shuffled. */
const graphs: fc.Arbitrary<Job[]> = fc
  .array(
    fc.record({
      before: fc.array(fc.nat(20), { maxLength: 3 }),
      writes: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
      reads: fc.boolean(),
      fails: fc.boolean(),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .chain((raw) => {
    const jobs = raw.map(({ before, writes, reads, fails }, at) => ({
      id: `j${at}`,
      depends_on: at === 0 ? [] : [...new Set(before.map((one) => `j${one % at}`))],
      writes: reads ? [`only-${at}`] : writes,
      fails,
    }));
    return fc.shuffledSubarray(jobs, { minLength: jobs.length });
  });

describe('runGraph', () => {
  it('runs each job at most once, within the limits, and returns one result per job in plan order', async () => {
    await fc.assert(
      fc.asyncProperty(
        graphs,
        fc.integer({ min: 1, max: 4 }),
        fc.option(fc.nat(8), { nil: undefined }),
        fc.scheduler(),
        async (jobs, maxParallel, abortAfter, scheduler) => {
          const running = new Set<Job>();
          const started: string[] = [];
          const reported: string[] = [];
          const abort = new AbortController();
          const conflicts = (one: Job, other: Job) => one.writes.some((path) => other.writes.includes(path));
          const all = runGraph<Job, Result>({
            jobs,
            maxParallel,
            signal: abort.signal,
            conflicts,
            async run(one, dependencies) {
              expect(abort.signal.aborted).toBe(false);
              expect(dependencies.map(({ id, status }) => [id, status])).toEqual(
                one.depends_on.map((id) => [id, 'completed']),
              );
              for (const other of running) expect(conflicts(one, other)).toBe(false);
              started.push(one.id);
              running.add(one);
              expect(running.size).toBeLessThanOrEqual(maxParallel);
              await scheduler.schedule(Promise.resolve());
              running.delete(one);
              if (started.length === abortAfter) abort.abort();
              return { id: one.id, status: one.fails ? 'failed' : 'completed' };
            },
            skip: ({ id }, blockedBy) => ({ id, status: 'skipped', blockedBy }),
            isDone: ({ status }) => status === 'completed',
            onResult: async ({ id }) => void reported.push(id),
          });
          const results = await scheduler.waitFor(all);
          expect(results.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id));
          expect(new Set(started).size).toBe(started.length);
          expect([...reported].sort()).toEqual(jobs.map(({ id }) => id).sort());
          const statusOf = new Map(results.map(({ id, status }) => [id, status]));
          for (const { id, status, blockedBy } of results) {
            const { depends_on } = jobs.find((one) => one.id === id)!;
            if (status !== 'skipped')
              expect(depends_on.every((one) => statusOf.get(one) === 'completed')).toBe(true);
            else if (blockedBy === undefined) expect(abort.signal.aborted).toBe(true);
            else expect(statusOf.get(blockedBy)).not.toBe('completed');
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('runGraph with a job that is released', () => {
  it('rejects without starting another job', async () => {
    const started: string[] = [];
    const graph = runGraph<GraphJob, string>({
      jobs: [job('a'), job('b'), job('c')],
      maxParallel: 2,
      signal: new AbortController().signal,
      conflicts: () => false,
      run: async ({ id }) => {
        started.push(id);
        throw new Error(`${id} was released`);
      },
      skip: ({ id }) => id,
      isDone: () => true,
      onResult: async () => {},
    });
    await expect(graph).rejects.toThrow('a was released');
    expect(started).toEqual(['a', 'b']);
  });
});
