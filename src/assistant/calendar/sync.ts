import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import { log } from '../../log.ts';
import { Pace } from '../../pace.ts';
import type { Calendar, CalendarEvent } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { auditChange } from '../entities/decision-log.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { sourceFields } from '../entities/occurrence.ts';
import type { ParsedEvent } from '../icalendar/event-reader.ts';
import {
  type CalendarProblem,
  type Document,
  type ParsedCalendar,
  parseCalendar,
} from '../icalendar/parse.ts';
import type { EventDetails, Override, Series } from '../icalendar/series.ts';
import { createFetch } from '../network/fetch.ts';
import { type EventChange, importEvents } from './import.ts';
import { configOf, type Read, type Reading, type SourceOptions } from './source.ts';

// The states of a calendar, which are in the columns `next_sync_ms`, `failures` and `error`:
//
//   idle ──`next_sync_ms` has passed, or a file changed──▶ claimed ──read, import, record──▶ idle, for one interval
//                                                             └──failure──▶ backing off, for twice as long each time, at most a day
//
// A process claims a calendar by moving `next_sync_ms` behind the longest sync (watch.ts), so that another process takes over
// if it dies. The time to which it moved it is its fence: what a process stores that was suspended for longer is refused, and if it
// changed events, the next sync reads everything again. A sync that a person starts needs no claim: an import changes only what differs, in one transaction per batch,
// and the marks of the source (`etag`, `sync_token`) are stored last, so that an interrupted sync is repeated from the start.
// An event that write-back stored but could not read back is *unverified*, until `verify.ts` reads it after a sync.

export interface CalendarOptions {
  /** Hosts that may have private addresses. */
  readonly privateHosts: readonly string[];
  /** Path of the passwords file. */
  readonly passwordsFile: string;
  /** Maximum size of a calendar. */
  readonly maxBytes: number;
  /** How often a calendar is synced. */
  readonly intervalMs: number;
  /** Time limit for reading and importing a calendar. Default: ten minutes. */
  readonly timeLimitMs?: number;
}

/** Dependencies of all code that works with calendars. */
export interface Calendars {
  readonly data: AssistantData;
  readonly options: CalendarOptions;
  /** Called after a calendar on a server was synced in the background. */
  readonly afterSync?: (calendarId: string) => Promise<void>;
}

