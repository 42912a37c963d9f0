import { duration, type JobResult, type JobSpec } from './run-record.ts';

/** The jobs of an autopilot on a time axis, each below those it waited for. */
export function JobChart({ plan, jobs }: { plan: readonly JobSpec[]; jobs: readonly JobResult[] }) {
  const results = new Map(jobs.map((job) => [job.id, job]));
  const times = jobs
    .filter(({ timing }) => timing?.started_at)
    .map(({ timing }) => Date.parse(timing.started_at));
  const start = Math.min(...times);
  const end = Math.max(
    start + 1,
    ...jobs.map(({ timing }) => Date.parse(timing.started_at) + timing.duration_ms),
  );
  const titles = new Map(plan.map(({ id, title }) => [id, title]));
  return (
    <>
      <h2>Jobs</h2>
      <ol class="jobs">
        {plan.map((spec) => {
          const job = results.get(spec.id);
          const from = job ? ((Date.parse(job.timing.started_at) - start) / (end - start)) * 100 : 0;
          const width = job ? Math.max(1, (job.timing.duration_ms / (end - start)) * 100) : 0;
          return (
            <li key={spec.id} style={{ marginLeft: `${depth(spec, plan) * 1.2}rem` }}>
              <div>
                {spec.depends_on?.length ? <span class="quiet">↳ </span> : null}
                <strong>{spec.title}</strong>{' '}
                <span class={`badge ${job?.status ?? 'waiting'}`}>{job?.status ?? 'waiting'}</span>{' '}
                <span class="quiet">
                  {spec.sandbox}
                  {job && `, ${duration(job.timing.duration_ms)}`}
                  {spec.depends_on?.length
                    ? `, after ${spec.depends_on.map((id) => titles.get(id) ?? id).join(', ')}`
                    : ''}
                </span>
              </div>
              {job && (
                <div class="job-axis">
                  <div
                    class={`job-bar ${job.status}`}
                    style={{ left: `${from}%`, width: `${Math.min(width, 100 - from)}%` }}
                  />
                </div>
              )}
              {job?.summary && <div class="quiet">{job.summary}</div>}
              {job?.error && <div class="problem">{job.error}</div>}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** How many jobs stand one behind the other before this one. */
function depth(spec: JobSpec, plan: readonly JobSpec[], seen: readonly string[] = []): number {
  const before = (spec.depends_on ?? []).flatMap(
    (id) => plan.find((one) => one.id === id && !seen.includes(id)) ?? [],
  );
  return before.length === 0 ? 0 : 1 + Math.max(...before.map((one) => depth(one, plan, [...seen, spec.id])));
}
