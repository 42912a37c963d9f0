import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem, SelectField, TextField } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import { currentRoute, goTo, pathBeside, pathTo, useRoute } from '../shared/route.ts';
import { useConnection, useTicks, useTool, useUpdates } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { EvidenceList } from './evidence-list.tsx';
import { RunApproval } from './run-approval.tsx';
import { RunComparison } from './run-comparison.tsx';
import { RunFiles, RunJobs } from './run-jobs.tsx';
import { useLaunch } from './run-launch.ts';
import {
  collectEvidence,
  duration,
  isOpen,
  type RunOverview,
  type RunRecord,
  tokens,
  tokensInFull,
} from './run-record.ts';
import { RunReview } from './run-review.tsx';
import { RunState } from './run-state.tsx';
import { RunTimeline } from './run-timeline.tsx';

/** How the reason for a final state is shown that is no failure. */
const milder: Readonly<Record<string, string>> = { cancelled: 'quiet', completed_with_problems: 'warning' };

/** One run: its result, changes, timeline and files. */
export function RunDetail({ overview, place }: { overview: RunOverview; place?: ComponentChildren }) {
  const { run_id: id, status } = overview;
  const { changes } = useConnection();
  const open = isOpen(status);
  const updates = useUpdates(`runs://${id}/events.jsonl`);
  // This server sends no notifications for runs of other servers, so poll as well.
  const ticks = useTicks(open ? 3000 : undefined);
  const { value: run, error } = useTool(
    'show_run',
    { run_id: id, full: true },
    ...[status, changes.resources, ticks, open && updates],
  );
  const outcome = run?.autopilot?.aggregate ?? run;
  const comparison = run?.autopilot?.comparison;
  const problem = error?.message ?? run?.error ?? overview.error;
  const hasPatch = run?.artifacts.some(({ name }) => name === 'changes.patch') ?? false;
  const approvals = (open && run?.approvals) || [];
  const [tab, setTab] = useTab(id, run && !open && hasPatch);
  return (
    <article>
      <PageHead
        title={overview.task || overview.run_id}
        // Inside a chat, there is no list around it.
        {...(place && { path: [['Runs', pathBeside('runs')]] as const, here: placeOf(overview), place })}
        actions={
          <>
            {hasPatch && <Tabs label="Run" tabs={tabs} chosen={tab} choose={setTab} />}
            {open && run && <CancelButton {...run} />}
          </>
        }
      >
        <RunState status={status} asks={approvals.length > 0} />
        <span class="buttons quiet small number">
          <span>{duration(run?.timing.duration_ms ?? overview.duration_ms)}</span>
          {run?.usage && <span>{tokens(run.usage)}</span>}
        </span>
      </PageHead>
      <div class={hasPatch && tab === 'changes' ? 'run-reviewed' : 'with-inspector'}>
        <div class="run-main">
          {approvals.map((request, index) => (
            <RunApproval
              key={`${request.run_id} ${request.id}`}
              {...{ request, run_id: steeredRun(run!) }}
              hasKeys={index === 0}
            />
          ))}
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
          {hasPatch && tab === 'changes' ? (
            <RunReview overview={overview} />
          ) : (
            <section aria-label="Steps">
              <RunTimeline runId={id} open={open} updates={updates} asks={approvals.length > 0} />
            </section>
          )}
          {open && run && <Composer run={run} />}
          {/* A thread can be resumed only on the host that stores it. */}
          {!open && overview.subagent_thread_id && overview.host === undefined && (
            <RunResume run={overview} threadId={overview.subagent_thread_id} />
          )}
        </div>
        <aside class="inspector" aria-label="About this run">
          <section>
            <h2>Run</h2>
            <Facts overview={overview} run={run} />
          </section>
          <section>
            <h2>Run files</h2>
            <RunFiles runId={id} artifacts={run?.artifacts ?? []} />
          </section>
        </aside>
      </div>
    </article>
  );
}

/** Who works where, as in `codex in harbour`. */
export function placeOf({ agent, tool, cwd }: RunOverview): string {
  const who = agent ?? (tool === 'delegate_run' ? undefined : tool.replace('delegate_', ''));
  return [who, cwd.split(/[\\/]/).findLast(Boolean) ?? cwd].filter(Boolean).join(' in ');
}

const tabs = { steps: 'Steps', changes: 'Changes' } as const;
type Tab = keyof typeof tabs;

/** The tab in the address. Without one, the changes of a run that had ended when it was opened, and the steps otherwise. */
function useTab(id: string, startsWithChanges: boolean | undefined): readonly [Tab, (tab: Tab) => void] {
  const { part } = useRoute();
  const [first, setFirst] = useState<Tab | undefined>();
  // Somebody who reads the steps of a run goes on reading when it ends.
  useEffect(() => {
    if (startsWithChanges !== undefined) setFirst((now) => now ?? (startsWithChanges ? 'changes' : 'steps'));
  }, [startsWithChanges]);
  const chosen = part !== undefined && part in tabs ? (part as Tab) : (first ?? 'steps');
  return [chosen, (tab) => goTo(pathTo('runs', id, tab, currentRoute().query))];
}