export interface SyncOptions {
  /** Reads the source even if it reports no changes. */
  readonly force?: boolean;
  readonly progress?: ((done: number, total: number | undefined, message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Uses the name that the calendar gives itself. */
  readonly rename?: boolean;
  /** The process has claimed the calendar until its `next_sync_ms`. */
  readonly isClaimed?: boolean;
}

export interface SyncResult {
  readonly calendar: Calendar;
  readonly changes: readonly EventChange[];
  readonly unchanged: number;
  readonly problems: readonly CalendarProblem[];
}

const dayMs = 86_400_000;
/** Time limit for one sync, so that a very slow server cannot block it. */
const defaultTimeLimitMs = 10 * 60_000;
/** Maximum number of problems stored with a calendar; all are counted. */
const maxProblems = 50;

const readers: Readonly<Record<Calendar['kind'], () => Promise<Read>>> = {
  file: async () => (await import('./file-source.ts')).readFiles,
  folder: async () => (await import('./file-source.ts')).readFiles,
  url: async () => (await import('./url-source.ts')).readAddress,
  caldav: async () => (await import('./caldav.ts')).readCollection,
};

/** Syncs a calendar. A failure is stored with the calendar and retried with exponential backoff. */
export async function syncCalendar(
  calendars: Calendars,
  calendar: Calendar,
  { force = false, progress, signal, rename = false, isClaimed = false }: SyncOptions = {},
): Promise<SyncResult> {
  if (configOf(calendar).handed_over)
    throw new Failure('refused', `"${calendar.name}" was imported as text; import it again to change it.`);
  const { timeLimitMs = defaultTimeLimitMs } = calendars.options;
  const timeout = AbortSignal.timeout(timeLimitMs);
  const aborted = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    const read = await readers[calendar.kind]();
    const known = force ? { ...calendar, etag: null, sync_token: null } : calendar;
    const reading = await read(known, sourceOptions(calendars, aborted));
    const result =
      reading === undefined
        ? {
            calendar: await record(calendars, calendar, {}, { isClaimed }),
            changes: [],
            unchanged: 0,
            problems: [],
          }
        : await importReading(calendars, calendar, reading, {
            ...{ progress, signal: aborted, rename, isClaimed },
          });
    if (calendar.kind !== 'caldav') return result;
    const { verifyWritten } = await import('./verify.ts');
    const verified = await verifyWritten(calendars, calendar, sourceOptions(calendars, aborted));
    return { ...result, changes: [...result.changes, ...verified] };
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const error = timeout.aborted ? timeoutFailure(calendar, timeLimitMs) : cause;
    await recordFailure(calendars, calendar, error, isClaimed);
    throw error;
  }
}

function timeoutFailure({ name }: Calendar, limitMs: number): Failure {
  return new Failure('unavailable', `Reading "${name}" took longer than ${limitMs / 60_000} minutes.`);
}

export function sourceOptions({ data, options }: Calendars, signal?: AbortSignal): SourceOptions {
  const fetch = createFetch({ ...options, section: 'calendars' });
  return {
    ...options,
    fetch,
    signal,
    accessToken: async (...place) => (await import('./sign-ins.ts')).accessToken(data, fetch, ...place),
  };
}

/** Imports the text of a calendar. Adds and changes events; events that the text does not mention stay. */
export function importDocument(
  calendars: Calendars,
  calendar: Calendar,
  text: string,
  options: SyncOptions,
): Promise<SyncResult> {
  const documents: Document[] = [{ pieces: [text] }];
  const marks = () => ({ etag: null, sync_token: null });
  return importReading(calendars, calendar, { documents, deleted: new Set(), marks }, options);
}

async function importReading(
  calendars: Calendars,
  calendar: Calendar,
  reading: Reading,
  { progress, signal, rename, isClaimed = false }: SyncOptions,
): Promise<SyncResult> {
  const { data } = calendars;
  const read = await parseCalendar(reading.documents, {
    nowMs: data.clock(),
    progress: (events) => progress?.(events, undefined, `${events} events read`),
    signal,
  });
  const user = await data.store.read((db) => findUser(db, calendar.user_id));
  const parsed = configOf(calendar).handed_over ? await joinKnown(data, calendar, read) : read;
  const { changes, unchanged } = await importEvents(data, calendar, user, parsed.events, {
    deleted: findDeleted(parsed, reading.deleted),
    progress: (done, total) => progress?.(total + done, 2 * total, `${done} of ${total} events stored`),
    signal,
  });
  const updated = await record(
    calendars,
    calendar,
    {
      ...reading.marks(),
      problems: serializeProblems(parsed.problems),
      ...(rename && parsed.name !== undefined && { name: parsed.name }),
    },
    { isClaimed, changes },
  );
  return { calendar: updated, changes, unchanged, problems: parsed.problems };
}

/** Unreadable events are not treated as deleted, and a calendar that is cut off deletes nothing. */
function findDeleted({ events, problems, complete }: ParsedCalendar, hrefs: ReadonlySet<string> | undefined) {
  const failed = problems.filter(({ severity }) => severity === 'error');
  if (hrefs !== undefined) {
    const unreadable = new Set(failed.map(({ document }) => document));
    return { hrefs: new Set([...hrefs].filter((href) => !unreadable.has(href))) };
  }
  if (!complete || (events.length === 0 && failed.length > 0)) return { hrefs: new Set<string>() };
  return { allBut: new Set(failed.flatMap(({ uid }) => uid ?? [])) };
}

function serializeProblems(problems: readonly CalendarProblem[]): string | null {
  if (problems.length === 0) return null;
  const worst = problems.toSorted((a, b) =>
    a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1,
  );
  return JSON.stringify({ count: problems.length, list: worst.slice(0, maxProblems) });
}

async function record(
  { data, options }: Calendars,
  calendar: Calendar,
  found: Partial<Pick<Calendar, 'etag' | 'sync_token' | 'problems' | 'name'>>,
  { isClaimed, changes = [] }: { readonly isClaimed: boolean; readonly changes?: readonly EventChange[] },
): Promise<Calendar> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    const recorded = await updateHeld(writer.db, calendar, isClaimed)
      .set({
        ...found,
        last_sync_ms: now,
        next_sync_ms: now + options.intervalMs,
        failures: 0,
        error: null,
        updated_ms: now,
      })
      .returningAll()
      .executeTakeFirst();
    const updated = recorded ?? (await leaveToOthers(writer.db, calendar, now, changes));
    if (updated === undefined)
      throw new Failure('resource-not-found', 'The calendar was removed in the meantime.');
    if (changes.length > 0) {
      const detail = { calendar_id: calendar.id, ...countChanges(changes) };
      await auditChange(writer, now, { action: 'calendar.imported', userId: calendar.user_id, detail });
    }
    return updated;
  });
}

/** The row of a calendar, unless the process had claimed it and has lost the claim. */
function updateHeld(db: Writer['db'], { id, next_sync_ms }: Calendar, isClaimed: boolean) {
  const update = db.updateTable('calendars').where('id', '=', id);
  return isClaimed ? update.where('next_sync_ms', '=', next_sync_ms) : update;
}

