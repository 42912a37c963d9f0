import { setTimeout as pause } from 'node:timers/promises';
import type { ToolArguments } from '../api.ts';
import { openLocalClient } from './client/local-client.ts';
import { agentNames, linesOfRuns } from './guesses.ts';
import {
  applyModes,
  type LocalClient,
  sandboxes,
  several,
  single,
  text,
  textFlag,
  toggle,
  UsageError,
} from './terminal/command.ts';
import type { Terminal } from './terminal/terminal.ts';

const watchIntervalMs = 300;

type Sandbox = NonNullable<ToolArguments<'delegate_run'>['sandbox']>;

export const delegate = single('delegate', {
  summary: 'Give a task to an agent',
  args: '[TASK…]',
  notes: { TASK: 'what to do; :NAME at the start uses a saved prompt' },
  flags: {
    watch: toggle('Print what the agent does', { short: 'w' }),
    autopilot: toggle('Plan the task and split it among several agents, which may write'),
    cwd: text('FOLDER', 'Folder to work in; the current one, unless given'),
    sandbox: text('MODE', 'What the agent may change; read-only, unless given', {
      short: 's',
      values: sandboxes,
    }),
    apply: text('MODE', 'When its changes reach your folder; as configured, unless given', {
      values: applyModes,
    }),
    role: text('ROLE', 'Role of the agent, or the name of a prompt that describes it'),
    agent: text('AGENT', 'Agent to use; adjutant agents lists them', { short: 'a' }),
    model: text('MODEL', 'Model to use', { short: 'm' }),
    effort: text('EFFORT', 'Reasoning effort, such as high'),
    skill: several('SKILL', 'Skill to use; can be repeated'),
    resume: text('THREAD', 'Continue the thread of an earlier run'),
    'skip-git-repo-check': toggle('Allow a folder outside a git repository'),
  },
  examples: ['delegate "explain this project"', 'delegate "fix the tests" --sandbox workspace-write --watch'],
  async run({ loaded, flags, words, terminal, isLiteral }) {
    const task = words.join(' ');
    if (task.trim() === '' && flags['resume'] === undefined)
      throw new UsageError('delegate needs a task\n  Example: adjutant delegate "explain this project"');
    const [, named = '', its] = /^(?:to |with )?(\S+) (.+)$/s.exec(task) ?? [];
    if (agentNames.includes(named) && words.length > 1 && !isLiteral && flags['agent'] === undefined)
      throw new UsageError(
        `"${named}" looks like an agent, not a part of the task\n  Did you mean: adjutant delegate ${JSON.stringify(its)} --agent ${named}\n  To give it as a task: adjutant delegate -- ${named} …`,
      );
    const [meant] = words.length === 1 && !isLiteral ? linesOfRuns(task) : [];
    if (meant !== undefined)
      throw new UsageError(
        `"${task}" looks like a command, not a task\n  Did you mean: adjutant ${meant}\n  To give it as a task: adjutant delegate -- ${task}`,
      );
    const conflicting = ['resume', 'agent', 'model', 'effort'].find((flag) => flags[flag] !== undefined);
    if (flags['autopilot'] === true && conflicting !== undefined)
      throw new UsageError(`--${conflicting} cannot be combined with --autopilot`);
    let runId: string | undefined;
    let interrupted = false;
    // On the command line a call waits for its run to end; Ctrl-C cancels it.
    const withoutTimeout = { ...loaded, config: { ...loaded.config, 'delegate.answer_within_seconds': 0 } };
    await using client = await openLocalClient(withoutTimeout, terminal, {
      startsRuns: true,
      onNotification(method, { data }) {
        if (method !== 'notifications/message' || runId !== undefined) return;
        runId = /^delegate_\w+\/(\S+): started/.exec(String(data))?.[1];
        if (interrupted) cancel();
      },
    });
    const cancel = () => {
      interrupted = true;
      if (runId === undefined) return;
      // The result of the run reports the cancellation. It can arrive first and close the client.
      client.call('cancel_run', { run_id: runId, reason: 'interrupted' }).catch(() => {});
    };
    const skills = flags['skill'] as readonly string[] | undefined;
    const [role, agent, model, effort] = ['role', 'agent', 'model', 'effort'].map((name) =>
      textFlag(flags, name),
    );
    const args = {
      cwd: textFlag(flags, 'cwd') ?? process.cwd(),
      ...(flags['sandbox'] !== undefined && { sandbox: flags['sandbox'] as Sandbox }),
      ...(flags['apply'] !== undefined && { apply: flags['apply'] as (typeof applyModes)[number] }),
      ...(role !== undefined && { role }),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { reasoning_effort: effort }),
      ...(skills !== undefined && { skills_mode: 'explicit' as const, skills }),
      ...(flags['skip-git-repo-check'] === true && { skip_git_repo_check: true }),
    };
    const thread = flags['resume'];
    const starting = { doing: 'starting', onInterrupt: cancel };
    const start = () =>
      flags['autopilot'] === true
        ? client.call('delegate_autopilot', { task, ...args }, { ...starting, doing: 'planning' })
        : thread === undefined
          ? client.call('delegate_run', { task, ...args }, starting)
          : client.call(
              'delegate_resume',
              { thread_id: String(thread), ...(task !== '' && { task }), ...args },
              starting,
            );
    const work = async () => {
      const result = start();
      if (flags['watch'] === true) await watch(client, result, () => runId, terminal);
      const short = await result;
      return short.value.shortened === undefined
        ? short
        : client.call('show_run', { run_id: short.value.run_id, full: true });
    };
    const answer = await untilClosed(client, work);
    if (typeof answer === 'number') return answer;
    const { value, text } = answer;
    terminal.answer('autopilot' in value ? value.autopilot : value, text);
    if (interrupted) return 130;
    return value.status === 'completed' ? 0 : 1;
  },
});

/**
 * Resolves with the result of the work, or with an exit code if the terminal is closed or the command is stopped. In that case
 * the client disconnects, so that the run is cancelled or finishes as delegate.on_disconnect says.
 */
async function untilClosed<Result>(
  client: LocalClient,
  work: () => Promise<Result>,
): Promise<Result | number> {
  const exitCodes = { SIGHUP: 129, SIGTERM: 143 };
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  let isClosing = false;
  for (const [signal, code] of Object.entries(exitCodes))
    process.once(signal, () => {
      isClosing = true;
      // The terminal may be gone.
      process.stderr.on('error', () => {});
      void client[Symbol.asyncDispose]().then(() => resolve(code));
    });
  const result = work().catch((error: unknown) => {
    if (isClosing) return closed;
    throw error;
  });
  return Promise.race([result, closed]);
}

/** Prints the events of the run until its result arrives. */
async function watch(
  client: LocalClient,
  result: Promise<unknown>,
  runId: () => string | undefined,
  terminal: Terminal,
): Promise<void> {
  let finished = false;
  const finish = () => {
    finished = true;
  };
  result.then(finish, finish);
  let after = 0;
  const show = async () => {
    const id = runId();
    if (id === undefined) return;
    const { value, text } = await client.call('tail_run', { run_id: id, after, limit: 1000 });
    after = value.next;
    // The last line tells a client how to continue.
    if (value.events.some((event) => event.text !== ''))
      terminal.note(text.slice(0, text.lastIndexOf('\n') + 1));
  };
  while (!finished) {
    await show();
    await pause(watchIntervalMs);
  }
  await show();
}
