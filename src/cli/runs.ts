import { setTimeout as pause } from 'node:timers/promises';
import type { LoadedConfig } from '../config.ts';
import type { JsonObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { type Door, openDoor } from './door.ts';

type Action = (door: Door, given: Given, terminal: Terminal) => Promise<number>;

interface Given {
  readonly id: string | undefined;
  readonly flags: LoadedConfig['flags'];
}

const followEveryMs = 300;

const actions: Readonly<Record<string, Action>> = {
  async list(door, { flags }, terminal) {
    const limit = number(flags['limit'], 'limit');
    const answer = await door.call('list_runs', { ...(limit !== undefined && { limit }) });
    return print(answer, flags, terminal);
  },
  async show(door, given, terminal) {
    return print(await door.call('show_run', { run_id: await idOf(door, given) }), given.flags, terminal);
  },
  async cancel(door, given, terminal) {
    const run_id = await idOf(door, given);
    return print(
      await door.call('cancel_run', { run_id, reason: 'cancelled by hand' }),
      given.flags,
      terminal,
    );
  },
  async clean(door, { flags }, terminal) {
    const older_than_days = number(flags['older-than-days'], 'older-than-days');
    const keep = number(flags['keep'], 'keep');
    const args = {
      ...(older_than_days !== undefined && { older_than_days }),
      ...(keep !== undefined && { keep }),
    };
    return print(await door.call('clean_runs', args), flags, terminal);
  },
  async tail(door, given, terminal) {
    const run_id = await idOf(door, given);
    const limit = number(given.flags['limit'], 'limit') ?? 50;
    const first = await door.call('tail_run', { run_id, limit });
    print(first, given.flags, terminal);
    let { value } = first;
    while (given.flags['follow'] === true && value['status'] === 'running') {
      await pause(followEveryMs);
      const more = await door.call('tail_run', { run_id, after: value['next']!, limit: 1000 });
      value = more.value;
      if ((value['events'] as unknown as unknown[]).length > 0) print(more, given.flags, terminal);
    }
    return 0;
  },
};

export const runs: Command = {
  name: 'runs',
  summary: 'Look at the runs of sub-agents, cancel them, clear them away.',
  usage: 'runs list|show|tail|cancel|clean [RUN_ID|last] [FLAGS]',
  flags: {
    json: { type: 'boolean', description: 'Print JSON.' },
    limit: { type: 'string', short: 'n', description: 'list, tail: the most to print.' },
    follow: { type: 'boolean', short: 'f', description: 'tail: go on until the run ends.' },
    'older-than-days': { type: 'string', description: 'clean: the least age to remove (30).' },
    keep: { type: 'string', description: 'clean: how many of the newest to keep in any case (0).' },
  },
  settings: ['home', 'config', 'delegate.runs_dir'],
  async run(loaded, terminal) {
    const [name = 'list', id] = loaded.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) {
      const meant = nearest(name, Object.keys(actions));
      throw new UsageError(`runs ${name} is not known${meant ? `; did you mean runs ${meant}?` : ''}`);
    }
    await using door = await openDoor(loaded, terminal);
    return await action(door, { id, flags: loaded.flags }, terminal);
  },
};

async function idOf(door: Door, { id }: Given): Promise<string> {
  if (id === undefined) throw new UsageError('which run? Name its run_id, or "last"');
  if (id !== 'last') return id;
  const { value } = await door.call('list_runs', { limit: 1 });
  const [newest] = value['runs'] as unknown as { run_id: string }[];
  if (newest === undefined) throw new UsageError('there are no runs yet');
  return newest.run_id;
}

function print(
  { text, value }: { text: string; value: JsonObject },
  flags: LoadedConfig['flags'],
  terminal: Terminal,
): number {
  terminal.print(`${flags['json'] === true ? JSON.stringify(value, null, 2) : text}\n`);
  return 0;
}

function number(raw: unknown, flag: string): number | undefined {
  if (raw === undefined) return undefined;
  const value = Number(raw);
  if (!Number.isFinite(value) || value < 0) throw new UsageError(`--${flag} must be a number, not ${raw}`);
  return value;
}
