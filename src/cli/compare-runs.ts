import type { ToolArguments } from '../api.ts';
import type { LoadedConfig } from '../config.ts';
import { openLocalClient } from './client/local-client.ts';
import { type Terminal, UsageError } from './terminal/command.ts';

type Arguments = ToolArguments<'delegate_compare'>;

/** Gives a task to several agents and prints their results side by side. */
export async function compareRuns(task: string, loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { flags, config } = loaded;
  const names = (flags['candidate'] ?? []) as readonly string[];
  if (task === '') throw new UsageError('runs compare needs a task');
  if (names.length < 2)
    throw new UsageError('name at least two candidates: --candidate codex --candidate claude:opus');
  const { judge, deliver, sandbox } = flags;
  // On the command line a call waits for its run to end.
  const patient = { ...loaded, config: { ...config, 'delegate.answer_within_seconds': 0 } };
  let runId: string | undefined;
  await using client = await openLocalClient(patient, terminal, {
    startsRuns: true,
    onNotification(method, { data }) {
      if (method === 'notifications/message')
        runId ??= /^delegate_\w+\/(\S+): started/.exec(String(data))?.[1];
    },
  });
  const { value, text } = await client.call(
    'delegate_compare',
    {
      task,
      cwd: process.cwd(),
      candidates: names.map(toCandidate),
      checks: (flags['check'] ?? []) as readonly string[] as Arguments['checks'] & {},
      ...(deliver !== undefined && { deliver: deliver as Arguments['deliver'] & {} }),
      ...(sandbox !== undefined && { sandbox: sandbox as Arguments['sandbox'] & {} }),
      ...(judge !== undefined && { judge: toCandidate(String(judge)) }),
    },
    {
      doing: 'comparing',
      onInterrupt() {
        if (runId !== undefined)
          client.call('cancel_run', { run_id: runId, reason: 'interrupted' }).catch(() => {});
      },
    },
  );
  terminal.answer(value, text);
  return value.status === 'completed' ? 0 : 1;
}

/** `AGENT` or `AGENT:MODEL`. */
function toCandidate(text: string): { agent: string; model?: string } {
  const at = text.indexOf(':');
  return at < 0 ? { agent: text } : { agent: text.slice(0, at), model: text.slice(at + 1) };
}
