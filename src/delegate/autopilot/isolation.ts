import { scopesOverlap } from '../changes/write-scope.ts';
import type { WorktreeRule } from '../settings/autopilot-settings.ts';
import { areOrdered } from './job-graph.ts';
import type { PlannedJob } from './plan.ts';

type Job = Pick<PlannedJob, 'id' | 'depends_on' | 'sandbox' | 'writes'>;

/** The ids of the jobs that get an isolated view of the folder. With `overlap`, writers that may change the same files in parallel. */
export function jobsToIsolate(jobs: readonly Job[], rule: WorktreeRule): ReadonlySet<string> {
  const writers = jobs.filter(({ sandbox }) => sandbox !== 'read-only');
  const mayConflict = (one: Job, other: Job) =>
    one !== other && !areOrdered(jobs, one.id, other.id) && scopesOverlap(one.writes, other.writes);
  const isolated = {
    never: () => [],
    overlap: () => writers.filter((job) => writers.some((other) => mayConflict(job, other))),
    always: () => writers,
  }[rule]();
  return new Set(isolated.map(({ id }) => id));
}
