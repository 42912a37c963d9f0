import { useEffect, useState } from 'preact/hooks';
import { EvidenceList } from './evidence-list.tsx';
import { JobChart } from './job-chart.tsx';
import { RunArtifact } from './run-artifact.tsx';
import { duration, isOpen, type RunOverview, type RunRecord } from './run-record.ts';
import { RunTimeline } from './run-timeline.tsx';
import { asError, useConnection, useLoaded } from './server-connection.tsx';
import { useToast } from './toast.tsx';

/** One run: what came of it, how it went, and what it left. */
export function RunDetail({ overview }: { overview: RunOverview }) {
  const { client } = useConnection();
  const toast = useToast();
  const [tick, setTick] = useState(0);
  const [artifact, setArtifact] = useState<string | undefined>();
  const open = isOpen(overview.status);
  const { value: run, error } = useLoaded<RunRecord>(
    (with_, signal) => with_.tool('show_run', { run_id: overview.run_id }, { signal }),
    [overview.run_id, overview.status, tick],
  );
  useEffect(() => {
    if (!open) return;
    const timer = setInterval(() => setTick((now) => now + 1), 1500);
    return () => clearInterval(timer);
  }, [open]);
  const act = (work: Promise<unknown>, done: string) =>
    work.then(
      () => toast({ text: done }),
      (failed) => toast({ text: asError(failed).message }),
    );
  const resume = () =>
    act(
      client.tool('delegate_resume', {
        thread_id: overview.subagent_thread_id,
        cwd: overview.cwd,
        skip_git_repo_check: true,
      }),
      'The thread went on; see the newest run.',
    );
  const outcome = run?.aggregate ?? run;
  return (
    <article>
      <h1>{overview.task || overview.run_id}</h1>
      <p class="quiet">
        <span class={`badge ${overview.status}`}>{overview.status}</span> {duration(overview.duration_ms)}
        {run?.usage && `, ${run.usage.input_tokens + run.usage.output_tokens} tokens`},{' '}
        <code>{overview.cwd}</code>
      </p>
      <p>
        {open && (
          <button
            type="button"
            class="danger"
            onClick={() => act(client.tool('cancel_run', { run_id: overview.run_id }), 'Cancelled.')}
          >
            Cancel
          </button>
        )}{' '}
        {!open && overview.subagent_thread_id && (
          <button type="button" onClick={resume}>
            Resume
          </button>
        )}
      </p>
      {(error ?? run?.error ?? overview.error) && (
        <p class="problem">{error?.message ?? run?.error ?? overview.error}</p>
      )}
      {run?.decision && <p class="quiet">{run.decision.reason}</p>}
      {outcome?.summary && <p class="summary">{outcome.summary}</p>}
      {run?.plan && run.plan.jobs.length > 0 && <JobChart plan={run.plan.jobs} jobs={run.jobs ?? []} />}
      <Points title="Open questions" items={outcome?.open_questions} />
      <Points title="Next" items={outcome?.next_actions} />
      {outcome?.deliverables && <EvidenceList deliverables={outcome.deliverables} evidence={run?.evidence} />}
      <h2>Timeline</h2>
      <RunTimeline runId={overview.run_id} open={open} />
      <h2>Artifacts</h2>
      <p class="artifacts">
        {run?.artifacts
          .filter(({ name }) => !name.endsWith('/'))
          .map(({ name }) => (
            <button
              key={name}
              type="button"
              class="small"
              aria-pressed={artifact === name}
              onClick={() => setArtifact(artifact === name ? undefined : name)}
            >
              {name}
            </button>
          ))}
      </p>
      {artifact && <RunArtifact runId={overview.run_id} name={artifact} />}
    </article>
  );
}

function Points({ title, items }: { title: string; items: readonly string[] | undefined }) {
  if (!items?.length) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </>
  );
}
