import { duration, isOpen, type JobResult } from './run-record.ts';

/** The jobs as bars on a common time axis. */
export function JobTimes({ jobs }: { jobs: readonly JobResult[] }) {
  const spans = jobs
    .filter(({ status }) => status !== 'skipped' && status !== 'waiting')
    .map((job) => {
      const from = Date.parse(job.timing.started_at);
      return { job, from, to: isOpen(job.status) ? Date.now() : from + job.timing.duration_ms };
    });
  if (spans.length === 0) return null;
  const start = Math.min(...spans.map(({ from }) => from));
  const length = Math.max(1, ...spans.map(({ to }) => to - start));
  const percent = (milliseconds: number) => `${(milliseconds / length) * 100}%`;
  return (
    <div class="job-times" role="list" aria-label="Job times">
      <div class="job-axis" aria-hidden="true">
        {ticks(length).map((tick) => (
          <span key={tick} style={{ left: percent(tick) }}>
            {duration(tick)}
          </span>
        ))}
      </div>
      {spans.map(({ job, from, to }) => (
        <div key={job.id} class="job-time" role="listitem">
          <span class="job-name" title={job.title}>
            {job.title}
          </span>
          <span class="job-track">
            <span
              class={`job-bar ${job.status}`}
              style={{ left: percent(from - start), width: `max(3px, ${percent(to - from)})` }}
            />
          </span>
          <span class="quiet number">{duration(to - from)}</span>
        </div>
      ))}
    </div>
  );
}

/** Up to five round values for the time axis. */
function ticks(length: number): readonly number[] {
  const rough = length / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((one) => one >= rough)!;
  return Array.from({ length: Math.floor((length * 0.93) / step) + 1 }, (_, index) => index * step);
}
