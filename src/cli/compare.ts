import type { ToolArguments } from '../api.ts';
import { openLocalClient } from './client/local-client.ts';
import {
  type Action,
  listFlag,
  sandboxes,
  several,
  text,
  textFlag,
  UsageError,
  type Use,
} from './terminal/command.ts';

export const compare: Action = {
  summary: 'Give a task to several agents and compare their results',
  args: 'TASK…',
  flags: {
    candidate: several('AGENT[:MODEL]', 'Who does the task; repeated for each'),
    check: several('COMMAND', 'Command to run on each result; can be repeated'),
    judge: text('AGENT[:MODEL]', 'Who chooses the winner'),
    deliver: text('WHOSE', 'Whose changes to apply; none, unless given', { values: ['none', 'winner'] }),
    sandbox: text('MODE', 'What the agents may change; workspace-write, unless given', {
      short: 's',
      values: sandboxes,
    }),
  },
  examples: [
    'runs compare "fix the tests" --candidate codex --candidate claude',
    'runs compare "fix the tests" --candidate codex --candidate claude:opus --check "npm test"',
  ],
  run: compareRuns,
};

type CompareArguments = ToolArguments<'delegate_compare'>;

/** Gives a task to several agents and prints their results side by side. */
async function compareRuns({ loaded, config, flags, words, terminal }: Use): Promise<number> {
  const names = listFlag(flags, 'candidate');
  if (names.length < 2)
    throw new UsageError('name at least two candidates: --candidate codex --candidate claude:opus');
  const judge = textFlag(flags, 'judge');
  const { deliver, sandbox } = flags;
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
      task: words.join(' '),
      cwd: process.cwd(),
      candidates: names.map(toCandidate),
      checks: listFlag(flags, 'check') as CompareArguments['checks'] & {},
      ...(deliver !== undefined && { deliver: deliver as CompareArguments['deliver'] & {} }),
      ...(sandbox !== undefined && { sandbox: sandbox as CompareArguments['sandbox'] & {} }),
      ...(judge !== undefined && { judge: toCandidate(judge) }),
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
