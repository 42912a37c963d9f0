import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { FolderField } from '../controls/fields.tsx';
import { startRun } from '../runs/run-launch.ts';
import { isOpen } from '../runs/run-record.ts';
import { RunTimeline } from '../runs/run-timeline.tsx';
import { ChangeButton, CopyButton } from '../shared/buttons.tsx';
import type { McpClient } from '../shared/mcp-client.ts';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection, useUpdates } from '../shared/server-connection.tsx';

/** An answer while it arrives, and what it took once it is complete. */
export interface TrialState {
  readonly text: string;
  readonly result?: ToolAnswer<'try_prompt'>;
  readonly problem?: string;
}

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

/** An answer of the model, shown while it arrives. */
export function AnswerCard({ title, state }: { title: string; state: TrialState }) {
  const { text, result, problem } = state;
  return (
    <section aria-label={title}>
      <h3 class="with-button">
        {title} <CopyButton text={text} />
      </h3>
      {problem ? (
        <p class="problem box" role="alert">
          {problem}
        </p>
      ) : null}
      {(text !== '' || !problem) && (
        <pre class="result" role="status" aria-busy={result === undefined}>
          {text || '…'}
        </pre>
      )}
      {result && <p class="quiet">{cost(result)}</p>}
    </section>
  );
}

/** What an answer took: `12 + 340 tokens, 2.1 s, gpt-x`. */
export function cost(trial: ToolAnswer<'try_prompt'>): string {
  const { input_tokens, output_tokens, duration_ms, model } = trial;
  return `${input_tokens.toLocaleString()} + ${output_tokens.toLocaleString()} tokens, ${(duration_ms / 1000).toFixed(1)} s, ${model}`;
}

/** A revision of a prompt, filled in, as the task of a sub-agent. */
interface AgentTask {
  readonly name: string;
  /** An earlier revision. Absent: the current one. */
  readonly revision?: string;
  readonly values: Readonly<Record<string, string>>;
  readonly cwd: string;
}

interface AgentState {
  readonly runId?: string;
  /** The answer and what it took, once it is complete. */
  readonly result?: ToolAnswer<'try_prompt'>;
  readonly problem?: string;
}

interface AgentTrialState {
  readonly state: AgentState | undefined;
  /** Resolves when the answer is kept or the run has failed. */
  start(task: AgentTask): Promise<void>;
}

const pollMs = 1000;

/** Gives a prompt to a sub-agent. The run continues if the page is closed, but then its answer is not kept as a trial. */
function useAgentTrial(): AgentTrialState {
  const { client } = useConnection();
  const [state, setState] = useState<AgentState | undefined>();
  const closed = useRef(false);
  useEffect(
    () => () => {
      closed.current = true;
    },
    [],
  );
  const start = async (task: AgentTask) => {
    setState({});
    try {
      // The prompt may be edited while the sub-agent works.
      const revision = task.revision ?? (await client.tool('show_prompt', { name: task.name })).revision;
      const runId = await startRun(client, 'delegate_run', {
        task: await taskText(client, task),
        cwd: task.cwd,
        sandbox: 'read-only',
      });
      setState({ runId });
      const run = await endOf(client, runId, () => closed.current);
      if (run === undefined) return;
      if (run.status === 'failed' || run.status === 'cancelled') {
        setState({ runId, problem: run.error ?? run.summary });
        return;
      }
      const answered = {
        revision,
        answer: run.summary,
        model: [run.agent ?? 'sub-agent', run.model].filter(Boolean).join(' '),
        input_tokens: run.usage?.input_tokens ?? 0,
        output_tokens: run.usage?.output_tokens ?? 0,
        duration_ms: Math.round(run.timing.duration_ms),
        run_id: runId,
      };
      const result = await client.tool('try_prompt', { name: task.name, arguments: task.values, answered });
      setState({ runId, result });
    } catch (error) {
      setState((old) => ({ ...old, problem: asError(error).message }));
    }
  };
  return { state, start };
}

async function taskText(client: McpClient, { name, revision, values }: AgentTask): Promise<string> {
  const { text } = await client.tool('expand_prompt', {
    command: revision === undefined ? name : `${name}@${revision}`,
    arguments: values,
  });
  // Text of the prompt that looks like a command must not be expanded again.
  return text.startsWith(':') ? ` ${text}` : text;
}

/** Waits until a run has ended. Resolves to `undefined` if the view was closed before. */
async function endOf(client: McpClient, run_id: string, isClosed: () => boolean) {
  while (!isClosed()) {
    const run = await client.tool('show_run', { run_id, full: true }).catch((error) => {
      // The run continues while the server is unreachable.
      if (asError(error).status !== 0) throw error;
    });
    if (run && !isOpen(run.status)) return run;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return undefined;
}
