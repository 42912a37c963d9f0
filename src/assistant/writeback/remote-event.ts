import { Failure } from '../../failure.ts';
import { recordStart } from '../../store/current-call.ts';
import { type Calendar, type CalendarEvent, type User, unverifiedEtag } from '../../store/schema.ts';
import { CalDavTarget } from '../calendar/caldav-target.ts';
import { importEvents, toFields } from '../calendar/import.ts';
import type { StoredObject, Target, TargetAbilities } from '../calendar/source.ts';
import { type Calendars, sourceOptions } from '../calendar/sync.ts';
import { findCalendar, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { parseCalendar } from '../icalendar/parse.ts';
import type { ComponentKind, EditContext } from './edit.ts';
import type { Saved } from './save.ts';

/** A calendar on a server, opened for one change. */
export interface RemoteCalendar {
  readonly calendars: Calendars;
  readonly calendar: Calendar;
  readonly user: User;
  readonly target: Target;
  readonly abilities: TargetAbilities;
  /** All addresses of the user, in lower case. */
  readonly own: ReadonlySet<string>;
  readonly editing: EditContext;
}

const readOnlyKinds = {
  file: 'a file that was imported',
  folder: 'a folder that is read, but not written',
  url: 'a URL that can only be read',
} as const;

/** Opens the calendar for writing, or explains why it cannot be written and what to do instead. */
export async function openRemote(
  calendars: Calendars,
  calendarId: string,
  signal?: AbortSignal,
): Promise<RemoteCalendar> {
  const { data } = calendars;
  const { calendar, user } = await data.store.read(async (db) => {
    const found = await findCalendar(db, calendarId);
    return { calendar: found, user: await findUser(db, found.user_id) };
  });
  if (calendar.kind !== 'caldav')
    throw new Failure(
      'refused',
      `The calendar "${calendar.name}" is ${readOnlyKinds[calendar.kind]}, so its events cannot be changed here. Change the event in the program that it comes from, or add the calendar as a CalDAV account with add_calendar.`,
    );
  const target = new CalDavTarget(calendar, sourceOptions(calendars, signal));
  const abilities = await target.abilities();
  if (!abilities.writable)
    throw new Failure(
      'refused',
      `You may read the calendar "${calendar.name}", but not change it. Ask its owner for write access, or use another calendar.`,
    );
  await recordStart();
  const addresses = [...(user.email === null ? [] : [user.email.toLowerCase()]), ...abilities.addresses];
  return {
    calendars,
    calendar,
    user,
    target,
    abilities,
    own: new Set(addresses),
    editing: {
      nowMs: data.clock(),
      userZone: preferencesOf(user).timezone,
      // The server recognizes its own addresses; others may be unknown to it.
      organizer:
        abilities.addresses.find((address) => address === user.email?.toLowerCase()) ??
        abilities.addresses[0] ??
        addresses[0],
    },
  };
}

/** Opens the calendar of an event and reads the event. */
export async function openEvent(
  calendars: Calendars,
  event: CalendarEvent,
  signal?: AbortSignal,
  kind: ComponentKind = 'VEVENT',
) {
  if (event.calendar_id === null)
    throw new Failure('refused', 'This event comes from another source, so it cannot be changed here.');
  const remote = await openRemote(calendars, event.calendar_id, signal);
  if (event.task !== null && kind === 'VEVENT')
    throw new Failure(
      'refused',
      'Of a task, only whether it is done can be changed here. Change it in the program that created it.',
    );
  if (event.href === null)
    throw new Failure(
      'refused',
      `The address of this event is unknown; sync "${remote.calendar.name}" first.`,
    );
  const stored = await remote.target.read(event.href);
  if (stored !== undefined) return { remote, stored, href: event.href };
  await forget(remote, event.href);
  throw new Failure('conflict', 'This event was deleted in its calendar in the meantime.');
}

/**
 * Stores an object that was written or read. The next sync would do the same. An object that the server did not send back
 * is marked, and the next sync verifies it.
 */
export async function storeObject(
  remote: RemoteCalendar,
  href: string,
  { text, version }: Saved,
): Promise<CalendarEvent> {
  const { calendars, calendar, user } = remote;
  const { data } = calendars;
  const { events } = await parseCalendar([{ name: href, pieces: [text] }], { nowMs: data.clock() });
  try {
    await importEvents(data, calendar, user, events, { deleted: { hrefs: new Set() } });
    if (version === undefined)
      await data.store.write(({ db }) =>
        db
          .updateTable('events')
          .set({ etag: unverifiedEtag })
          .where('calendar_id', '=', calendar.id)
          .where('href', '=', href)
          .execute(),
      );
    return await data.store.read((db) =>
      db
        .selectFrom('events')
        .selectAll()
        .where('calendar_id', '=', calendar.id)
        .where('provider_event_id', '=', events[0]?.uid ?? '')
        .executeTakeFirstOrThrow(),
    );
  } catch (error) {
    throw new Failure(
      'unavailable',
      `The change was written to the calendar "${calendar.name}", but could not be stored here. The next sync stores it.`,
      { cause: error },
    );
  }
}

/** True if two objects are the same event at the same time. Servers rewrite some of the other properties. */
export async function isSameEvent(
  { calendars: { data }, calendar, user }: RemoteCalendar,
  ...texts: readonly [string, string]
): Promise<boolean> {
  const nowMs = data.clock();
  const [one, other] = await Promise.all(
    texts.map(async (text) => {
      const { events } = await parseCalendar([{ pieces: [text] }], { nowMs });
      if (events[0] === undefined) return undefined;
      const { title, start_ms, end_ms } = await toFields(events[0], calendar, user, nowMs);
      return JSON.stringify([title, start_ms, end_ms]);
    }),
  );
  return one !== undefined && one === other;
}

/** Removes an event that no longer exists on the server. */
export async function forget({ calendars, calendar, user }: RemoteCalendar, href: string): Promise<void> {
  await importEvents(calendars.data, calendar, user, [], { deleted: { hrefs: new Set([href]) } });
}

/** Columns that a change of each field overwrites. */
const columns = {
  title: ['title'],
  location: ['location'],
  description: ['description'],
  conf_link: ['conf_link'],
  status: ['status'],
  attendees: [],
  times: ['start_ms', 'end_ms', 'all_day', 'series'],
} as const satisfies Record<string, readonly (keyof CalendarEvent)[]>;

export type TouchedField = keyof typeof columns;

/**
 * Refuses a change to a field that another program changed since the last sync, because the user has not seen that value.
 * The new version is stored, so that a second call works on what the user can see then.
 */
export async function refuseUnseen(
  remote: RemoteCalendar,
  event: CalendarEvent,
  href: string,
  stored: StoredObject,
  touched: readonly TouchedField[],
): Promise<void> {
  const { calendars, calendar, user } = remote;
  const nowMs = calendars.data.clock();
  const { events } = await parseCalendar([{ name: href, pieces: [stored.text] }], { nowMs });
  const current = events.find(({ uid }) => uid === event.provider_event_id);
  if (current === undefined || events.length > 1)
    throw new Failure(
      'refused',
      'The server stores this event together with others or in a form that cannot be read. Change it in the program that created it.',
    );
  const fields = await toFields(current, calendar, user, nowMs);
  const names = touched.filter((field) => columns[field].some((column) => fields[column] !== event[column]));
  if (names.length === 0) return;
  await storeObject(remote, href, stored);
  throw new Failure(
    'conflict',
    `Another program changed ${names.join(' and ')} of "${event.title}" since the last sync. Nothing was changed. The event is up to date now: look at it with get_event, and repeat the change if it is still wanted.`,
    { data: { changed: names } },
  );
}
