import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { startRun } from '../runs/run-launch.ts';
import { isOpen } from '../runs/run-record.ts';
import type { McpClient } from '../shared/mcp-client.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';

/** A revision of a prompt, filled in, as the task of a sub-agent. */
export interface AgentTask {
  readonly name: string;
  /** An earlier revision. Absent: the current one. */
  readonly revision?: string;
  readonly values: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface AgentState {
  readonly runId?: string;
  /** The answer and what it took, once it is complete. */
  readonly result?: ToolAnswer<'try_prompt'>;
  readonly problem?: string;
}

interface AgentTrial {
  readonly state: AgentState | undefined;
  /** Resolves when the answer is kept or the run has failed. */
  start(task: AgentTask): Promise<void>;
}

const pollMs = 1000;

/** Gives a prompt to a sub-agent. The run continues if the page is closed, but then its answer is not kept as a trial. */
export function useAgentTrial(): AgentTrial {
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
