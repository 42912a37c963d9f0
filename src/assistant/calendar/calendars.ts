import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../failure.ts';
import { removeEvent } from '../editing/events.ts';
import { findUser, type Reader } from '../entities/entity-access.ts';
import { audit } from '../store/audit.ts';
import { newId } from '../store/id.ts';
import type { Calendar } from '../store/schema.ts';
import type { CalendarView } from './calendar-view.ts';
import { configOf, type SourceConfig } from './source.ts';
import {
  type Calendars,
  type SyncOptions,
  type SyncResult,
  sourceOptions,
  syncCalendar,
  takeInText,
} from './sync.ts';

/** A source as somebody writes it. */
export interface WrittenSource {
  readonly userId: string;
  /** A file, a folder or an address. */
  readonly source: string;
  readonly kind?: Calendar['kind'] | undefined;
  readonly name?: string | undefined;
  readonly username?: string | undefined;
}

export async function findCalendar(db: Reader, id: string): Promise<Calendar> {
  const calendar = await db.selectFrom('calendars').selectAll().where('id', '=', id).executeTakeFirst();
  if (calendar === undefined)
    throw new Failure('resource-not-found', 'Calendar not found', { data: { missing: 'calendar' } });
  return calendar;
}

export async function listCalendars({ diary }: Calendars, userId?: string) {
  return diary.store.read(async (db) => {
    if (userId !== undefined) await findUser(db, userId);
    const calendars = db.selectFrom('calendars').selectAll().orderBy('created_ms').orderBy('id');
    const counts = db
      .selectFrom('events')
      .select(({ fn }) => ['calendar_id', fn.countAll<number>().as('events')])
      .where('calendar_id', 'is not', null)
      .groupBy('calendar_id');
    const rows = await (userId === undefined ? calendars : calendars.where('user_id', '=', userId)).execute();
    const byId = new Map(
      (await (userId === undefined ? counts : counts.where('user_id', '=', userId)).execute()).map((row) => [
        row.calendar_id,
        Number(row.events),
      ]),
    );
    return rows.map((calendar) => ({ calendar, events: byId.get(calendar.id) ?? 0 }));
  });
}

/** Takes a source in, once or to be followed from now on. A source that is there already is brought up to date. */
export async function addCalendar(
  calendars: Calendars,
  written: WrittenSource,
  followed: boolean,
  options: SyncOptions = {},
): Promise<readonly SyncResult[]> {
  const { diary } = calendars;
  await diary.store.read((db) => findUser(db, written.userId));
  const config: SourceConfig = {
    ...(written.username !== undefined && { username: written.username }),
  };
  const results: SyncResult[] = [];
  for (const { kind, location, name } of await placesOf(calendars, written, config, options)) {
    const { calendar, isNew } = await register(
      calendars,
      written,
      { kind, location, name, config },
      followed,
    );
    try {
      // A folder has many names, an account has told its own.
      const rename = isNew && written.name === undefined && (kind === 'file' || kind === 'url');
      results.push(await syncCalendar(calendars, calendar, { ...options, force: true, rename }));
    } catch (error) {
      // What could not be read even once was probably not meant.
      if (isNew) await removeCalendar(calendars, calendar.id);
      throw error;
    }
  }
  return results;
}

/** Takes in the text of a calendar, under a name by which it can be changed later. */
export async function importText(
  calendars: Calendars,
  { userId, text, name }: { readonly userId: string; readonly text: string; readonly name: string },
  options: SyncOptions = {},
): Promise<SyncResult> {
  await calendars.diary.store.read((db) => findUser(db, userId));
  const place = { kind: 'file', location: `text:${name}`, name, config: { handed_over: true } } as const;
  const { calendar, isNew } = await register(calendars, { userId }, place, false);
  try {
    return await takeInText(calendars, calendar, text, options);
  } catch (error) {
    if (isNew) await removeCalendar(calendars, calendar.id);
    throw error;
  }
}

