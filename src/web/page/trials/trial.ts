import type { ToolAnswer } from '../../../api.ts';
import { startRun } from '../runs/run-launch.ts';
import { isOpen } from '../runs/run-record.ts';
import type { McpClient } from '../shared/mcp-client.ts';
import { asError } from '../shared/server-connection.tsx';

/** A part of the answer, or the run that works on it. */
export interface Progress {
  readonly text: string;
  readonly runId?: string | undefined;
}

/** Gets an answer to a prompt. */
export type TrialWork = (
  client: McpClient,
  signal: AbortSignal,
  report: (progress: Partial<Progress>) => void,
) => Promise<ToolAnswer<'try_prompt'>>;

/** A revision of a prompt, filled in. Without a revision: the current one. */
interface Filled {
  readonly name: string;
  readonly revision: string | undefined;
  readonly values: Readonly<Record<string, string>>;
}

const nameOf = ({ name, revision }: Filled) => (revision === undefined ? name : `${name}@${revision}`);

/** Sends a prompt to the model of the server. */
export function tryWithModel(prompt: Filled): TrialWork {
  return (client, signal, report) =>
    client.tool(
      'try_prompt',
      { name: nameOf(prompt), arguments: prompt.values },
      {
        signal,
        onNotification: (_, { message }) => typeof message === 'string' && report({ text: message }),
      },
    );
}

/** Gives a prompt to a sub-agent. The run continues if the page is closed, but then its answer is not kept as a trial. */
export function tryWithAgent(prompt: Filled & { readonly cwd: string }): TrialWork {
  return async (client, signal, report) => {
    const { name, values, cwd } = prompt;
    // The prompt may be edited while the sub-agent works.
    const revision = prompt.revision ?? (await client.tool('show_prompt', { name })).revision;
    const { text } = await client.tool('expand_prompt', { command: nameOf(prompt), arguments: values });
    // Text of the prompt that looks like a command must not be expanded again.
    const task = text.startsWith(':') ? ` ${text}` : text;
    const runId = await startRun(client, 'delegate_run', { task, cwd, sandbox: 'read-only' });
    report({ runId });
    const run = await endOf(client, runId, signal);
    if (run.status === 'failed' || run.status === 'cancelled') throw new Error(run.error ?? run.summary);
    const answered = {
      revision,
      answer: run.summary,
      model: [run.agent ?? 'sub-agent', run.model].filter(Boolean).join(' '),
      input_tokens: run.usage?.input_tokens ?? 0,
      output_tokens: run.usage?.output_tokens ?? 0,
      duration_ms: Math.round(run.timing.duration_ms),
      run_id: runId,
    };
    return client.tool('try_prompt', { name, arguments: values, answered });
  };
}

const pollMs = 1000;

/** Waits until a run has ended. */
async function endOf(client: McpClient, run_id: string, signal: AbortSignal) {
  for (;;) {
    signal.throwIfAborted();
    const run = await client.tool('show_run', { run_id, full: true }).catch((error) => {
      // The run continues while the server is unreachable.
      if (asError(error).status !== 0) throw error;
    });
    if (run && !isOpen(run.status)) return run;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
