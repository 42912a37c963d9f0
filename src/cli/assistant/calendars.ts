import { resolve } from 'node:path';
import type { ToolAnswer, ToolArguments } from '../../api.ts';
import type { LoadedConfig } from '../../config.ts';
import { type LocalClient, openLocalClient } from '../client/local-client.ts';
import { withId } from '../client/tool-command.ts';
import { type Command, UsageError, unknownWord } from '../terminal/command.ts';

interface Given {
  readonly names: readonly string[];
  readonly flags: LoadedConfig['flags'];
}

type Calendar = ToolAnswer<'listCalendars'>['calendars'][number];
type CalendarProblem = NonNullable<Calendar['problems']>[number];
type Removed = ToolAnswer<'removeCalendar'>;

/** Each yields the calendars it changed or found. */
const actions: Readonly<
  Record<string, (door: LocalClient, given: Given) => AsyncGenerator<Calendar | Removed>>
> = {
  list: async function* (door, { names, flags }) {
    if (names.length > 0) throw new UsageError(`calendars list does not know what to do with "${names[0]}"`);
    yield* (await door.call('listCalendars', ofUser(flags))).value.calendars;
  },
  import: (door, given) => take(door, 'importCalendar', given),
  add: (door, given) => take(door, 'addCalendar', given),
  sync: async function* (door, { names, flags }) {
    const force = flags['force'] === true;
    if (names.length === 0)
      yield* (await door.call('syncCalendar', { force, ...ofUser(flags) })).value.calendars;
    for (const calendar_id of names)
      yield* (await called(door, 'syncCalendar', { calendar_id, force })).value.calendars;
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
    await using door = await openLocalClient(loaded, terminal);
    const found: (Calendar | Removed)[] = [];
    for await (const calendar of action(door, { names, flags: loaded.flags })) found.push(calendar);
    terminal.answer({ calendars: found }, () =>
      found.length === 0 ? 'No calendars.' : found.flatMap(linesOf).join('\n'),
    );
    return name === 'sync' && found.some((one) => 'error' in one) ? 1 : 0;
  },
};

async function* take(
  door: LocalClient,
  tool: 'importCalendar' | 'addCalendar',
  { names, flags }: Given,
): AsyncGenerator<Calendar> {
  if (names.length === 0) throw new UsageError('what from? Name a file, a folder or an address');
  const user_id = textOf(flags['user']) ?? (await onlyUser(door));
  const name = textOf(flags['name']);
  const username = textOf(flags['username']);
  for (const written of names) {
    const { value } = await called(door, tool, {
      user_id,
      source: /^[a-z]{2,}:/i.test(written) ? written : resolve(written),
      ...(name !== undefined && { name }),
      ...(username !== undefined && { username }),
      ...(flags['caldav'] === true && { kind: 'caldav' as const }),
    });
    yield* value.calendars;
  }
}

async function called<Name extends 'importCalendar' | 'addCalendar' | 'syncCalendar' | 'removeCalendar'>(
  door: LocalClient,
  tool: Name,
  args: ToolArguments<Name>,
) {
  return door.call(tool, args).catch((error: unknown) => {
    throw withId(error, args);
  });
}

async function onlyUser(door: LocalClient): Promise<string> {
  const { users } = (await door.call('listUsers', {})).value;
  if (users.length === 1) return users[0]!.id;
  throw new UsageError(
    users.length === 0
      ? 'there is no user yet whose diary it could be: adjutant users create --name NAME --email ADDRESS'
      : `whose diary? Say --user ${users.map(({ id }) => id).join(' or --user ')}`,
  );
}

function ofUser(flags: LoadedConfig['flags']): { readonly user_id?: string } {
  const user = textOf(flags['user']);
  return user === undefined ? {} : { user_id: user };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const counted = ['added', 'moved', 'changed', 'cancelled', 'removed', 'unchanged'] as const;

function linesOf(calendar: Calendar | Removed): readonly string[] {
  if ('deleted' in calendar) return [`removed ${calendar.deleted} with ${calendar.events} events`];
  const { name, kind, source, user_id, id, problems = [], problem_count = 0, error } = calendar;
  const counts = counted.flatMap((change) => (calendar[change] ? [`${calendar[change]} ${change}`] : []));
  const state =
    calendar.unchanged === undefined
      ? `${calendar.events ?? '?'} events`
      : counts.join(', ') || 'nothing new';
  return [
    `${name}  (${kind} ${source}, user ${user_id}, id ${id})`,
    `  ${state}${calendar.kept_up_to_date ? ', kept up to date' : ''}`,
    ...(error === undefined ? [] : [`  failed: ${error}`]),
    ...problems.map(problemLine),
    ...(problem_count > problems.length ? [`  … and ${problem_count - problems.length} more problems`] : []),
  ];
}

function problemLine({ severity, document, line, uid, message }: CalendarProblem): string {
  const place = [document, line ? `line ${line}` : undefined, uid && `UID ${uid}`];
  return `  ${severity}: ${place.filter((part) => part).join(', ')}: ${message}`;
}
