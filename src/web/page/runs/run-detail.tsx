import { useConnection, useLoaded, useTicks, useUpdates } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { EvidenceList } from './evidence-list.tsx';
import { RunComparison } from './run-comparison.tsx';
import { RunControls } from './run-controls.tsx';
import { RunFiles } from './run-files.tsx';
import { RunJobs } from './run-jobs.tsx';
import {
  collectEvidence,
  duration,
  isOpen,
  type RunOverview,
  type RunRecord,
  tokens,
  tokensInFull,
} from './run-record.ts';
import { RunResume } from './run-resume.tsx';
import { RunReview } from './run-review.tsx';
import { RunTimeline } from './run-timeline.tsx';

/** How the reason for a final state is shown that is no failure. */
const milder: Readonly<Record<string, string>> = { cancelled: 'quiet', completed_with_problems: 'warning' };

/** One run: its result, changes, timeline and files. */
export function RunDetail({ overview }: { overview: RunOverview }) {
  const { run_id: id, status } = overview;
  const { changes } = useConnection();
  const open = isOpen(status);
  const updates = useUpdates(`runs://${id}/events.jsonl`);
  // This server sends no notifications for runs of other servers, so poll as well.
  const ticks = useTicks(open ? 3000 : undefined);
  const { value: run, error } = useLoaded(
    (client, signal) => client.tool('show_run', { run_id: id, full: true }, { signal }),
    [id, status, changes.resources, ticks, open && updates],
  );
  const outcome = run?.autopilot?.aggregate ?? run;
  const comparison = run?.autopilot?.comparison;
  const problem = error?.message ?? run?.error ?? overview.error;
  const hasPatch = run?.artifacts.some(({ name }) => name === 'changes.patch');
  return (
    <article>
      <h1>{overview.task || overview.run_id}</h1>
      <Facts overview={overview} run={run} />
      {open && run && <RunControls run={run} />}
      {problem && <p class={(error === undefined && milder[status]) || 'problem box'}>{problem}</p>}
      {[...new Set(run?.warnings)].map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      {run?.autopilot && !run.autopilot.decision.should_delegate && (
        <p class="quiet">Not delegated: {run.autopilot.decision.reason}</p>
      )}
      {comparison && <RunComparison comparison={comparison} jobs={run.autopilot!.jobs} />}
      {outcome?.summary && !comparison && <p class="summary">{outcome.summary}</p>}
      {run?.autopilot && run.autopilot.plan.jobs.length > 0 && (
        <RunJobs runId={id} autopilot={run.autopilot} />
      )}
      <Points title="Open questions" items={outcome?.open_questions} />
      {!open && <Points title="Next steps" items={outcome?.next_actions} />}
      {run && outcome && !comparison && (
        <EvidenceList deliverables={outcome.deliverables} evidence={collectEvidence(run)} />
      )}
      {hasPatch && (
        <section>
          <h2>Changes</h2>
          <RunReview overview={overview} />
        </section>
      )}
      <section>
        <h2>Timeline</h2>
        <RunTimeline runId={id} open={open} updates={updates} />
      </section>
      <section>
        <h2>Run files</h2>
        <RunFiles runId={id} artifacts={run?.artifacts ?? []} />
      </section>
      {/* A thread can be resumed only on the host that stores it. */}
      {!open && overview.subagent_thread_id && overview.host === undefined && (
        <RunResume run={overview} threadId={overview.subagent_thread_id} />
      )}
    </article>
  );
}

function Facts({ overview, run }: { overview: RunOverview; run: RunRecord | undefined }) {
  const { status, started_at, duration_ms, tool, cwd } = overview;
  const usage = run?.usage ?? overview.usage;
  const facts: readonly (readonly [string, string | undefined, (string | undefined)?])[] = [
    ['Started', shortTime(started_at), new Date(started_at).toLocaleString()],
    [isOpen(status) ? 'Running for' : 'Duration', duration(run?.timing.duration_ms ?? duration_ms)],
    ['Tokens', usage ? tokens(usage) : undefined, usage ? tokensInFull(usage) : undefined],
    ['Type', tool.replace('delegate_', '')],
    ['Host', overview.host],
    ['Folder', cwd],
  ];
  return (
    <dl class="facts">
      <div>
        <dt class="hidden">Status</dt>
        <dd>
          <span class={`badge ${status}`}>{status.replaceAll('_', ' ')}</span>
        </dd>
      </div>
      {facts.map(
        ([name, value, hint]) =>
          value && (
            <div key={name} title={hint}>
              <dt>{name === 'Tokens' ? tokensWord : name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const tokensWord = (
  <abbr title="Models read and write texts in tokens, pieces of about four characters">Tokens</abbr>
);

function Points({ title, items }: { title: string; items: readonly string[] | undefined }) {
  if (!items?.length) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {[...new Set(items)].map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </section>
  );
}
