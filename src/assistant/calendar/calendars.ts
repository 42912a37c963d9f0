import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import { isMailAddress } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { Calendar } from '../../store/schema.ts';
import type { ValueOf } from '../../tool.ts';
import { removeEvent } from '../editing/events.ts';
import { auditChange } from '../entities/decision-log.ts';
import { findCalendar, findUser, type Reader, updateRow } from '../entities/entity-access.ts';
import type { calendarShape } from '../entities/shapes.ts';
import { timestamp } from '../entities/view.ts';
import { removeSignIn } from './sign-ins.ts';
import { configOf, type SourceConfig } from './source.ts';
import {
  type Calendars,
  countChanges,
  importDocument,
  type SyncOptions,
  type SyncResult,
  sourceOptions,
  syncCalendar,
} from './sync.ts';

/** A calendar source as the user wrote it. */
export interface WrittenSource {
  readonly userId: string;
  /** File, folder, URL, or the mail address of an account. */
  readonly source: string;
  readonly kind?: Calendar['kind'] | undefined;
  readonly name?: string | undefined;
  readonly username?: string | undefined;
  /** Never sends a stored password, because the caller may not use those of the owner. */
  readonly anonymous?: boolean;
}

export async function listCalendars({ data }: Calendars, userId?: string) {
  return data.store.read(async (db) => {
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

/** Imports a source once, or follows it from now on. A source that was already added is synced. */
export async function addCalendar(
  calendars: Calendars,
  written: WrittenSource,
  follow: boolean,
  options: SyncOptions = {},
): Promise<readonly SyncResult[]> {
  const { data } = calendars;
  await data.store.read((db) => findUser(db, written.userId));
  const username = written.username ?? (isAccount(written.source) ? written.source : undefined);
  const config: SourceConfig = {
    ...(username !== undefined && { username }),
    ...(written.anonymous && { anonymous: true }),
  };
  const results: SyncResult[] = [];
  for (const { tasksOnly, ...place } of await findPlaces(calendars, written, config, options)) {
    const { kind } = place;
    const own = { ...place, config: { ...config, ...(tasksOnly && { tasks_only: true as const }) } };
    const { calendar, isNew } = await register(calendars, written, own, follow);
    try {
      // Only a file or URL is renamed: a folder contains several calendars, and a CalDAV account names its own.
      const rename = isNew && written.name === undefined && (kind === 'file' || kind === 'url');
      results.push(await syncCalendar(calendars, calendar, { ...options, force: true, rename }));
    } catch (error) {
      // A new calendar that cannot be read is probably a mistake, so it is not kept.
      if (isNew) await removeCalendar(calendars, calendar.id);
      throw error;
    }
  }
  return results;
}

/** Imports the text of a calendar under a name; importing the same name again updates it. */
export async function importText(
  calendars: Calendars,
  { userId, text, name }: { readonly userId: string; readonly text: string; readonly name: string },
  options: SyncOptions = {},
): Promise<SyncResult> {
  await calendars.data.store.read((db) => findUser(db, userId));
  const place = { kind: 'file', location: `text:${name}`, name, config: { handed_over: true } } as const;
  const { calendar, isNew } = await register(calendars, { userId }, place, false);
  try {
    return await importDocument(calendars, calendar, text, options);
  } catch (error) {
    if (isNew) await removeCalendar(calendars, calendar.id);
    throw error;
  }
}

/** Syncs all calendars that have a source. A calendar that fails does not stop the others. */
export async function syncAll(
  calendars: Calendars,
  userId: string | undefined,
  options: SyncOptions,
): Promise<readonly CalendarView[]> {
  const views: CalendarView[] = [];
  for (const { calendar } of await listCalendars(calendars, userId)) {
    if (configOf(calendar).handed_over) continue;
    try {
      views.push(syncView(await syncCalendar(calendars, calendar, options)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const failed = await calendars.data.store.read((db) => findCalendar(db, calendar.id));
      views.push(calendarView(failed));
    }
  }
  return views;
}

/** Removes a calendar with its events and cancels their planned notifications. */
export async function removeCalendar({ data }: Calendars, id: string): Promise<number> {
  const now = data.clock();
  let removed = 0;
  for (;;) {
    const left = await data.store.write(async (writer) => {
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
        await forgetSignIn(writer.db, calendar);
        await writer.db
          .updateTable('users')
          .set({ home_calendar: null })
          .where('home_calendar', '=', id)
          .execute();
        const detail = { calendar_id: id, events: removed };
        await auditChange(writer, now, { action: 'calendar.removed', userId: calendar.user_id, detail });
      }
      return events.length;
    });
    if (left === 0) return removed;
    removed += left;
  }
}

/** The sign-in of an account goes with the last of its calendars. */
async function forgetSignIn(db: Reader, calendar: Calendar): Promise<void> {
  const { username } = configOf(calendar);
  if (calendar.kind !== 'caldav' || username === undefined) return;
  const { host } = new URL(calendar.location);
  const others = await db.selectFrom('calendars').selectAll().where('kind', '=', 'caldav').execute();
  const isUsed = others.some(
    (other) => configOf(other).username === username && new URL(other.location).host === host,
  );
  if (!isUsed) await removeSignIn(db, { host, login: username.toLowerCase() });
}

interface Place {
  readonly kind: Calendar['kind'];
  readonly location: string;
  readonly name: string;
  readonly tasksOnly?: boolean;
}

/** True for the mail address of an account. */
function isAccount(source: string): boolean {
  return isMailAddress(source) && !/[/\\]/.test(source);
}

async function findPlaces(
  calendars: Calendars,
  written: WrittenSource,
  config: SourceConfig,
  { signal }: SyncOptions,
): Promise<readonly Place[]> {
  const { name } = written;
  const options = sourceOptions(calendars, signal);
  const source = isAccount(written.source)
    ? await (await import('./discovery.ts')).discoverServer(written.source, options.fetch)
    : written.source;
  const kind = source === written.source ? written.kind : 'caldav';
  if (/^(https?|webcals?|caldavs?):/i.test(source)) {
    const url = new URL(source.replace(/^caldav(s?):/i, 'http$1:').replace(/^webcals?:/i, 'https:'));
    if (url.username !== '' || url.password !== '')
      throw new Failure(
        'invalid-params',
        'The URL must not contain a password, because it is stored; put the password into the file set in calendars.passwords_file.',
      );
    if (kind !== 'caldav' && !/^caldavs?:/i.test(source))
      return [{ kind: 'url', location: url.href, name: name ?? url.host }];
    const { findCollections } = await import('./caldav.ts');
    const found = await findCollections(url.href, config, options);
    if (found.length === 0)
      throw new Failure('unavailable', `This account on ${url.host} has no calendars or task lists.`);
    return found.map((collection) => ({
      kind: 'caldav',
      location: collection.url,
      name: found.length === 1 && name !== undefined ? name : collection.name,
      tasksOnly: collection.tasksOnly,
    }));
  }
  const path = /^file:/i.test(source) ? fileURLToPath(source) : source;
  if (!isAbsolute(path))
    throw new Failure('invalid-params', `"${source}" is neither a URL nor an absolute path.`);
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
  { data }: Calendars,
  { userId, name: requestedName }: Pick<WrittenSource, 'userId' | 'name'>,
  { kind, location, name, config }: Place & { readonly config: SourceConfig },
  follow: boolean,
): Promise<{ readonly calendar: Calendar; readonly isNew: boolean }> {
  const now = data.clock();
  const written = Object.keys(config).length === 0 ? null : JSON.stringify(config);
  return data.store.write(async (writer) => {
    const known = await writer.db
      .selectFrom('calendars')
      .selectAll()
      .where('user_id', '=', userId)
      .where('kind', '=', kind)
      .where('location', '=', location)
      .executeTakeFirst();
    const values = {
      ...(known === undefined || requestedName !== undefined ? { name } : {}),
      ...(written !== null && { config: written }),
      ...(follow && { enabled: 1 }),
      updated_ms: now,
    };
    const row = {
      id: newId(now),
      user_id: userId,
      kind,
      name,
      location,
      config: written,
      enabled: follow ? 1 : 0,
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
      : updateRow(writer.db, 'calendars', known.id, values));
    writer.changed({ kind: 'calendar', id: calendar.id, userId });
    return { calendar, isNew: known === undefined };
  });
}

const maxListed = 50;

export type CalendarView = ValueOf<typeof calendarShape>;

export function calendarView(calendar: Calendar, events?: number): CalendarView {
  const problems = calendar.problems === null ? undefined : JSON.parse(calendar.problems);
  return present({
    id: calendar.id,
    user_id: calendar.user_id,
    name: calendar.name,
    kind: calendar.kind,
    tasks_only: configOf(calendar).tasks_only,
    source: publicPlace(calendar),
    kept_up_to_date: calendar.enabled === 1,
    events,
    last_sync: calendar.last_sync_ms === null ? undefined : timestamp(calendar.last_sync_ms),
    next_sync:
      calendar.enabled === 0 || calendar.next_sync_ms === null ? undefined : timestamp(calendar.next_sync_ms),
    failures: calendar.failures === 0 ? undefined : calendar.failures,
    error: calendar.error ?? undefined,
    problem_count: problems?.count,
    problems: problems?.list,
  });
}

export function syncView({ calendar, changes, unchanged, problems }: SyncResult): CalendarView {
  return present({
    ...calendarView(calendar),
    ...countChanges(changes),
    unchanged,
    changes: changes
      .slice(0, maxListed)
      .map(({ kind, eventId, uid, title }) => ({ kind, event_id: eventId, uid, title })),
    problem_count: problems.length,
    problems: problems.slice(0, maxListed),
  });
}

/** Anyone with a secret URL can read the calendar, so long path segments and the query are hidden. */
function publicPlace({ kind, location }: Calendar): string {
  if (kind !== 'url' || !URL.canParse(location)) return location;
  const { origin, pathname, search } = new URL(location);
  const path = pathname.split('/').map((part) => (part.length > 24 ? '…' : part));
  return `${origin}${path.join('/')}${search === '' ? '' : '?…'}`;
}
