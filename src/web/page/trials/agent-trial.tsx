import { useState } from 'preact/hooks';
import type { PromptReply } from '../../../api.ts';
import { FolderField } from '../controls/folder-field.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';

interface Props {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly blocked: string | undefined;
}

interface AgentState {
  readonly lines: readonly string[];
  readonly summary?: string;
  readonly runId?: string;
  readonly problem?: string;
}

/** Gives the filled-in prompt to a sub-agent as its task. The run is kept under Runs. */
export function AgentTrial({ name, values, blocked }: Props) {
  const { client, invalidate } = useConnection();
  const [cwd, setCwd] = useState('');
  const [state, setState] = useState<AgentState | undefined>();
  const [busy, setBusy] = useState(false);
  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setState({ lines: [] });
    try {
      const { messages } = await client.request<PromptReply>('prompts/get', { name, arguments: values });
      const task = messages
        .flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))
        .join('\n\n');
      const run = await client.tool(
        'delegate_run',
        { task, cwd, sandbox: 'read-only', skip_git_repo_check: true },
        {
          onNotification: (_, { message }) =>
            typeof message === 'string' &&
            setState((old) => ({ ...old, lines: [...(old?.lines ?? []).slice(-49), message] })),
        },
      );
      setState((old) => ({ lines: old?.lines ?? [], summary: run.summary, runId: run.run_id }));
      invalidate('resources');
    } catch (error) {
      setState((old) => ({ lines: old?.lines ?? [], problem: asError(error).message }));
    }
    setBusy(false);
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
          {busy ? 'Running…' : 'Start the sub-agent'}
        </ChangeButton>
      </form>
      {state && (
        <section aria-label="Sub-agent">
          {state.problem && <p class="problem box">{state.problem}</p>}
          {state.lines.length > 0 && (
            <pre class="result" role="log">
              {state.lines.join('\n')}
            </pre>
          )}
          {state.summary !== undefined && <p role="status">{state.summary}</p>}
          {state.runId && <a href={pathTo('runs', state.runId)}>Show the run</a>}
        </section>
      )}
    </details>
  );
}
