import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { Pace } from '../../pace.ts';
import { inDigits, parseTime } from '../../recurrence/written-time.ts';
import { instantOf, localText, offsetsIn } from '../../recurrence/zone.ts';
import type { CalendarEvent, EventKind } from '../../store/schema.ts';
import type { AssistantData, Reader } from './entity-access.ts';
import { type Occurrence, RuleBudget, type Window } from './occurrence.ts';
import { type Preferences, preferencesOf } from './preferences.ts';
import { kindOf, kindOfEvent } from './reminders.ts';

export interface Listed {
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  /** The user's time zone. */
  readonly zone: string;
}

/** Maximum number of occurrences in one result. */
const maxListed = 2000;
/** Maximum number of events that one call expands. */
const maxExpanded = 20_000;
/** Long ranges are expanded in parts of this length, because the first parts can be enough. */
const partMs = 366 * 86_400_000;

/** Decides whether an occurrence with these texts is listed. */
type Matches = (event: CalendarEvent, texts: readonly (string | null)[]) => boolean;

interface OccurrenceList {
  readonly listed: readonly Listed[];
  /** True if there are more occurrences, or more series than one call expands, or if rules take too long to compute. */
  readonly truncated: boolean;
}

/**
 * Lists occurrences that start in the window, sorted by start, for one user or all users. With `reachMs`, also includes
 * occurrences that started up to that long before the window and have not ended yet.
 */
export async function listOccurrences(
  data: Pick<AssistantData, 'occurrences'>,
  db: Reader,
  { reachMs = 0, ...window }: Window & { readonly reachMs?: number },
  userId?: string,
  matches?: Matches,
): Promise<OccurrenceList> {
  const listed: Listed[] = [];
  let truncated = false;
  for (let fromMs = window.fromMs; fromMs <= window.toMs && listed.length <= maxListed; fromMs += partMs) {
    const toMs = Math.min(window.toMs, fromMs + partMs - 1);
    const part = { fromMs, toMs, reachMs: fromMs === window.fromMs ? reachMs : 0 };
    const found = await listPart(data, db, part, userId, matches);
    listed.push(...found.listed);
    truncated ||= found.truncated;
  }
  return { listed: listed.slice(0, maxListed), truncated: truncated || listed.length > maxListed };
}

