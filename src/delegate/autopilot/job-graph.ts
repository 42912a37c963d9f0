/** A job as the schedule sees it. */
export interface GraphJob {
  readonly id: string;
  readonly depends_on: readonly string[];
}

export type JobState = 'waiting' | 'running' | 'done' | 'failed';

export interface Schedule<Job extends GraphJob> {
  readonly jobs: readonly Job[];
  readonly maxParallel: number;
  /** Whether two jobs must not run at the same time. */
  clash(one: Job, other: Job): boolean;
}

/** A circle of jobs that wait for one another, by their ids; `undefined` when there is none. */
export function findCycle(jobs: readonly GraphJob[]): readonly string[] | undefined {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const clear = new Set<string>();
  const walk = (id: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(id)) return [...trail.slice(trail.indexOf(id)), id];
    if (clear.has(id)) return undefined;
    for (const before of byId.get(id)?.depends_on ?? []) {
      const cycle = walk(before, [...trail, id]);
      if (cycle !== undefined) return cycle;
    }
    clear.add(id);
    return undefined;
  };
  for (const { id } of jobs) {
    const cycle = walk(id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Whether one of the two comes before the other by dependency, however far. */
export function areOrdered(jobs: readonly GraphJob[], one: string, other: string): boolean {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const reaches = (from: string, to: string): boolean =>
    (byId.get(from)?.depends_on ?? []).some((before) => before === to || reaches(before, to));
  return reaches(one, other) || reaches(other, one);
}

/** The jobs to start now, in the order of the plan. */
function startable<Job extends GraphJob>(
  { jobs, maxParallel, clash }: Schedule<Job>,
  states: ReadonlyMap<string, JobState>,
): Job[] {
  const running = jobs.filter(({ id }) => states.get(id) === 'running');
  const chosen: Job[] = [];
  for (const job of jobs) {
    if (running.length + chosen.length >= maxParallel) break;
    const isReady =
      states.get(job.id) === 'waiting' && job.depends_on.every((before) => states.get(before) === 'done');
    if (isReady && ![...running, ...chosen].some((other) => clash(job, other))) chosen.push(job);
  }
  return chosen;
}

/** Waiting jobs that can never start, each with the job that stands in its way. */
function blocked<Job extends GraphJob>(
  jobs: readonly Job[],
  states: ReadonlyMap<string, JobState>,
): { readonly job: Job; readonly by: string }[] {
  return jobs.flatMap((job) => {
    const by = job.depends_on.find((before) => states.get(before) === 'failed');
    return states.get(job.id) === 'waiting' && by !== undefined ? [{ job, by }] : [];
  });
}

export interface GraphRun<Job extends GraphJob, Result> extends Schedule<Job> {
  readonly signal: AbortSignal;
  /** What some of the jobs came to before. */
  readonly known?: ReadonlyMap<string, Result>;
  /** `before` are the results of the jobs it depends on. Where it rejects, no more jobs are begun. */
  run(job: Job, before: readonly Result[]): Promise<Result>;
  /** The result of a job that is not to start. `by` is the job it waited for in vain; absent after an abort. */
  skip(job: Job, by?: string): Result;
  isDone(result: Result): boolean;
  /** Told of each result as it comes in. */
  onResult(job: Job, result: Result): Promise<void> | void;
}

/** Runs every job of which nothing is known at most once and gives exactly one result for each, in the order of the plan. */
export async function runGraph<Job extends GraphJob, Result>(
  graph: GraphRun<Job, Result>,
): Promise<Result[]> {
  const { jobs, signal } = graph;
  const results = new Map(graph.known);
  const stateOf = (result: Result): JobState => (graph.isDone(result) ? 'done' : 'failed');
  const states = new Map<string, JobState>(
    jobs.map(({ id }) => [id, results.has(id) ? stateOf(results.get(id)!) : 'waiting']),
  );
  const settle = async (job: Job, result: Result) => {
    results.set(job.id, result);
    states.set(job.id, stateOf(result));
    await graph.onResult(job, result);
  };
  const running = new Map<string, Promise<string>>();
  for (;;) {
    for (let stuck = blocked(jobs, states); stuck.length > 0; stuck = blocked(jobs, states)) {
      for (const { job, by } of stuck) await settle(job, graph.skip(job, by));
    }
    const next = signal.aborted ? [] : startable(graph, states);
    for (const job of next) {
      states.set(job.id, 'running');
      const before = job.depends_on.flatMap((id) => results.get(id) ?? []);
      const work = graph.run(job, before).then(async (result) => {
        await settle(job, result);
        return job.id;
      });
      // Only the first to reject is waited for.
      work.catch(() => {});
      running.set(job.id, work);
    }
    if (running.size === 0) break;
    running.delete(await Promise.race(running.values()));
  }
  for (const job of jobs) if (!results.has(job.id)) await settle(job, graph.skip(job));
  return jobs.map(({ id }) => results.get(id)!);
}
