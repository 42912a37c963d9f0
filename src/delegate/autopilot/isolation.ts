import { scopesOverlap } from '../changes/write-scope.ts';
import type { WorktreeRule } from '../settings/autopilot-settings.ts';
import { areOrdered } from './job-graph.ts';
import type { PlannedJob } from './plan.ts';

type Job = Pick<PlannedJob, 'id' | 'depends_on' | 'sandbox' | 'writes'>;

/** The jobs that are to have a tree of their own: writers, and by the middle rule those that could meet at work. */
export function jobsToIsolate(jobs: readonly Job[], rule: WorktreeRule): ReadonlySet<string> {
  const writers = jobs.filter(({ sandbox }) => sandbox !== 'read-only');
  const couldMeet = (one: Job, other: Job) =>
    one !== other && !areOrdered(jobs, one.id, other.id) && scopesOverlap(one.writes, other.writes);
  const wanted = {
    never: () => [],
    overlap: () => writers.filter((job) => writers.some((other) => couldMeet(job, other))),
    always: () => writers,
  }[rule]();
  return new Set(wanted.map(({ id }) => id));
}