/** Another process has synced the calendar since. If older events were stored over its events, the next sync reads all of them. */
async function leaveToOthers(
  db: Writer['db'],
  { id }: Calendar,
  now: number,
  changes: readonly EventChange[],
): Promise<Calendar | undefined> {
  if (changes.length === 0)
    return db.selectFrom('calendars').selectAll().where('id', '=', id).executeTakeFirst();
  const unread = { etag: null, sync_token: null, next_sync_ms: now };
  return db.updateTable('calendars').set(unread).where('id', '=', id).returningAll().executeTakeFirst();
}

export function countChanges(changes: readonly EventChange[]): Record<EventChange['kind'], number> {
  const counts = { added: 0, moved: 0, changed: 0, cancelled: 0, removed: 0 };
  for (const { kind } of changes) counts[kind] += 1;
  return counts;
}

async function recordFailure(
  { data, options }: Calendars,
  calendar: Calendar,
  error: unknown,
  isClaimed: boolean,
): Promise<void> {
  const now = data.clock();
  const retryAfterMs = error instanceof Failure ? Number(error.data?.['retry_after_ms'] ?? 0) : 0;
  const backoffMs = options.intervalMs * 2 ** Math.min(calendar.failures, 10);
  const wait = Math.min(dayMs, Math.max(retryAfterMs, backoffMs));
  await data.store
    .write(async ({ db, changed }) => {
      await updateHeld(db, calendar, isClaimed)
        .set({
          failures: calendar.failures + 1,
          // Unexpected errors can contain internals, so only the log shows them.
          error: error instanceof Failure ? error.message : 'Unexpected error; see the log for details.',
          next_sync_ms: now + wait,
          updated_ms: now,
        })
        .execute();
      changed({ kind: 'calendar', id: calendar.id, userId: calendar.user_id });
    })
    .catch((trouble: unknown) =>
      log('warning', `could not record that the sync of calendar "${calendar.name}" failed`, trouble),
    );
}

const batchSize = 500;

/**
 * Merges an imported text with the stored events. Events older than the stored version are skipped. If the text contains
 * only single occurrences of a series, as an invitation to a moved meeting does, they are added to the stored series
 * instead of replacing it.
 */
async function joinKnown(
  { store }: AssistantData,
  calendar: Calendar,
  { events, problems, ...parsed }: ParsedCalendar,
): Promise<ParsedCalendar> {
  const joined: ParsedEvent[] = [];
  const outdated: CalendarProblem[] = [];
  const pace = new Pace();
  for (let from = 0; from < events.length; from += batchSize) {
    const batch = events.slice(from, from + batchSize);
    const rows = await store.read((db) =>
      db
        .selectFrom('events')
        .selectAll()
        .where('calendar_id', '=', calendar.id)
        .where(
          'provider_event_id',
          'in',
          batch.map(({ uid }) => uid),
        )
        .execute(),
    );
    const known = new Map(rows.map((row) => [row.provider_event_id, row]));
    for (const event of batch) {
      const before = known.get(event.uid);
      if (event.series.detached) joined.push(before?.series ? join(event, before, before.series) : event);
      else if (event.sequence >= Number(before?.etag ?? 0)) joined.push(event);
      else outdated.push(outdatedProblem(event));
    }
    await pace.pause;
  }
  return { ...parsed, events: joined, problems: [...problems, ...outdated] };
}

function outdatedProblem({ uid, sequence }: ParsedEvent): CalendarProblem {
  const message = `The event was skipped: a newer version than SEQUENCE:${sequence} was already imported.`;
  return { severity: 'warning', line: 0, uid, message };
}

function join(event: ParsedEvent, known: CalendarEvent, written: string): ParsedEvent {
  const before = JSON.parse(written) as Series;
  const zones = { ...before.zones, ...event.series.zones };
  const series: Series = {
    ...before,
    overrides: mergeOverrides(before.overrides ?? [], event.series.overrides ?? []),
    ...(Object.keys(zones).length > 0 && { zones }),
  };
  // If only single occurrences are known, the first one that is not cancelled provides the details of the series.
  if (before.detached && known.status === 'cancelled')
    return { ...event, series: { ...series, start: event.series.start, duration: event.series.duration } };
  return { ...event, details: toDetails(known), series, sequence: Number(known.etag ?? 0) };
}

/** Keeps the order of known overrides, so that importing the same text twice changes nothing. */
function mergeOverrides(known: readonly Override[], added: readonly Override[]): readonly Override[] {
  const all = new Map([...known, ...added].map((override) => [overrideKey(override), override]));
  return [...all.values()];
}

function overrideKey({ id, andFollowing }: Override): string {
  return JSON.stringify([id.wall, id.zone, andFollowing]);
}

function toDetails(event: CalendarEvent): EventDetails {
  const { title, status, description, location, conf_link: link, organizer, attendees } = event;
  const people = attendees === null ? null : (JSON.parse(attendees) as string[]);
  return {
    ...present({ title, status, description, location, link, organizer, attendees: people }),
    ...sourceFields({ ...event, done: null }, event.start_ms),
  };
}
