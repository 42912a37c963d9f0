interface Job {
  readonly id: string;
  readonly depends_on?: readonly string[];
}

export interface Place {
  readonly column: number;
  readonly row: number;
}

/** Places every job to the right of its dependencies and close to their rows. Tolerates unknown ids and cycles. */
export function layOutJobs(jobs: readonly Job[]): ReadonlyMap<string, Place> {
  const known = new Map(jobs.map((job) => [job.id, job]));
  const dependencies = ({ depends_on = [] }: Job) => depends_on.flatMap((id) => known.get(id) ?? []);
  const depth = (job: Job, seen: readonly Job[] = []): number =>
    Math.max(
      0,
      ...dependencies(job)
        .filter((one) => one !== job && !seen.includes(one))
        .map((one) => 1 + depth(one, [...seen, job])),
    );
  const columns = Map.groupBy(jobs, (job) => depth(job));
  const places = new Map<string, Place>();
  for (const [column, members] of [...columns].sort(([a], [b]) => a - b)) {
    const averageRow = (job: Job) => {
      const rows = dependencies(job).flatMap(({ id }) => places.get(id)?.row ?? []);
      return rows.length === 0 ? 0 : rows.reduce((total, row) => total + row, 0) / rows.length;
    };
    const sorted = members
      .map((job) => ({ job, preferredRow: averageRow(job) }))
      .sort((a, b) => a.preferredRow - b.preferredRow);
    for (const [row, { job }] of sorted.entries()) places.set(job.id, { column, row });
  }
  return places;
}
