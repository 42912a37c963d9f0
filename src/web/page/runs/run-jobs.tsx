import { useAddressed } from '../shared/route.ts';
import { EvidenceList } from './evidence-list.tsx';
import { layOutJobs, type Place } from './job-layout.ts';
import { RunArtifact } from './run-artifact.tsx';
import {
  type Artifact,
  type Autopilot,
  duration,
  isOpen,
  type JobResult,
  type JobSpec,
  tokens,
} from './run-record.ts';

/** The jobs of an autopilot run as a graph and on a time axis, with details of the selected job. */
export function RunJobs({ runId, autopilot }: { runId: string; autopilot: Autopilot }) {
  const { plan, jobs } = autopilot;
  const [chosen, setChosen] = useAddressed<string>('job', '');
  const results = new Map(jobs.map((job) => [job.id, job]));
  const spec = plan.jobs.find(({ id }) => id === chosen);
  return (
    <section>
      <h2>
        {autopilot.comparison === undefined ? 'Jobs' : 'Candidates'}{' '}
        <span class="quiet">{planSources[plan.source ?? 'none']}</span>
      </h2>
      <JobGraph
        plan={plan.jobs}
        results={results}
        chosen={chosen}
        choose={(id) => setChosen(id === chosen ? '' : id)}
      />
      {spec && (
        <JobDetail
          key={spec.id}
          runId={runId}
          spec={spec}
          job={results.get(spec.id)}
          plan={plan.jobs}
          isCandidate={autopilot.comparison !== undefined}
        />
      )}
      <JobTimes jobs={jobs} />
    </section>
  );
}

const planSources: Readonly<Record<string, string>> = {
  model: 'planned by the model',
  repaired: 'planned by the model on the second attempt',
  fallback: 'default plan, because the model returned no valid plan',
};

interface Props {
  readonly runId: string;
  readonly spec: JobSpec;
  readonly job: JobResult | undefined;
  readonly plan: readonly JobSpec[];
  /** The changes of a candidate are kept until somebody applies them. */
  readonly isCandidate: boolean;
}

function JobDetail({ runId, spec, job, plan, isCandidate }: Props) {
  const titles = spec.depends_on?.map((id) => plan.find((one) => one.id === id)?.title ?? id) ?? [];
  return (
    <section class="card" aria-label={`Job ${spec.title}`}>
      <h3>{spec.title}</h3>
      <p class="quiet">
        {spec.sandbox}
        {titles.length > 0 && `, after ${titles.join(' and ')}`}
      </p>
      {job?.error && <p class="problem">{job.error}</p>}
      {job?.summary && <p class="summary">{job.summary}</p>}
      {job?.patch && !job.patch.applied && (!isCandidate || job.patch.conflicts.length > 0) && (
        <p class="problem">
          The changes were saved as a patch but not applied
          {job.patch.conflicts.length > 0 && `, because of conflicts in ${job.patch.conflicts.join(', ')}`}.
        </p>
      )}
      {job && <EvidenceList deliverables={job.deliverables} evidence={job.evidence} />}
      {job?.artifacts.some(({ name }) => name === 'changes.patch') && (
        <RunArtifact runId={runId} name={`subruns/${spec.id}/changes.patch`} />
      )}
      {job && <RunFiles runId={runId} artifacts={job.artifacts} folder={`subruns/${spec.id}/`} />}
    </section>
  );
}

const [width, height, gapX, gapY] = [208, 58, 44, 14];

interface JobGraphProps {
  readonly plan: readonly JobSpec[];
  readonly results: ReadonlyMap<string, JobResult>;
  readonly chosen: string | undefined;
  choose(id: string): void;
}

/** The jobs of an autopilot run as a graph. Each job is to the right of its dependencies. */
function JobGraph({ plan, results, chosen, choose }: JobGraphProps) {
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

/** The jobs as bars on a common time axis. */
function JobTimes({ jobs }: { jobs: readonly JobResult[] }) {
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
          <span class="cut" title={job.title}>
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

interface RunFilesProps {
  readonly runId: string;
  readonly artifacts: readonly Artifact[];
  /** The subfolder of the run folder that contains the files. */
  readonly folder?: string;
}

/** The files of a run. Clicking a file shows its content. */
export function RunFiles({ runId, artifacts, folder = '' }: RunFilesProps) {
  const [open, setOpen] = useAddressed<string>(folder === '' ? 'artifact' : 'job-artifact', '');
  const files = artifacts.filter(({ name }) => !name.endsWith('/'));
  if (files.length === 0) return <p class="quiet">No files yet.</p>;
  return (
    <>
      <p class="buttons">
        {files.map(({ name }) => (
          <button
            key={name}
            type="button"
            class="small"
            aria-expanded={open === name}
            onClick={() => setOpen(open === name ? '' : name)}
          >
            {name}
          </button>
        ))}
      </p>
      {files.some(({ name }) => name === open) && <RunArtifact runId={runId} name={`${folder}${open}`} />}
    </>
  );
}
