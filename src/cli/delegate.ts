import { setTimeout as pause } from 'node:timers/promises';
import type { ToolArguments } from '../api.ts';
import { type LocalClient, openLocalClient } from './client/local-client.ts';
import { type Command, type Terminal, UsageError } from './terminal/command.ts';

const watchEveryMs = 300;

type Sandbox = NonNullable<ToolArguments<'delegate_run'>['sandbox']>;

export const delegate: Command = {
  name: 'delegate',
  summary: 'Give a task to a sub-agent and print what comes of it.',
  usage: 'delegate "TASK" [--watch] [--autopilot] [--cwd DIR] [--sandbox MODE] [--resume THREAD]',
  words: Number.POSITIVE_INFINITY,
  flags: {
    watch: { type: 'boolean', short: 'w', description: 'Show on stderr what the sub-agent does meanwhile.' },
    autopilot: {
      type: 'boolean',
      description: 'Have the task planned and split among several sub-agents, which may write by default.',
    },
    cwd: { type: 'string', description: 'The folder to work in; otherwise this one.' },
    sandbox: {
      type: 'string',
      short: 's',
      description: 'What may be touched: read-only (default), workspace-write or danger-full-access.',
      values: ['read-only', 'workspace-write', 'danger-full-access'],
    },
    role: { type: 'string', description: 'Who the sub-agent is to be; may name a prompt.' },
    model: { type: 'string', short: 'm', description: 'The model to use.' },
    effort: { type: 'string', description: 'The reasoning effort to use.' },
    skill: { type: 'string', multiple: true, description: 'A skill to use; may be given more than once.' },
    resume: { type: 'string', description: 'The thread of an earlier run to go on with.' },
    'skip-git-repo-check': { type: 'boolean', description: 'Allow a folder outside of a git repository.' },
  },
  settings: ['home', 'config', 'delegate.agent', 'delegate.command', 'delegate.runs_dir'],
  async run(loaded, terminal) {
    const { flags, positionals } = loaded;
    const task = positionals.join(' ');
    if (task.trim() === '' && flags['resume'] === undefined)
      throw new UsageError('what is to be done? For example: adjutant delegate "Explain this project"');
    const unfit = ['resume', 'model', 'effort'].find((flag) => flags[flag] !== undefined);
    if (flags['autopilot'] === true && unfit !== undefined)
      throw new UsageError(`--${unfit} is for one sub-agent; leave it out, or --autopilot`);
    let runId: string | undefined;
    let interrupted = false;
    // Here nobody's patience ends but the person's own.
    const patient = { ...loaded, config: { ...loaded.config, 'delegate.answer_within_seconds': 0 } };
    await using door = await openLocalClient(patient, terminal, (method, { data }) => {
      if (method !== 'notifications/message' || runId !== undefined) return;
      runId = /^delegate_\w+\/(\S+): started/.exec(String(data))?.[1];
      if (interrupted) cancel();
    });
    const cancel = () => {
      interrupted = true;
      if (runId !== undefined) void door.call('cancel_run', { run_id: runId, reason: 'interrupted' });
    };
    const skills = flags['skill'] as readonly string[] | undefined;
    const args = {
      cwd: String(flags['cwd'] ?? process.cwd()),
      ...(flags['sandbox'] !== undefined && { sandbox: flags['sandbox'] as Sandbox }),
      ...(flags['role'] !== undefined && { role: String(flags['role']) }),
      ...(flags['model'] !== undefined && { model: String(flags['model']) }),
      ...(flags['effort'] !== undefined && { reasoning_effort: String(flags['effort']) }),
      ...(skills !== undefined && { skills_mode: 'explicit' as const, skills }),
      ...(flags['skip-git-repo-check'] === true && { skip_git_repo_check: true }),
    };
    const thread = flags['resume'];
    const starting = { doing: 'starting', onInterrupt: cancel };
    const answered =
      flags['autopilot'] === true
        ? door.call('delegate_autopilot', { task, ...args }, { ...starting, doing: 'planning' })
        : thread === undefined
          ? door.call('delegate_run', { task, ...args }, starting)
          : door.call(
              'delegate_resume',
              { thread_id: String(thread), ...(task !== '' && { task }), ...args },
              starting,
            );
    if (flags['watch'] === true) await watch(door, answered, () => runId, terminal);
    const { value, text } = await answered;
    terminal.answer(value, text);
    if (interrupted) return 130;
    return value.status === 'completed' ? 0 : 1;
  },
};

/** Prints the events of the run until it is answered. */
async function watch(
  door: LocalClient,
  answered: Promise<unknown>,
  runId: () => string | undefined,
  terminal: Terminal,
): Promise<void> {
  let over = false;
  const end = () => {
    over = true;
  };
  answered.then(end, end);
  let after = 0;
  const show = async () => {
    const id = runId();
    if (id === undefined) return;
    const { value } = await door.call('tail_run', { run_id: id, after, limit: 1000 });
    after = value.next;
    for (const { text } of value.events) terminal.note(`${text}\n`);
  };
  while (!over) {
    await show();
    await pause(watchEveryMs);
  }
  await show();
}
