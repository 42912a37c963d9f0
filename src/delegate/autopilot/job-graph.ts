/** The part of a job that scheduling needs. */
export interface GraphJob {
  readonly id: string;
  readonly depends_on: readonly string[];
}

export type JobState = 'waiting' | 'running' | 'done' | 'failed';

export interface Schedule<Job extends GraphJob> {
  readonly jobs: readonly Job[];
  readonly maxParallel: number;
  /** True if two jobs must not run at the same time. */
  conflicts(one: Job, other: Job): boolean;
}

/** The ids of a dependency cycle; `undefined` if there is none. */
export function findCycle(jobs: readonly GraphJob[]): readonly string[] | undefined {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const visited = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (visited.has(id)) return undefined;
    for (const dependency of byId.get(id)?.depends_on ?? []) {
      const cycle = visit(dependency, [...path, id]);
      if (cycle !== undefined) return cycle;
    }
    visited.add(id);
    return undefined;
  };
  for (const { id } of jobs) {
    const cycle = visit(id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** The jobs to start now, in plan order. */
function findStartable<Job extends GraphJob>(
  { jobs, maxParallel, conflicts }: Schedule<Job>,
  states: ReadonlyMap<string, JobState>,
): Job[] {
  const running = jobs.filter(({ id }) => states.get(id) === 'running');
  const chosen: Job[] = [];
  for (const job of jobs) {
    if (running.length + chosen.length >= maxParallel) break;
    const isReady =
      states.get(job.id) === 'waiting' && job.depends_on.every((id) => states.get(id) === 'done');
    if (isReady && ![...running, ...chosen].some((other) => conflicts(job, other))) chosen.push(job);
  }
  return chosen;
}

/** The waiting jobs that can never start, each with the failed job it depends on. */
function findBlocked<Job extends GraphJob>(
  jobs: readonly Job[],
  states: ReadonlyMap<string, JobState>,
): { readonly job: Job; readonly blockedBy: string }[] {
  return jobs.flatMap((job) => {
    const blockedBy = job.depends_on.find((id) => states.get(id) === 'failed');
    return states.get(job.id) === 'waiting' && blockedBy !== undefined ? [{ job, blockedBy }] : [];
  });
}

export interface GraphRun<Job extends GraphJob, Result> extends Schedule<Job> {
  readonly signal: AbortSignal;
  /** The results of jobs that finished earlier. */
  readonly known?: ReadonlyMap<string, Result>;
  /** Runs a job with the results of its dependencies. If it rejects, no further job is started. */
  run(job: Job, dependencies: readonly Result[]): Promise<Result>;
  /** Creates the result of a job that is not started. `blockedBy` is the failed dependency; absent after an abort. */
  skip(job: Job, blockedBy?: string): Result;
  isDone(result: Result): boolean;
  onResult(job: Job, result: Result): Promise<void>;
}

/** Runs each job without a known result at most once. Returns exactly one result per job, in plan order. */
export async function runGraph<Job extends GraphJob, Result>(
  graph: GraphRun<Job, Result>,
): Promise<Result[]> {
  const { jobs, signal } = graph;
  const results = new Map(graph.known);
  const stateOf = (result: Result): JobState => (graph.isDone(result) ? 'done' : 'failed');
  const states = new Map<string, JobState>(
    jobs.map(({ id }) => [id, results.has(id) ? stateOf(results.get(id)!) : 'waiting']),
  );
  const record = async (job: Job, result: Result) => {
    results.set(job.id, result);
    states.set(job.id, stateOf(result));
    await graph.onResult(job, result);
  };
  const running = new Map<string, Promise<string>>();
  for (;;) {
    // Skipping a job can block the jobs that depend on it.
    for (let blocked = findBlocked(jobs, states); blocked.length > 0; blocked = findBlocked(jobs, states)) {
      for (const { job, blockedBy } of blocked) await record(job, graph.skip(job, blockedBy));
    }
    const next = signal.aborted ? [] : findStartable(graph, states);
    for (const job of next) {
      states.set(job.id, 'running');
      const dependencies = job.depends_on.flatMap((id) => results.get(id) ?? []);
      const work = graph.run(job, dependencies).then(async (result) => {
        await record(job, result);
        return job.id;
      });
      // Only the first rejection is awaited; this prevents unhandled rejections of the others.
      work.catch(() => {});
      running.set(job.id, work);
    }
    if (running.size === 0) break;
    running.delete(await Promise.race(running.values()));
  }
  for (const job of jobs) if (!results.has(job.id)) await record(job, graph.skip(job));
  return jobs.map(({ id }) => results.get(id)!);
}
