import { resolve } from 'node:path';
import type { ToolAnswer, ToolArguments } from '../../api.ts';
import type { LoadedConfig } from '../../config.ts';
import { wholeList } from '../../paging.ts';
import { type LocalClient, openLocalClient } from '../client/local-client.ts';
import { withId } from '../client/tool-command.ts';
import { type Command, UsageError, unknownSubcommand } from '../terminal/command.ts';

interface Invocation {
  readonly names: readonly string[];
  readonly flags: LoadedConfig['flags'];
}

type Calendar = ToolAnswer<'list_calendars'>['calendars'][number];
type CalendarProblem = NonNullable<Calendar['problems']>[number];
type Removed = ToolAnswer<'remove_calendar'>;

/** The subcommands. Each yields the calendars that it listed or changed. */
const actions: Readonly<
  Record<string, (client: LocalClient, invocation: Invocation) => AsyncGenerator<Calendar | Removed>>
> = {
  list: async function* (client, { names, flags }) {
    if (names.length > 0) throw new UsageError(`calendars list takes no name, but got "${names[0]}"`);
    yield* (await client.call('list_calendars', { ...userFilter(flags), ...wholeList })).value.calendars;
  },
  import: (client, invocation) => readSource(client, 'import_calendar', invocation),
  add: (client, invocation) => readSource(client, 'add_calendar', invocation),
  sync: async function* (client, { names, flags }) {
    const force = flags['force'] === true;
    if (names.length === 0)
      yield* (await client.call('sync_calendar', { force, ...userFilter(flags) })).value.calendars;
    for (const calendar_id of names)
      yield* (await callWithId(client, 'sync_calendar', { calendar_id, force })).value.calendars;
  },
  remove: async function* (client, { names }) {
    if (names.length === 0)
      throw new UsageError('calendars remove needs a calendar id; adjutant calendars list shows the ids');
    for (const calendar_id of names)
      yield (await callWithId(client, 'remove_calendar', { calendar_id })).value;
  },
};

export const calendars: Command = {
  name: 'calendars',
  summary: 'Import, sync, list and remove calendars.',
  usage: 'calendars import|add|list|sync|remove [FILE|FOLDER|ADDRESS|ID…] [FLAGS]',
  maxWords: Number.POSITIVE_INFINITY,
  flags: {
    user: {
      type: 'string',
      short: 'u',
      description: 'User who owns the calendar; optional if there is only one user.',
    },
    name: { type: 'string', description: 'import, add: name of the calendar.' },
    caldav: { type: 'boolean', description: 'import, add: treat the address as a CalDAV account.' },
    username: { type: 'string', description: 'import, add: user name for the address.' },
    force: { type: 'boolean', description: 'sync: read the calendar even if its server reports no changes.' },
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
    if (action === undefined) throw unknownSubcommand('calendars', name, Object.keys(actions));
    await using client = await openLocalClient(loaded, terminal);
    const found: (Calendar | Removed)[] = [];
    for await (const calendar of action(client, { names, flags: loaded.flags })) found.push(calendar);
    terminal.answer({ calendars: found }, () =>
      found.length === 0 ? 'No calendars.' : found.flatMap(calendarLines).join('\n'),
    );
    return name === 'sync' && found.some((one) => 'error' in one) ? 1 : 0;
  },
};

async function* readSource(
  client: LocalClient,
  tool: 'import_calendar' | 'add_calendar',
  { names, flags }: Invocation,
): AsyncGenerator<Calendar> {
  if (names.length === 0) throw new UsageError('name a file, a folder or an address to read');
  const user_id = textOf(flags['user']) ?? (await onlyUser(client));
  const name = textOf(flags['name']);
  const username = textOf(flags['username']);
  for (const source of names) {
    const { value } = await callWithId(client, tool, {
      user_id,
      source: /^[a-z]{2,}:/i.test(source) ? source : resolve(source),
      ...(name !== undefined && { name }),
      ...(username !== undefined && { username }),
      ...(flags['caldav'] === true && { kind: 'caldav' as const }),
    });
    yield* value.calendars;
  }
}

/** Calls a tool and names the id in its error message. */
async function callWithId<
  Name extends 'import_calendar' | 'add_calendar' | 'sync_calendar' | 'remove_calendar',
>(client: LocalClient, tool: Name, args: ToolArguments<Name>) {
  return client.call(tool, args).catch((error: unknown) => {
    throw withId(error, args);
  });
}

async function onlyUser(client: LocalClient): Promise<string> {
  const { users } = (await client.call('list_users', wholeList)).value;
  if (users.length === 1) return users[0]!.id;
  throw new UsageError(
    users.length === 0
      ? 'there are no users yet; create one with adjutant users create --name NAME --email ADDRESS'
      : `there are several users; name one with --user ${users.map(({ id }) => id).join(' or --user ')}`,
  );
}

function userFilter(flags: LoadedConfig['flags']): { readonly user_id?: string } {
  const user = textOf(flags['user']);
  return user === undefined ? {} : { user_id: user };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const counted = ['added', 'moved', 'changed', 'cancelled', 'removed', 'unchanged'] as const;

function calendarLines(calendar: Calendar | Removed): readonly string[] {
  if ('deleted' in calendar) return [`removed ${calendar.deleted} with ${calendar.events} events`];
  const { name, kind, source, user_id, id, problems = [], problem_count = 0, error } = calendar;
  const counts = counted.flatMap((change) => (calendar[change] ? [`${calendar[change]} ${change}`] : []));
  const state =
    calendar.unchanged === undefined ? `${calendar.events ?? '?'} events` : counts.join(', ') || 'no changes';
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
