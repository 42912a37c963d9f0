import { layOutJobs, type Place } from './job-layout.ts';
import { duration, type JobResult, type JobSpec, tokens } from './run-record.ts';

const [width, height, gapX, gapY] = [208, 58, 44, 14];

interface Props {
  readonly plan: readonly JobSpec[];
  readonly results: ReadonlyMap<string, JobResult>;
  readonly chosen: string | undefined;
  choose(id: string): void;
}

/** The jobs of an autopilot run as a graph. Each job is to the right of its dependencies. */
export function JobGraph({ plan, results, chosen, choose }: Props) {
  const places = layOutJobs(plan);
  const left = ({ column }: Place) => column * (width + gapX);
  const top = ({ row }: Place) => row * (height + gapY);
  const all = [...places.values()];
  const size = {
    width: Math.max(...all.map(left)) + width,
    height: Math.max(...all.map(top)) + height,
  };
  const lines = plan.flatMap(({ id, depends_on = [] }) =>
    depends_on.flatMap((other) => {
      const [from, to] = [places.get(other), places.get(id)];
      if (from === undefined || to === undefined || from.column >= to.column) return [];
      const [x1, y1] = [left(from) + width, top(from) + height / 2];
      const [x2, y2] = [left(to) - 3, top(to) + height / 2];
      const bend = gapX / 2;
      return [`M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`];
    }),
  );
  return (
    <div class="job-graph" role="region" aria-label="Job graph" tabIndex={0}>
      <div style={{ width: `${size.width}px`, height: `${size.height}px` }}>
        <svg {...size} aria-hidden="true">
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 6 6"
              refX="5"
              refY="3"
              markerWidth="6"
              markerHeight="6"
              orient="auto"
            >
              <path d="M0 0 L6 3 L0 6 Z" fill="currentColor" />
            </marker>
          </defs>
          {lines.map((line) => (
            <path key={line} d={line} fill="none" stroke="currentColor" marker-end="url(#arrow)" />
          ))}
        </svg>
        {plan.map((spec) => {
          const job = results.get(spec.id);
          const status = job?.status ?? 'waiting';
          const place = places.get(spec.id)!;
          return (
            <button
              key={spec.id}
              type="button"
              class={`job-node ${status}`}
              aria-pressed={chosen === spec.id}
              title={spec.title}
              style={{
                left: `${left(place)}px`,
                top: `${top(place)}px`,
                width: `${width}px`,
                height: `${height}px`,
              }}
              onClick={() => choose(spec.id)}
            >
              <strong>{spec.title}</strong>
              <span class="quiet">
                {status.replaceAll('_', ' ')}
                {job &&
                  status !== 'skipped' &&
                  status !== 'waiting' &&
                  ` · ${duration(job.timing.duration_ms)}`}
                {job?.usage && ` · ${tokens(job.usage)}`}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