async function listPart(
  { occurrences }: Pick<AssistantData, 'occurrences'>,
  db: Reader,
  { reachMs, ...window }: Window & { readonly reachMs: number },
  userId: string | undefined,
  matches: Matches | undefined,
): Promise<OccurrenceList> {
  const earliest = window.fromMs - reachMs;
  let single = db
    .selectFrom('events')
    .select(['id', 'user_id'])
    .where('series', 'is', null)
    .where('start_ms', '>=', earliest)
    .where('start_ms', '<=', window.toMs)
    .where((row) => row.or([row('start_ms', '>=', window.fromMs), row('end_ms', '>', window.fromMs)]))
    .orderBy('start_ms')
    .limit(matches === undefined ? maxListed + 1 : maxExpanded);
  let series = db
    .selectFrom('events')
    .select(['id', 'user_id'])
    .where('series', 'is not', null)
    .where('last_ms', '>=', earliest)
    .where('first_ms', '<=', window.toMs)
    .where((row) => row(row('last_ms', '+', row('end_ms', '-', row.ref('start_ms'))), '>=', window.fromMs))
    .orderBy('first_ms', 'desc')
    .limit(maxExpanded + 1);
  if (userId !== undefined) {
    single = single.where('user_id', '=', userId);
    series = series.where('user_id', '=', userId);
  }
  const found = await series.execute();
  const tooMany = found.length > maxExpanded;
  if (tooMany)
    log('warning', `more than ${maxExpanded} recurring events; the ones that began first are left out`);
  const known = [...(await single.execute()), ...found.slice(0, maxExpanded)];
  const zones = await loadZones(db, known);
  let listed: Listed[] = [];
  let isCut = false;
  const cut = () => {
    listed.sort(
      (a, b) =>
        a.occurrence.startMs - b.occurrence.startMs ||
        compare(a.event.id, b.event.id) ||
        compare(a.occurrence.key, b.occurrence.key),
    );
    isCut ||= listed.length > maxListed;
    listed = listed.slice(0, maxListed);
  };
  const pace = new Pace();
  const budget = new RuleBudget();
  for await (const event of readEvents(db, known)) {
    const { pause } = pace;
    if (pause !== undefined) await pause;
    const zone = zones.get(event.user_id) ?? 'UTC';
    // The series contains the texts of its changed occurrences.
    if (
      matches?.(event, [
        event.title,
        event.location,
        event.description,
        event.series,
        kindWord(kindOfEvent(event)),
      ]) === false
    )
      continue;
    try {
      const lasts = Math.min(reachMs, Math.max(0, event.end_ms - event.start_ms));
      const all = await occurrences(event, { ...window, fromMs: window.fromMs - lasts }, zone, budget);
      for (const occurrence of all)
        if (
          (occurrence.startMs >= window.fromMs || occurrence.endMs > window.fromMs) &&
          (matches?.(event, [
            occurrence.title,
            occurrence.location,
            occurrence.description,
            kindWord(kindOf(event, occurrence)),
          ]) ??
            true)
        )
          listed.push({ event, occurrence, zone });
      // Thousands of daily events would otherwise take much memory, and a long time to sort.
      if (listed.length > 4 * maxListed) cut();
    } catch (error) {
      if (error instanceof Failure) isCut = true;
      log('error', `could not list the occurrences of event ${event.id}`, error);
    }
  }
  const { slow } = budget;
  if (slow.length > 0)
    log(
      'warning',
      `the recurrence rules of ${slow.length} events take too long to compute and are left out, such as those of event ${slow[0]!.id}`,
    );
  cut();
  return { listed, truncated: tooMany || isCut || slow.length > 0 };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Occurrences further ahead cannot be named one by one. */
const farthestMs = 4000 * 86_400_000;

/** The occurrence of a series with this key. A single event has one occurrence and no key. */
export async function findOccurrence(
  { occurrences, clock }: Pick<AssistantData, 'occurrences' | 'clock'>,
  event: CalendarEvent,
  key: string | undefined,
  zone: string,
): Promise<Occurrence> {
  const window = { fromMs: event.first_ms, toMs: Math.min(event.last_ms, clock() + farthestMs) };
  const all = key === '' ? [] : await occurrences(event, window, zone);
  const found = all.find((one) => one.key === (key ?? ''));
  if (found !== undefined) return found;
  throw new Failure(
    'resource-not-found',
    'Occurrence not found. list_events shows the occurrences of a series.',
  );
}

/**
 * The key of the occurrence that a person means: a key from list_events, the date or the local time at which it starts, or
 * the date before it was moved.
 */
export async function occurrenceKey(
  data: Pick<AssistantData, 'occurrences' | 'clock'>,
  event: CalendarEvent,
  written: string,
  { timezone: zone, locale }: Preferences,
): Promise<string> {
  const window = { fromMs: event.first_ms, toMs: Math.min(event.last_ms, data.clock() + farthestMs) };
  const all = await data.occurrences(event, window, zone);
  if (all.some(({ key }) => key === written)) return written;
  const nowMs = data.clock();
  const digits = await inDigits(written, zone, nowMs, locale, 'occurrence').catch(() => undefined);
  if (digits === undefined)
    throw new Failure(
      'resource-not-found',
      `Occurrence not found: "${written}" is neither a date nor a key of list_events.`,
    );
  const { ms, allDay, wall } = parseTime(digits, zone, 'occurrence', nowMs);
  const isNamed = (startMs: number) =>
    allDay ? localText(startMs, zone).slice(0, 10) === wall : startMs === ms;
  const starting = all.filter(({ startMs }) => isNamed(startMs));
  const named =
    starting.length > 0 ? starting : all.filter(({ key }) => key !== '' && isNamed(keyInstant(key, zone)));
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only.key;
  const candidates = named.length > 0 ? named : nearest(all, ms);
  const times = candidates.slice(0, 5).map(({ startMs }) => localText(startMs, zone).slice(0, 16));
  throw new Failure(
    'resource-not-found',
    `${named.length === 0 ? 'Occurrence not found' : 'Several occurrences start'} on ${digits}. ${times.length === 0 ? 'The event has none.' : `Name one of ${times.join(', ')}.`}`,
  );
}

/** The key of an all-day or floating occurrence is local time of the user. */
export function keyInstant(key: string, zone: string): number {
  if (key.endsWith('Z')) return Date.parse(key);
  const wallMs = Date.parse(key.length === 10 ? key : `${key}Z`);
  return instantOf(wallMs, offsetsIn(zone));
}

function nearest(all: readonly Occurrence[], ms: number): readonly Occurrence[] {
  return all
    .toSorted((a, b) => Math.abs(a.startMs - ms) - Math.abs(b.startMs - ms))
    .slice(0, 3)
    .sort((a, b) => a.startMs - b.startMs);
}

async function loadZones(
  db: Reader,
  events: readonly Pick<CalendarEvent, 'user_id'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(events.map(({ user_id }) => user_id))];
  if (ids.length === 0) return new Map();
  const users = await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
  return new Map(users.map((user) => [user.id, preferencesOf(user).timezone]));
}

/** Small, because a single event can have a megabyte of changed occurrences. */
const pageSize = 50;

/** Reads events in the given order, in pages, so that other requests are served in between. */
export async function* readEvents(
  db: Reader,
  ids: readonly { readonly id: string }[],
): AsyncGenerator<CalendarEvent> {
  for (let from = 0; from < ids.length; from += pageSize) {
    const page = ids.slice(from, from + pageSize).map(({ id }) => id);
    const rows = await db.selectFrom('events').selectAll().where('id', 'in', page).execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of page) {
      const event = byId.get(id);
      // Another request may have deleted it in the meantime.
      if (event !== undefined) yield event;
    }
  }
}

/** A search for the doctor finds the dentist. Other kinds are no word for an event. */
function kindWord(kind: EventKind | undefined): string | null {
  return kind === 'doctor' || kind === 'flight' || kind === 'train' ? kind : null;
}