/** Brings all calendars up to date that can be read again. One that fails does not keep the others waiting. */
export async function syncAll(
  calendars: Calendars,
  userId: string | undefined,
  options: SyncOptions,
): Promise<readonly CalendarView[]> {
  const { calendarView, syncView } = await import('./calendar-view.ts');
  const views: CalendarView[] = [];
  for (const { calendar } of await listCalendars(calendars, userId)) {
    if (configOf(calendar).handed_over) continue;
    try {
      views.push(syncView(await syncCalendar(calendars, calendar, options)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const failed = await calendars.diary.store.read((db) => findCalendar(db, calendar.id));
      views.push(calendarView(failed));
    }
  }
  return views;
}

/** Takes a calendar out with its events, and calls off what was planned for them. */
export async function removeCalendar({ diary }: Calendars, id: string): Promise<number> {
  const now = diary.clock();
  let removed = 0;
  for (;;) {
    const left = await diary.store.write(async (writer) => {
      const calendar = await findCalendar(writer.db, id);
      const events = await writer.db
        .selectFrom('events')
        .selectAll()
        .where('calendar_id', '=', id)
        .limit(200)
        .execute();
      for (const event of events) await removeEvent(writer, event, 'its calendar was removed', now, true);
      if (events.length === 0) {
        await writer.db.deleteFrom('calendars').where('id', '=', id).execute();
        await audit(writer, now, [
          {
            action: 'calendar.removed',
            userId: calendar.user_id,
            detail: { calendar_id: id, events: removed },
          },
        ]);
        writer.changed({ kind: 'calendar', id, userId: calendar.user_id });
      }
      return events.length;
    });
    if (left === 0) return removed;
    removed += left;
  }
}

interface Place {
  readonly kind: Calendar['kind'];
  readonly location: string;
  readonly name: string;
}

async function placesOf(
  { options }: Calendars,
  { source, kind, name }: WrittenSource,
  config: SourceConfig,
  { signal }: SyncOptions,
): Promise<readonly Place[]> {
  if (/^(https?|webcals?|caldavs?):/i.test(source)) {
    const url = new URL(source.replace(/^caldav(s?):/i, 'http$1:').replace(/^webcals?:/i, 'https:'));
    if (url.username !== '' || url.password !== '')
      throw new Failure(
        'invalid-params',
        'An address is kept as it is; put the password into the file that calendars.passwords_file names instead.',
      );
    if (kind !== 'caldav' && !/^caldavs?:/i.test(source))
      return [{ kind: 'url', location: url.href, name: name ?? url.host }];
    const { findCollections } = await import('./caldav-source.ts');
    const found = await findCollections(url.href, config, sourceOptions(options, signal));
    if (found.length === 0)
      throw new Failure('unavailable', `There are no calendars in this account of ${url.host}.`);
    return found.map((collection) => ({
      kind: 'caldav',
      location: collection.url,
      name: found.length === 1 && name !== undefined ? name : collection.name,
    }));
  }
  const path = /^file:/i.test(source) ? fileURLToPath(source) : source;
  if (!isAbsolute(path))
    throw new Failure('invalid-params', `"${source}" is neither an address nor a full path.`);
  const { calendarFiles, isFolder } = await import('./file-source.ts');
  await calendarFiles(path);
  return [
    {
      kind: (await isFolder(path)) ? 'folder' : 'file',
      location: path,
      name: name ?? path.split(/[\\/]/).findLast((part) => part !== '') ?? path,
    },
  ];
}

async function register(
  { diary }: Calendars,
  { userId, name: wanted }: Pick<WrittenSource, 'userId' | 'name'>,
  { kind, location, name, config }: Place & { readonly config: SourceConfig },
  followed: boolean,
): Promise<{ readonly calendar: Calendar; readonly isNew: boolean }> {
  const now = diary.clock();
  const written = Object.keys(config).length === 0 ? null : JSON.stringify(config);
  return diary.store.write(async (writer) => {
    const known = await writer.db
      .selectFrom('calendars')
      .selectAll()
      .where('user_id', '=', userId)
      .where('kind', '=', kind)
      .where('location', '=', location)
      .executeTakeFirst();
    const values = {
      ...(known === undefined || wanted !== undefined ? { name } : {}),
      ...(written !== null && { config: written }),
      ...(followed && { enabled: 1 }),
      updated_ms: now,
    };
    const row = {
      id: newId(now),
      user_id: userId,
      kind,
      name,
      location,
      config: written,
      enabled: followed ? 1 : 0,
      etag: null,
      sync_token: null,
      last_sync_ms: null,
      next_sync_ms: now,
      error: null,
      problems: null,
      created_ms: now,
      updated_ms: now,
    };
    const calendar = await (known === undefined
      ? writer.db.insertInto('calendars').values(row).returningAll().executeTakeFirstOrThrow()
      : writer.db
          .updateTable('calendars')
          .set(values)
          .where('id', '=', known.id)
          .returningAll()
          .executeTakeFirstOrThrow());
    writer.changed({ kind: 'calendar', id: calendar.id, userId });
    return { calendar, isNew: known === undefined };
  });
}