function Facts({ overview, run }: { overview: RunOverview; run: RunRecord | undefined }) {
  const { status, started_at, duration_ms, tool, cwd, actor, agent = run?.agent } = overview;
  const usage = run?.usage ?? overview.usage;
  const kind = tool.replace('delegate_', '');
  const facts: readonly (readonly [ComponentChildren, ComponentChildren, (string | undefined)?])[] = [
    ['Started', shortTime(started_at), new Date(started_at).toLocaleString()],
    ['Started by', actor],
    ['Agent', agent && [agent, run?.model].filter(Boolean).join(' · ')],
    ['Type', kind !== 'run' && kind],
    [isOpen(status) ? 'Running for' : 'Duration', duration(run?.timing.duration_ms ?? duration_ms)],
    [tokensWord, usage && tokens(usage), usage ? tokensInFull(usage) : undefined],
    ['Cost', run?.cost_usd != null && `$${run.cost_usd.toFixed(2)}`],
    ['Host', overview.host],
    ['Folder', <code key="folder">{cwd}</code>],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, value, hint], index) =>
          value && (
            <div key={index} title={hint}>
              <dt>{name}</dt>
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

/** Resumes the thread of a finished run, optionally with a new task. */
function RunResume({ run, threadId }: { run: RunOverview; threadId: string }) {
  const { busy, problem, attempt, launch } = useLaunch();
  const draft = useDraft('next task', run.run_id, () => ({ task: '' }));
  const { task } = draft.fields;
  const resume = (event: Event) => {
    event.preventDefault();
    const next = task.trim() !== '' && { task };
    return attempt(() => launch('delegate_resume', { thread_id: threadId, cwd: run.cwd, ...next })).then(
      (done) => done && draft.clear(),
    );
  };
  return (
    <form class="resume" onSubmit={resume} data-form={draft.form}>
      <TextField
        label={<span class="hidden">Next task</span>}
        placeholder="Next task (optional)"
        {...draft.field('task')}
      />
      <ChangeButton type="submit" tool="delegate_resume" disabled={busy}>
        {busy ? 'Resuming…' : 'Resume run'}
      </ChangeButton>
      <DraftMark draft={draft} />
      <Problem text={problem} />
    </form>
  );
}

/** Sends a message to the agent of a run in progress, or interrupts it. */
function Composer({ run }: { run: RunRecord }) {
  const { client, act } = useRunActions();
  const draft = useDraft('message', run.run_id, () => ({ message: '' }));
  const { message } = draft.fields;
  const jobs = runningJobs(run);
  const [chosen, setChosen] = useState('');
  const run_id = jobs.find((job) => job.run_id === chosen)?.run_id ?? steeredRun(run);
  const steer = async (event: Event) => {
    event.preventDefault();
    const sent = await act(() => client.tool('steer_run', { run_id, message }), 'The agent has the message.');
    // A message that did not arrive stays in the field.
    if (sent) draft.clear();
  };
  return (
    <form class="resume composer" onSubmit={steer} data-form={draft.form}>
      {jobs.length > 1 && (
        <SelectField
          label={<span class="hidden">Job</span>}
          value={run_id}
          options={Object.fromEntries(jobs.map((job) => [job.run_id, job.title]))}
          change={setChosen}
        />
      )}
      <TextField
        label={<span class="hidden">Message to the agent</span>}
        placeholder="Message to the agent"
        required
        {...draft.field('message')}
      />
      <DraftMark draft={draft} />
      <ChangeButton type="submit" tool="steer_run">
        Send
      </ChangeButton>
      <ChangeButton
        tool="steer_run"
        onClick={() => act(() => client.tool('steer_run', { run_id, interrupt: true }), 'Run interrupted.')}
      >
        <Icon name="stop" />
        Interrupt
      </ChangeButton>
    </form>
  );
}

/** The agents of an autopilot are those of its jobs. */
const runningJobs = ({ autopilot }: RunRecord) =>
  autopilot?.jobs.filter(({ status }) => status === 'running') ?? [];
const steeredRun = (run: RunRecord) => runningJobs(run)[0]?.run_id ?? run.run_id;

/** Changes a run, and says what was done. */
function useRunActions() {
  const { client, invalidate, act } = useActions();
  return {
    client,
    act: (work: () => Promise<unknown>, text: string) =>
      act(async () => {
        await work();
        invalidate('resources');
        return { text };
      }),
  };
}

function CancelButton({ run_id }: RunRecord) {
  const { client, act } = useRunActions();
  return (
    <ChangeButton
      class="danger"
      tool="cancel_run"
      onClick={() => act(() => client.tool('cancel_run', { run_id }), 'Run cancelled.')}
    >
      Cancel run
    </ChangeButton>
  );
}
