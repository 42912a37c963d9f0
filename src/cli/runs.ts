import { setTimeout as pause } from 'node:timers/promises';
import type { LoadedConfig } from '../config.ts';
import { type Answer, type LocalClient, openLocalClient } from './client/local-client.ts';
import { type Command, type Terminal, UsageError, unknownWord } from './terminal/command.ts';
import type { Show } from './terminal/progress.ts';

type Action = (door: LocalClient, given: Given, terminal: Terminal) => Promise<number>;

interface Given {
  readonly id: string | undefined;
  readonly flags: LoadedConfig['flags'];
}

const followEveryMs = 300;

const actions: Readonly<Record<string, Action>> = {
  async list(door, { flags }, terminal) {
    const limit = number(flags['limit'], 'limit');
    const answer = await door.call('list_runs', { ...(limit !== undefined && { limit }) });
    return print(answer, terminal);
  },
  async show(door, given, terminal) {
    return print(await door.call('show_run', { run_id: await idOf(door, given) }), terminal);
  },
  async cancel(door, given, terminal) {
    const run_id = await idOf(door, given);
    return print(await door.call('cancel_run', { run_id, reason: 'cancelled by hand' }), terminal);
  },
  async clean(door, { flags }, terminal) {
    const older_than_days = number(flags['older-than-days'], 'older-than-days');
    const keep = number(flags['keep'], 'keep');
    const args = {
      ...(older_than_days !== undefined && { older_than_days }),
      ...(keep !== undefined && { keep }),
    };
    return print(await door.call('clean_runs', args), terminal);
  },
  async tail(door, given, terminal) {
    const run_id = await idOf(door, given);
    const limit = number(given.flags['limit'], 'limit') ?? 50;
    if (given.flags['follow'] !== true)
      return print(await door.call('tail_run', { run_id, limit }), terminal);
    return terminal.progress.during('following', (show) => follow(door, run_id, limit, { terminal, show }));
  },
};

/** Prints what happens in a run until it ends. */
async function follow(
  door: LocalClient,
  run_id: string,
  limit: number,
  { terminal, show }: { readonly terminal: Terminal; readonly show: Show },
): Promise<number> {
  let answer = await door.call('tail_run', { run_id, limit });
  for (;;) {
    const { text, value } = answer;
    if (terminal.json) terminal.print(`${JSON.stringify(value)}\n`);
    else if (value.events.length > 0) terminal.print(`${text}\n`);
    if (value.status !== 'running') return 0;
    show('running');
    const after = value.next;
    do {
      await pause(followEveryMs);
      answer = await door.call('tail_run', { run_id, after, limit: 1000 });
    } while (answer.value.status === 'running' && answer.value.next === after);
  }
}

export const runs: Command = {
  name: 'runs',
  summary: 'Look at the runs of sub-agents, cancel them, clear them away.',
  usage: 'runs list|show|tail|cancel|clean [RUN_ID|last] [FLAGS]',
  words: 2,
  flags: {
    limit: { type: 'string', short: 'n', description: 'list, tail: the most to print.' },
    follow: {
      type: 'boolean',
      short: 'f',
      description: 'tail: go on until the run ends. With --json each answer is one line.',
    },
    'older-than-days': { type: 'string', description: 'clean: the least age to remove (30).' },
    keep: { type: 'string', description: 'clean: how many of the newest to keep in any case (0).' },
  },
  settings: ['home', 'config', 'delegate.runs_dir'],
  async run(loaded, terminal) {
    const [name = 'list', id] = loaded.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw unknownWord('runs', name, Object.keys(actions));
    if (id !== undefined && (name === 'list' || name === 'clean'))
      throw new UsageError(`runs ${name} does not know what to do with "${id}"`);
    await using door = await openLocalClient(loaded, terminal);
    return await action(door, { id, flags: loaded.flags }, terminal);
  },
};

async function idOf(door: LocalClient, { id }: Given): Promise<string> {
  if (id === undefined) throw new UsageError('which run? Name its run_id, or "last"');
  if (id !== 'last') return id;
  const { value } = await door.call('list_runs', { limit: 1 });
  const [newest] = value.runs;
  if (newest === undefined) throw new UsageError('there are no runs yet');
  return newest.run_id;
}

function print({ text, value }: Answer, terminal: Terminal): number {
  terminal.answer(value, text);
  return 0;
}

function number(raw: unknown, flag: string): number | undefined {
  if (raw === undefined) return undefined;
  const value = Number(raw);
  if (!Number.isInteger(value) || value < 0)
    throw new UsageError(`--${flag} must be a whole number, not ${raw}`);
  return value;
}
