import { resolve } from 'node:path';
import type { ToolAnswer, ToolArguments } from '../../api.ts';
import { wholeList } from '../../paging.ts';
import { toolAction, withId } from '../client/tool-command.ts';
import {
  type Action,
  type Command,
  type Flags,
  type LocalClient,
  number,
  text,
  textFlag,
  toggle,
  type Use,
} from '../terminal/command.ts';

type Calendar = ToolAnswer<'list_calendars'>['calendars'][number];
type CalendarProblem = NonNullable<Calendar['problems']>[number];
type Removed = ToolAnswer<'remove_calendar'>;

/** Yields the calendars that an action listed or changed. */
type Work = (client: LocalClient, use: Use) => AsyncGenerator<Calendar | Removed>;

function calendarAction(work: Work, action: Omit<Action, 'run'>): Action {
  return {
    ...action,
    async run(use) {
      const { loaded, terminal } = use;
      const client = await use.connect();
      const found: (Calendar | Removed)[] = [];
      for await (const calendar of work(client, use)) found.push(calendar);
      terminal.answer({ calendars: found }, () =>
        found.length === 0 ? 'No calendars.' : found.flatMap(calendarLines).join('\n'),
      );
      return loaded.positionals[0] === 'sync' && found.some((one) => 'error' in one) ? 1 : 0;
    },
  };
}

const user: Flags = { user: text('PERSON', 'Whose calendar it is', { short: 'u' }) };
const sourceFlags: Flags = {
  ...user,
  name: text('NAME', 'Name of the calendar'),
  caldav: toggle('The address is a CalDAV account'),
  username: text('NAME', 'User name for the address'),
};
const calendar = text('CALENDAR', 'Only this calendar; local: events created here');
const source = {
  SOURCE: 'a file, a folder, an https, webcal or caldavs address, or the mail address of an account',
};

export const calendars: Command = {
  name: 'calendars',
  summary: 'Add and sync calendars',
  actions: {
    list: calendarAction(
      async function* (client, { flags }) {
        yield* (await client.call('list_calendars', { ...personIn(flags), ...wholeList })).value.calendars;
      },
      { summary: 'List calendars', flags: user, examples: ['calendars list', 'calendars list --user ada'] },
    ),
    add: calendarAction((client, use) => readSource(client, 'add_calendar', use), {
      summary: 'Add a calendar and keep it up to date',
      args: 'SOURCE…',
      notes: source,
      flags: sourceFlags,
      examples: [
        'calendars add https://example.org/holidays.ics',
        'calendars add caldavs://dav.example.org --username ada',
        'calendars add ada@example.org',
      ],
    }),
    'sign-in': calendarAction(
      async function* (client, use) {
        const { signIn } = await import('./calendar-sign-in.ts');
        const source = await signIn(use);
        const account = { source, kind: 'caldav', username: use.words[0]!.toLowerCase() } as const;
        yield* (await callWithId(client, 'add_calendar', { ...account, ...personIn(use.flags) })).value
          .calendars;
      },
      {
        summary:
          'Sign in at Google, or another provider without passwords for programs, and add its calendars',
        args: 'ACCOUNT',
        changes: 'files',
        notes: { ACCOUNT: 'the mail address of the account' },
        flags: {
          ...user,
          client: text('FILE', 'Client that you downloaded from the console of the provider'),
          server: text('ADDRESS', "Address of the CalDAV server; Google's, unless given"),
          scope: text('SCOPE', "Access to ask for; Google's calendars, unless given"),
          port: number('PORT', 'Port of this machine to which the browser returns'),
        },
        examples: [
          'calendars sign-in ada@gmail.com --client ~/Downloads/client_secret.json',
          'calendars sign-in ada@gmail.com',
        ],
      },
    ),
    import: calendarAction((client, use) => readSource(client, 'import_calendar', use), {
      summary: 'Copy the events of a calendar once',
      args: 'SOURCE…',
      notes: source,
      flags: sourceFlags,
      examples: ['calendars import work.ics', 'calendars import ~/calendars --user ada'],
    }),
    sync: calendarAction(
      async function* (client, { words, flags }) {
        const force = flags['force'] === true;
        if (words.length === 0)
          yield* (await client.call('sync_calendar', { force, ...personIn(flags) })).value.calendars;
        for (const calendar_id of words)
          yield* (await callWithId(client, 'sync_calendar', { calendar_id, force })).value.calendars;
      },
      {
        summary: 'Read all calendars again, or only some',
        args: '[CALENDAR…]',
        flags: { ...user, force: toggle('Read them even if their server reports no changes') },
        examples: ['calendars sync', 'calendars sync work --force'],
      },
    ),
    export: toolAction({
      summary: 'Print the events of a person as iCalendar text',
      args: '[PERSON]',
      flags: {
        'calendar-id': calendar,
        from: text('DAY', 'First day; only the dates in the range are printed'),
        to: text('DAY', 'Last day, included'),
      },
      examples: ['calendars export ada > ada.ics', 'calendars export --from 2026-12-01 --to 2026-12-31'],
      tool: 'export_calendar',
      words: ['user_id'],
      show: ({ calendar: text }) => text.trimEnd(),
    }),
    share: toolAction({
      summary: 'Make a private address with which other programs read the events of a person',
      args: '[PERSON]',
      flags: { 'calendar-id': calendar, revoke: toggle('End all its addresses instead') },
      examples: ['calendars share ada', 'calendars share ada --revoke'],
      tool: 'share_calendar',
      words: ['user_id'],
      changes: true,
      show: ({ url, note, revoked }) =>
        url === undefined
          ? `✓ ${revoked} address${revoked === 1 ? '' : 'es'} revoked`
          : [url, ...(note === undefined ? [] : [note])].join('\n'),
    }),
    remove: calendarAction(
      async function* (client, { words, terminal }) {
        const known = (await client.call('list_calendars', wholeList)).value.calendars;
        const named = words
          .map((id) => known.find((one) => one.id === id))
          .filter((one) => one !== undefined);
        const events = named.reduce((sum, one) => sum + (one.events ?? 0), 0);
        const names = named.map(({ name }) => name).join(', ');
        const isOne = events <= 1 && words.length === 1;
        if (!isOne && !(await terminal.confirm(`${names} has ${events} events. Remove all of it?`))) return;
        for (const calendar_id of words)
          yield (await callWithId(client, 'remove_calendar', { calendar_id })).value;
      },
      {
        summary: 'Remove calendars with their events here',
        args: 'CALENDAR…',
        flags: { yes: toggle('Do not ask', { short: 'y' }) },
        examples: ['calendars remove work', 'calendars remove work --yes'],
      },
    ),
  },
};

async function* readSource(
  client: LocalClient,
  tool: 'import_calendar' | 'add_calendar',
  { words, flags }: Use,
): AsyncGenerator<Calendar> {
  const user_id = textFlag(flags, 'user');
  const name = textFlag(flags, 'name');
  const username = textFlag(flags, 'username');
  for (const source of words) {
    const { value } = await callWithId(client, tool, {
      ...(user_id !== undefined && { user_id }),
      source: /^[a-z]{2,}:|^[^/\\\s]+@[^/\\\s]+$/i.test(source) ? source : resolve(source),
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

function personIn(flags: Use['flags']): { readonly user_id?: string } {
  const user_id = textFlag(flags, 'user');
  return user_id === undefined ? {} : { user_id };
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
