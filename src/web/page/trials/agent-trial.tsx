import { useState } from 'preact/hooks';
import { FolderField } from '../controls/folder-field.tsx';
import { RunTimeline } from '../runs/run-timeline.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { pathTo } from '../shared/route.ts';
import { useUpdates } from '../shared/server-connection.tsx';
import { cost } from './answer-card.tsx';
import { type AgentState, useAgentTrial } from './use-agent-trial.ts';

interface Props {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly blocked: string | undefined;
  /** The revision to compare with, or an empty text. */
  readonly compared: string;
  /** Called after an answer was kept. */
  kept(): void;
}

/** Gives the filled-in prompt to a sub-agent as its task, and another revision of it to a second one. */
export function AgentTrial({ name, values, blocked, compared, kept }: Props) {
  const [cwd, setCwd] = useState('');
  const [current, other] = [useAgentTrial(), useAgentTrial()];
  const [busy, setBusy] = useState(false);
  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await Promise.all([
      current.start({ name, values, cwd }),
      compared !== '' && other.start({ name, values, cwd, revision: compared }),
    ]);
    setBusy(false);
    kept();
  };
  return (
    <details>
      <summary>Give it to a sub-agent instead</summary>
      <form onSubmit={start}>
        <FolderField
          value={cwd}
          change={setCwd}
          hint="A folder on the server's machine. The sub-agent can only read it."
        />
        <ChangeButton type="submit" disabled={busy || blocked !== undefined}>
          {busy ? 'Running…' : compared === '' ? 'Start the sub-agent' : 'Start two sub-agents'}
        </ChangeButton>
      </form>
      <div class="columns answers">
        {current.state && <AgentCard title="Sub-agent, current revision" state={current.state} />}
        {other.state && compared !== '' && (
          <AgentCard title={`Sub-agent, revision ${compared}`} state={other.state} />
        )}
      </div>
    </details>
  );
}

/** What a sub-agent does, while it works, and its answer. */
function AgentCard({ title, state: { runId, result, problem } }: { title: string; state: AgentState }) {
  const updates = useUpdates(`runs://${runId ?? ''}/events.jsonl`);
  const open = result === undefined && problem === undefined;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {problem && (
        <p class="problem box" role="alert">
          {problem}
        </p>
      )}
      {result && (
        <>
          <pre class="result" role="status">
            {result.answer}
          </pre>
          <p class="quiet">{cost(result)}</p>
        </>
      )}
      {runId === undefined && open && <p class="quiet">Starting…</p>}
      {runId !== undefined && (
        <>
          <RunTimeline {...{ runId, open, updates }} />
          <p>
            <a href={pathTo('runs', runId)}>Show the run</a>
          </p>
        </>
      )}
    </section>
  );
}
