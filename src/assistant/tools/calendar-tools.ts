import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { defineTool } from '../../tool.ts';
import type { CalendarView } from '../calendar/calendar-view.ts';
import type { CalendarOptions, SyncOptions, SyncResult } from '../calendar/sync.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { calendarShape, listShape } from '../entities/shapes.ts';
import { userId } from './fields.ts';

/** Long, because large calendars take time; progress is reported meanwhile. */
const timeoutMs = 10 * 60_000;

const calendarId = { type: 'string', description: 'Calendar ID' } as const;
const source = {
  type: 'string',
  minLength: 1,
  maxLength: 4000,
  description: 'A file or a folder by its full path, or an address: https, webcal, caldavs',
} as const;
const name = { type: 'string', minLength: 1, maxLength: 200, description: 'What to call it' } as const;
const access = {
  kind: {
    type: 'string',
    enum: ['url', 'caldav'],
    description:
      'What is at an https address: a calendar to fetch, which is meant unless said, or a CalDAV account',
  },
  username: {
    type: 'string',
    minLength: 1,
    maxLength: 320,
    description: 'User name at the address; the password is in the file that calendars.passwords_file names',
  },
} as const;

const outputSchema = listShape('calendars', calendarShape);

export function calendarTools(data: AssistantData, options: CalendarOptions) {
  const calendars = { data, options };
  return [
    defineTool({
      name: 'import_calendar',
      title: 'Import Calendar',
      description:
        'Take the events of a calendar into the calendar of a user, once: from a file, a folder, an address, or as text. Importing the same again changes only what has changed',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: userId,
          source,
          content: { type: 'string', description: 'The text of a calendar, instead of a source' },
          name,
          ...access,
        },
        required: ['user_id'],
        additionalProperties: false,
      },
      outputSchema,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
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
        const request = {
          userId: user_id,
          source: source!,
          kind,
          name,
          username,
        };
        return answer(await addCalendar(calendars, request, false, syncOptions(context)));
      },
    }),
    defineTool({
      name: 'add_calendar',
      title: 'Add Calendar',
      description:
        'Take the events of a calendar into the calendar of a user and keep them up to date: a file, a folder, an address, or a CalDAV account with all its calendars',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, source, name, ...access },
        required: ['user_id', 'source'],
        additionalProperties: false,
      },
      outputSchema,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
      timeoutMs,
      async call({ user_id, source, name, kind, username }, context) {
        const { addCalendar } = await import('../calendar/calendars.ts');
        const request = { userId: user_id, source, kind, name, username };
        return answer(await addCalendar(calendars, request, true, syncOptions(context)));
      },
    }),
    defineTool({
      name: 'list_calendars',
      title: 'List Calendars',
      description: 'List the calendars that events come from, with what is wrong with them',
      inputSchema: {
        type: 'object',
        properties: { user_id: { ...userId, description: 'Filter by user ID' } },
      },
      outputSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      async call({ user_id }) {
        const { listCalendars } = await import('../calendar/calendars.ts');
        const { calendarView } = await import('../calendar/calendar-view.ts');
        const listed = await listCalendars(calendars, user_id);
        return list(listed.map(({ calendar, events }) => calendarView(calendar, events)));
      },
    }),
    defineTool({
      name: 'sync_calendar',
      title: 'Sync Calendar',
      description: 'Bring a calendar up to date now, or all calendars of a user, or all there are',
      inputSchema: {
        type: 'object',
        properties: {
          calendar_id: calendarId,
          user_id: userId,
          force: {
            type: 'boolean',
            default: false,
            description: 'Read it again even when its source says that nothing has changed',
          },
        },
      },
      outputSchema,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
      timeoutMs,
      async call({ calendar_id, user_id, force = false }, context) {
        const { findCalendar, syncAll } = await import('../calendar/calendars.ts');
        const { syncCalendar } = await import('../calendar/sync.ts');
        const syncRequest = { ...syncOptions(context), force };
        if (calendar_id === undefined) return list(await syncAll(calendars, user_id, syncRequest));
        const calendar = await data.store.read((db) => findCalendar(db, calendar_id));
        return answer([await syncCalendar(calendars, calendar, syncRequest)]);
      },
    }),
    defineTool({
      name: 'remove_calendar',
      title: 'Remove Calendar',
      description: 'Remove a calendar with its events and cancel what is planned for them',
      inputSchema: { type: 'object', properties: { calendar_id: calendarId }, required: ['calendar_id'] },
      outputSchema: {
        type: 'object',
        properties: { deleted: { type: 'string' }, events: { type: 'integer', minimum: 0 } },
        required: ['deleted', 'events'],
      },
      annotations: { destructiveHint: true, openWorldHint: false },
      timeoutMs,
      async call({ calendar_id }) {
        const { removeCalendar } = await import('../calendar/calendars.ts');
        return { structured: { deleted: calendar_id, events: await removeCalendar(calendars, calendar_id) } };
      },
    }),
  ];
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
  const { syncView } = await import('../calendar/calendar-view.ts');
  return list(results.map(syncView));
}

function list(calendars: readonly CalendarView[]) {
  return { structured: { calendars, count: calendars.length } };
}
