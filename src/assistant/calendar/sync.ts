import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import {
  type CalendarProblem,
  type Document,
  type ParsedCalendar,
  parseCalendar,
} from '../icalendar/parse.ts';
import { createFetch } from '../network/fetch.ts';
import { audit } from '../store/audit.ts';
import type { Calendar } from '../store/schema.ts';
import { type EventChange, importEvents } from './import.ts';
import { joinKnown } from './join-known.ts';
import { configOf, type Read, type Reading, type SourceOptions } from './source.ts';

export interface CalendarOptions {
  /** Hosts with private addresses that may be asked. */
  readonly privateHosts: readonly string[];
  /** Where passwords are found. */
  readonly passwordsFile: string;
  /** The largest calendar that is read. */
  readonly maxBytes: number;
  /** How often a calendar is looked at. */
  readonly intervalMs: number;
}

/** What everything about calendars needs. */
export interface Calendars {
  readonly diary: AssistantData;
  readonly options: CalendarOptions;
}

export interface SyncOptions {
  /** Reads it again even when its source says that nothing has changed. */
  readonly force?: boolean;
  readonly progress?: ((done: number, total: number | undefined, message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Takes over the name that the calendar gives itself. */
  readonly rename?: boolean;
}

export interface SyncResult {
  readonly calendar: Calendar;
  readonly changes: readonly EventChange[];
  readonly unchanged: number;
  readonly problems: readonly CalendarProblem[];
}

const dayMs = 86_400_000;
/** Somebody who sends a calendar drop by drop is not waited for. */
const longestMs = 10 * 60_000;
/** Problems that are kept with the calendar; all of them are counted. */
const mostProblems = 50;

const readers: Readonly<Record<Calendar['kind'], () => Promise<Read>>> = {
  file: async () => (await import('./file-source.ts')).readFiles,
  folder: async () => (await import('./file-source.ts')).readFiles,
  url: async () => (await import('./url-source.ts')).readAddress,
  caldav: async () => (await import('./caldav-source.ts')).readCollection,
};

/** Brings a calendar up to date. What went wrong is kept with it, and it is tried again later and later. */
export async function syncCalendar(
  calendars: Calendars,
  calendar: Calendar,
  { force = false, progress, signal, rename = false }: SyncOptions = {},
): Promise<SyncResult> {
  if (configOf(calendar).handed_over)
    throw new Failure('refused', `"${calendar.name}" was handed over as text; import it again to change it.`);
  const limit = AbortSignal.timeout(longestMs);
  const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    const read = await readers[calendar.kind]();
    const known = force ? { ...calendar, etag: null, sync_token: null } : calendar;
    const reading = await read(known, sourceOptions(calendars.options, ended));
    if (reading === undefined) {
      const same = await record(calendars, calendar, {});
      return { calendar: same, changes: [], unchanged: 0, problems: [] };
    }
    return await takeIn(calendars, calendar, reading, { progress, signal: ended, rename });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const error = limit.aborted ? tooLong(calendar) : cause;
    await recordFailure(calendars, calendar, error);
    throw error;
  }
}

function tooLong({ name }: Calendar): Failure {
  return new Failure('unavailable', `"${name}" takes longer than ${longestMs / 60_000} minutes to read.`);
}

export function sourceOptions(options: CalendarOptions, signal?: AbortSignal): SourceOptions {
  return { ...options, fetch: createFetch({ ...options, section: 'calendars' }), signal };
}

/** Takes in a text that somebody has handed over. It adds and changes; what it does not mention stays. */
export function takeInText(
  calendars: Calendars,
  calendar: Calendar,
  text: string,
  options: SyncOptions,
): Promise<SyncResult> {
  const documents: Document[] = [{ pieces: [text] }];
  const marks = () => ({ etag: null, sync_token: null });
  return takeIn(calendars, calendar, { documents, gone: new Set(), marks }, options);
}

async function takeIn(
  calendars: Calendars,
  calendar: Calendar,
  reading: Reading,
  { progress, signal, rename }: SyncOptions,
): Promise<SyncResult> {
  const { diary } = calendars;
  const read = await parseCalendar(reading.documents, {
    nowMs: diary.clock(),
    progress: (events) => progress?.(events, undefined, `${events} events read`),
    signal,
  });
  const user = await diary.store.read((db) => findUser(db, calendar.user_id));
  const parsed = configOf(calendar).handed_over ? await joinKnown(diary, calendar, read) : read;
  const { changes, unchanged } = await importEvents(diary, calendar, user, parsed.events, {
    gone: goneOf(parsed, reading.gone),
    progress: (done, total) => progress?.(total + done, 2 * total, `${done} of ${total} events stored`),
    signal,
  });
  const updated = await record(
    calendars,
    calendar,
    {
      ...reading.marks(),
      problems: problemsOf(parsed.problems),
      ...(rename && parsed.name !== undefined && { name: parsed.name }),
    },
    changes,
  );
  return { calendar: updated, changes, unchanged, problems: parsed.problems };
}

/** What could not be read is not gone, and a calendar that is cut off says nothing about the rest. */
function goneOf({ events, problems, complete }: ParsedCalendar, hrefs: ReadonlySet<string> | undefined) {
  const failed = problems.filter(({ severity }) => severity === 'error');
  if (hrefs !== undefined) {
    const unreadable = new Set(failed.map(({ document }) => document));
    return { hrefs: new Set([...hrefs].filter((href) => !unreadable.has(href))) };
  }
  if (!complete || (events.length === 0 && failed.length > 0)) return { hrefs: new Set<string>() };
  return { allBut: new Set(failed.flatMap(({ uid }) => uid ?? [])) };
}

function problemsOf(problems: readonly CalendarProblem[]): string | null {
  if (problems.length === 0) return null;
  const worst = problems.toSorted((a, b) =>
    a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1,
  );
  return JSON.stringify({ count: problems.length, list: worst.slice(0, mostProblems) });
}

async function record(
  { diary, options }: Calendars,
  calendar: Calendar,
  found: Partial<Pick<Calendar, 'etag' | 'sync_token' | 'problems' | 'name'>>,
  changes: readonly EventChange[] = [],
): Promise<Calendar> {
  const now = diary.clock();
  return diary.store.write(async (writer) => {
    const updated = await writer.db
      .updateTable('calendars')
      .set({
        ...found,
        last_sync_ms: now,
        next_sync_ms: now + options.intervalMs,
        failures: 0,
        error: null,
        updated_ms: now,
      })
      .where('id', '=', calendar.id)
      .returningAll()
      .executeTakeFirst();
    if (updated === undefined)
      throw new Failure('resource-not-found', 'The calendar was removed in the meantime.');
    if (changes.length > 0) {
      const detail = { calendar_id: calendar.id, ...countsOf(changes) };
      await audit(writer, now, [{ action: 'calendar.imported', userId: calendar.user_id, detail }]);
      writer.changed({ kind: 'calendar', id: calendar.id, userId: calendar.user_id });
    }
    return updated;
  });
}

export function countsOf(changes: readonly EventChange[]): Record<EventChange['kind'], number> {
  const counts = { added: 0, moved: 0, changed: 0, cancelled: 0, removed: 0 };
  for (const { kind } of changes) counts[kind] += 1;
  return counts;
}

async function recordFailure(
  { diary, options }: Calendars,
  calendar: Calendar,
  error: unknown,
): Promise<void> {
  const now = diary.clock();
  const asked = error instanceof Failure ? Number(error.data?.['retry_after_ms'] ?? 0) : 0;
  const wait = Math.min(dayMs, Math.max(asked, options.intervalMs * 2 ** Math.min(calendar.failures, 10)));
  await diary.store
    .write(async ({ db, changed }) => {
      await db
        .updateTable('calendars')
        .set({
          failures: calendar.failures + 1,
          // Whatever is not a failure of ours to tell is told in the log.
          error: error instanceof Failure ? error.message : 'Something went wrong here; the log tells more.',
          next_sync_ms: now + wait,
          updated_ms: now,
        })
        .where('id', '=', calendar.id)
        .execute();
      changed({ kind: 'calendar', id: calendar.id, userId: calendar.user_id });
    })
    .catch((trouble: unknown) => log('warning', `cannot note that a calendar failed`, trouble));
}
