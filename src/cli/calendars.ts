import { resolve } from 'node:path';
import type { LoadedConfig } from '../config.ts';
import type { JsonObject } from '../json.ts';
import { type Command, UsageError, unknownWord } from './command.ts';
import { type Door, openDoor } from './door.ts';
import { withName } from './tool-command.ts';

interface Given {
  readonly names: readonly string[];
  readonly flags: LoadedConfig['flags'];
}

/** Each yields the calendars it dealt with. */
const actions: Readonly<Record<string, (door: Door, given: Given) => AsyncGenerator<JsonObject>>> = {
  list: async function* (door, { names, flags }) {
    if (names.length > 0) throw new UsageError(`calendars list does not know what to do with "${names[0]}"`);
    yield* calendarsOf(await door.call('listCalendars', { ...optional('user_id', flags['user']) }));
  },
  import: (door, given) => take(door, 'importCalendar', given),
  add: (door, given) => take(door, 'addCalendar', given),
  sync: async function* (door, { names, flags }) {
    const force = flags['force'] === true;
    if (names.length === 0)
      yield* calendarsOf(await door.call('syncCalendar', { force, ...optional('user_id', flags['user']) }));
    for (const calendar_id of names)
      yield* calendarsOf(await called(door, 'syncCalendar', { calendar_id, force }));
  },
  remove: async function* (door, { names }) {
    if (names.length === 0)
      throw new UsageError('which calendar? Name its id; adjutant calendars list shows it');
    for (const calendar_id of names) yield (await called(door, 'removeCalendar', { calendar_id })).value;
  },
};

export const calendars: Command = {
  name: 'calendars',
  summary: 'Take calendars into the diary, keep them up to date, remove them.',
  usage: 'calendars import|add|list|sync|remove [FILE|FOLDER|ADDRESS|ID…] [FLAGS]',
  words: Number.POSITIVE_INFINITY,
  flags: {
    user: {
      type: 'string',
      short: 'u',
      description: 'Whose diary; not needed where there is one user only.',
    },
    name: { type: 'string', description: 'import, add: what to call the calendar.' },
    caldav: { type: 'boolean', description: 'import, add: the address is that of a CalDAV account.' },
    username: { type: 'string', description: 'import, add: the user name at the address.' },
    force: { type: 'boolean', description: 'sync: read it even when it says that nothing has changed.' },
  },
  settings: [
    'home',
    'config',
    'assistant.database_url',
    'calendars.passwords_file',
    'calendars.private_hosts',
    'calendars.max_bytes',
    'log_level',
  ],
  async run(loaded, terminal) {
    const [name = 'list', ...names] = loaded.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw unknownWord('calendars', name, Object.keys(actions));
    await using door = await openDoor(loaded, terminal);
    const found: JsonObject[] = [];
    for await (const calendar of action(door, { names, flags: loaded.flags })) found.push(calendar);
    terminal.answer({ calendars: found }, () =>
      found.length === 0 ? 'No calendars.' : found.flatMap(linesOf).join('\n'),
    );
    return found.some(({ error }) => error !== undefined) && name === 'sync' ? 1 : 0;
  },
};

async function* take(door: Door, tool: string, { names, flags }: Given): AsyncGenerator<JsonObject> {
  if (names.length === 0) throw new UsageError('what from? Name a file, a folder or an address');
  const user_id = typeof flags['user'] === 'string' ? flags['user'] : await onlyUser(door);
  for (const written of names) {
    yield* calendarsOf(
      await called(door, tool, {
        user_id,
        source: /^[a-z]{2,}:/i.test(written) ? written : resolve(written),
        ...optional('name', flags['name']),
        ...optional('username', flags['username']),
        ...(flags['caldav'] === true && { kind: 'caldav' }),
      }),
    );
  }
}

async function called(door: Door, tool: string, args: JsonObject) {
  return door.call(tool, args).catch((error: unknown) => {
    throw withName(error, args);
  });
}

async function onlyUser(door: Door): Promise<string> {
  const { value } = await door.call('listUsers', {});
  const users = value['users'] as unknown as { id: string; name: string }[];
  if (users.length === 1) return users[0]!.id;
  throw new UsageError(
    users.length === 0
      ? 'there is no user yet whose diary it could be: adjutant users create --name NAME --email ADDRESS'
      : `whose diary? Say --user ${users.map(({ id }) => id).join(' or --user ')}`,
  );
}

function calendarsOf({ value }: { readonly value: JsonObject }): readonly JsonObject[] {
  return value['calendars'] as readonly JsonObject[];
}

function optional(name: string, value: unknown): JsonObject {
  return typeof value === 'string' ? { [name]: value } : {};
}

function linesOf(calendar: JsonObject): readonly string[] {
  if (calendar['deleted'] !== undefined)
    return [`removed ${calendar['deleted']} with ${calendar['events']} events`];
  const counts = ['added', 'moved', 'changed', 'cancelled', 'removed', 'unchanged']
    .filter((kind) => Number(calendar[kind] ?? 0) > 0)
    .map((kind) => `${calendar[kind]} ${kind}`);
  const state =
    calendar['unchanged'] === undefined
      ? `${calendar['events'] ?? '?'} events`
      : counts.join(', ') || 'nothing new';
  const problems = (calendar['problems'] ?? []) as readonly JsonObject[];
  return [
    `${calendar['name']}  (${calendar['kind']} ${calendar['source']}, user ${calendar['user_id']}, id ${calendar['id']})`,
    `  ${state}${calendar['kept_up_to_date'] === true ? ', kept up to date' : ''}`,
    ...(calendar['error'] === undefined ? [] : [`  failed: ${calendar['error']}`]),
    ...problems.map(problemLine),
    ...(Number(calendar['problem_count'] ?? 0) > problems.length
      ? [`  … and ${Number(calendar['problem_count']) - problems.length} more problems`]
      : []),
  ];
}

function problemLine({ severity, document, line, uid, message }: JsonObject): string {
  const place = [document, Number(line ?? 0) > 0 ? `line ${line}` : undefined, uid && `UID ${uid}`];
  return `  ${severity}: ${place.filter((part) => part).join(', ')}: ${message}`;
}
