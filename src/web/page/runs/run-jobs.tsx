import { useState } from 'preact/hooks';
import { EvidenceList } from './evidence-list.tsx';
import { JobGraph } from './job-graph.tsx';
import { JobTimes } from './job-times.tsx';
import { RunArtifact } from './run-artifact.tsx';
import { RunFiles } from './run-files.tsx';
import type { Autopilot, JobResult, JobSpec } from './run-record.ts';

/** The jobs of an autopilot run as a graph and on a time axis, with details of the selected job. */
export function RunJobs({ runId, autopilot }: { runId: string; autopilot: Autopilot }) {
  const { plan, jobs } = autopilot;
  const [chosen, setChosen] = useState<string | undefined>();
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
        choose={(id) => setChosen(id === chosen ? undefined : id)}
      />
      {spec && (
        <JobDetail key={spec.id} runId={runId} spec={spec} job={results.get(spec.id)} plan={plan.jobs} />
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
}

function JobDetail({ runId, spec, job, plan }: Props) {
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
      {job?.patch && !job.patch.applied && (
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
