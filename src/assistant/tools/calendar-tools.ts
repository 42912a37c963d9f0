import { type Actor, type Context, isOwner } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import { pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { CalendarView } from '../calendar/calendars.ts';
import type { CalendarOptions, SyncOptions, SyncResult } from '../calendar/sync.ts';
import { type AssistantData, findCalendar } from '../entities/entity-access.ts';
import { calendarShape, listShape } from '../entities/shapes.ts';
import { onlyUser, userId } from './fields.ts';

/** Long, because large calendars take time; progress is reported meanwhile. */
const timeoutMs = 10 * 60_000;

const calendarId = { type: 'string', description: 'From list_calendars' } as const;
const source = {
  type: 'string',
  minLength: 1,
  maxLength: 4000,
  description: 'Absolute path, https, webcal or caldavs URL, or mail address of a CalDAV account',
} as const;
const name = { type: 'string', minLength: 1, maxLength: 200, description: 'Name to show' } as const;
const access = {
  kind: {
    type: 'string',
    enum: ['url', 'caldav'],
    description: 'Of an https URL: calendar (default) or account',
  },
  username: {
    type: 'string',
    minLength: 1,
    maxLength: 320,
    description: 'The password is in calendars.passwords_file',
  },
} as const;

const outputSchema = listShape('calendars', calendarShape);

export function calendarTools(data: AssistantData, options: CalendarOptions) {
  const calendars = { data, options };
  return [
    defineTool({
      name: 'import_calendar',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Import Calendar',
      description:
        'Imports iCalendar events for a user once, from source or content; add_calendar keeps them in sync.',
      searchHint: 'ics webcal upload',
      phrases:
        'import load once ics file iCalendar events read in copy attachment mailed sent appointments dates holiday school timetable from a file one time upload bring over take in downloaded invitation transfer old diary ical just paste birthdays trips',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: userId,
          source,
          content: { type: 'string', description: 'iCalendar text' },
          name,
          ...access,
        },
        additionalProperties: false,
      },
      outputSchema,
      annotations: hints.fetches,
      timeoutMs,
      async call({ user_id, source, content, name, kind, username }, context) {
        if ((source === undefined) === (content === undefined))
          throw new Failure(
            'invalid-params',
            'A calendar is imported either from a source or from content. Give exactly one of the two.',
          );
        const { addCalendar, importText } = await import('../calendar/calendars.ts');
        if (content !== undefined) {
          const text = { userId: user_id, text: content, name: name ?? 'Imported text' };
          return answer([await importText(calendars, text, syncOptions(context))]);
        }
        const anonymous = demandPublicSource(context.actor, source!, kind, username);
        const request = { userId: user_id, source: source!, kind, name, username, anonymous };
        return answer(await addCalendar(calendars, request, false, syncOptions(context)));
      },
    }),
    defineTool({
      name: 'add_calendar',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Add Calendar',
      description:
        'Subscribes a user to a file, folder, URL or whole CalDAV account and keeps the events in sync.',
      searchHint: 'subscribe ics caldav webcal google outlook',
      phrases:
        'subscribe connect add keep in sync step calendar address URL feed CalDAV account Google iCloud Outlook link hook up attach follow fixtures football work diary school shared team holiday webcal Nextcloud integrate pair join tie new source mirror watch permanently appointments phone tie in',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, source, name, ...access },
        required: ['source'],
        additionalProperties: false,
      },
      outputSchema,
      annotations: hints.fetches,
      timeoutMs,
      async call({ user_id, source, name, kind, username }, context) {
        const { addCalendar } = await import('../calendar/calendars.ts');
        const anonymous = demandPublicSource(context.actor, source, kind, username);
        const request = { userId: user_id, source, kind, name, username, anonymous };
        return answer(await addCalendar(calendars, request, true, syncOptions(context)));
      },
    }),
    defineTool({
      name: 'list_calendars',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'List Calendars',
      description: 'Lists imported and subscribed calendars with last sync and problems.',
      phrases:
        'list connected calendars accounts feeds sync state subscribed hooked up linked diaries which last refreshed updated properly synchronised problems Google iCloud sources attached overview following working when did update subscriptions all fetched read come from appointments events where from feed agenda still',
      inputSchema: {
        type: 'object',
        properties: { user_id: onlyUser, ...pageArguments },
      },
      outputSchema,
      annotations: hints.reads,
      async call({ user_id, ...page }) {
        const { calendarView, listCalendars } = await import('../calendar/calendars.ts');
        const listed = await listCalendars(calendars, user_id);
        const { items, next } = pageOf(
          listed,
          ({ calendar, events }) => calendarView(calendar, events),
          page,
        );
        return { structured: { calendars: items, count: listed.length, ...next } };
      },
    }),
    defineTool({
      name: 'sync_calendar',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Sync Calendar',
      description: 'Syncs a calendar, all of a user, or all, when events seem out of date.',
      searchHint: 'refresh update reload',
      phrases:
        'refresh fetch again repeat reload update sync synchronise calendar diary now out of date outdated stale newest latest pull changes made Google iCloud does not show up appear missing behind old get check for new appointments feed download meeting event just added see Outlook phone shows look whether',
      inputSchema: {
        type: 'object',
        properties: {
          calendar_id: calendarId,
          user_id: onlyUser,
          force: {
            type: 'boolean',
            default: false,
            description: 'Read even if unchanged',
          },
        },
      },
      outputSchema,
      annotations: hints.fetches,
      timeoutMs,
      async call({ calendar_id, user_id, force = false }, context) {
        const { syncAll } = await import('../calendar/calendars.ts');
        const { syncCalendar } = await import('../calendar/sync.ts');
        const syncRequest = { ...syncOptions(context), force };
        if (calendar_id === undefined) return list(await syncAll(calendars, user_id, syncRequest));
        const calendar = await data.store.read((db) => findCalendar(db, calendar_id));
        return answer([await syncCalendar(calendars, calendar, syncRequest)]);
      },
    }),
    defineTool({
      name: 'remove_calendar',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Remove Calendar',
      description: 'Removes a calendar with its events and reminders; its source stays.',
      searchHint: 'unsubscribe delete',
      phrases:
        'disconnect unsubscribe remove delete unlink unhook detach calendar and its events stop following feed account drop do not want any more football school work holiday Google iCloud Outlook get rid of subscription sever cut connection leave whole diary appointments club office changed jobs',
      inputSchema: { type: 'object', properties: { calendar_id: calendarId }, required: ['calendar_id'] },
      outputSchema: {
        type: 'object',
        properties: { deleted: { type: 'string' }, events: { type: 'integer', minimum: 0 } },
        required: ['deleted', 'events'],
      },
      annotations: hints.replaces,
      timeoutMs,
      async call({ calendar_id }) {
        const { removeCalendar } = await import('../calendar/calendars.ts');
        return { structured: { deleted: calendar_id, events: await removeCalendar(calendars, calendar_id) } };
      },
    }),
  ];
}

/** Only the owner may read files of this machine and use stored passwords. Returns true for everybody else. */
function demandPublicSource(
  actor: Actor,
  source: string,
  kind: string | undefined,
  username: string | undefined,
): boolean {
  if (isOwner(actor)) return false;
  if (/^(https?|webcals?):/i.test(source) && kind !== 'caldav' && username === undefined) return true;
  throw new Denied(
    'refused',
    'This token may add calendars from public URLs and from content. Files, folders and accounts with a password need the owner.',
  );
}

/** Drops reports that do not increase: reading and storing each count from zero, but MCP progress must grow. */
function syncOptions({ signal, progress }: Context): SyncOptions {
  let last = -1;
  return {
    signal,
    progress: (done, total, message) => {
      if (done <= last) return;
      last = done;
      progress(done, total, message);
    },
  };
}

async function answer(results: readonly SyncResult[]) {
  const { syncView } = await import('../calendar/calendars.ts');
  return list(results.map(syncView));
}

function list(calendars: readonly CalendarView[]) {
  return { structured: { calendars, count: calendars.length } };
}
