import { Pace, turnOfEventLoop } from '../../pace.ts';
import { newId } from '../../store/id.ts';
import type { Calendar, CalendarEvent, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { type EventFields, removeEvent, saveEvent } from '../editing/events.ts';
import { type AssistantData, revisionOf } from '../entities/entity-access.ts';
import { RuleBudget } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import type { ParsedEvent } from '../icalendar/event-reader.ts';
import { firstOccurrence } from '../icalendar/recurrence.ts';
import { extentOf } from '../icalendar/rule-thread.ts';
import { isAllDay, type Series } from '../icalendar/series.ts';
import { configOf } from './source.ts';

/** A change to an event, as reported to the user. */
export interface EventChange {
  readonly kind: 'added' | 'moved' | 'changed' | 'cancelled' | 'removed';
  readonly eventId: string;
  readonly uid: string;
  readonly title: string;
}

interface ImportResult {
  readonly changes: readonly EventChange[];
  readonly unchanged: number;
}

interface ImportOptions {
  /** Which missing events were deleted: all except these UIDs, or only those at these addresses. */
  readonly deleted: { readonly allBut: ReadonlySet<string> } | { readonly hrefs: ReadonlySet<string> };
  readonly progress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const knownColumns = [
  ...(['id', 'provider_event_id', 'revision', 'title', 'start_ms', 'end_ms'] as const),
  ...(['series', 'status', 'href', 'etag'] as const),
] as const satisfies readonly (keyof CalendarEvent)[];
type Known = Pick<CalendarEvent, (typeof knownColumns)[number]>;

type ImportedFields = EventFields & { readonly provider_event_id: string };

const pageSize = 2000;
/** Latest valid timestamp, used for series without an end. */
const never = 8.64e15;

/**
 * Makes the stored events of a calendar match its source. Events are identified by UID. Some sources change it: an event
 * that is deleted while another one with the same title, start and end is added stays the same event. Unchanged events
 * are not written; notifications of changed ones are replanned in the same transaction.
 */
export async function importEvents(
  data: AssistantData,
  calendar: Calendar,
  user: User,
  events: readonly ParsedEvent[],
  { deleted, progress, signal }: ImportOptions,
): Promise<ImportResult> {
  const now = data.clock();
  const rows = await knownEvents(data, calendar);
  const known = new Map<string, Known>(rows.map((row) => [row.provider_event_id, row]));
  const present = new Set(events.map(({ uid }) => uid));
  const absent = new Set(
    rows.filter(({ provider_event_id: uid, href }) =>
      'hrefs' in deleted
        ? href !== null && deleted.hrefs.has(href) && !present.has(uid)
        : !present.has(uid) && !deleted.allBut.has(uid),
    ),
  );
  const equal = Map.groupBy([...absent].reverse(), ({ revision }) => revision);
  const similar = Map.groupBy([...absent].reverse(), contentOf);
  const changes: EventChange[] = [];
  const budget = new RuleBudget();
  const pace = new Pace();
  let done = 0;
  for (const batch of chunks(events)) {
    signal?.throwIfAborted();
    const fields: ImportedFields[] = [];
    for (const event of batch) {
      fields.push(await toFields(event, calendar, user, now, budget));
      // The end of a series may take some time to compute.
      await pace.pause;
    }
    // Among events with the same title and time, those that are equal in everything else come first.
    for (const [candidates, keyOf] of [
      [equal, (each: ImportedFields) => revisionOf(toRow(each, user, '', now))],
      [similar, contentOf],
    ] as const)
      for (const each of fields) {
        if (absent.size === 0 || known.has(each.provider_event_id)) continue;
        const rest = candidates.get(keyOf(each)) ?? [];
        let before = rest.pop();
        while (before !== undefined && !absent.delete(before)) before = rest.pop();
        if (before !== undefined) known.set(each.provider_event_id, before);
      }
    const different = fields.filter((each) => {
      const before = known.get(each.provider_event_id);
      return (
        before === undefined ||
        before.provider_event_id !== each.provider_event_id ||
        before.revision !== revisionOf(toRow(each, user, before.id, now)) ||
        before.href !== each.href ||
        before.etag !== each.etag
      );
    });
    if (different.length > 0) changes.push(...(await saveAll(data, user, different, known, now)));
    done += batch.length;
    progress?.(done, events.length);
    await turnOfEventLoop();
  }

  for (const batch of chunks([...absent])) {
    signal?.throwIfAborted();
    changes.push(...(await removeAll(data, batch, now)));
  }
  const touched = changes.filter(({ kind }) => kind !== 'removed').length;
  return { changes, unchanged: events.length - touched };
}

/** Reads in pages, so that a large calendar does not block the event loop. */
async function knownEvents({ store }: AssistantData, calendar: Calendar): Promise<readonly Known[]> {
  const known: Known[] = [];
  for (;;) {
    const page = await store.read((db) =>
      db
        .selectFrom('events')
        .select(knownColumns)
        .where('calendar_id', '=', calendar.id)
        .where('id', '>', known.at(-1)?.id ?? '')
        .orderBy('id')
        .limit(pageSize)
        .execute(),
    );
    known.push(...page);
    if (page.length < pageSize) return known;
    await turnOfEventLoop();
  }
}

async function saveAll(
  data: AssistantData,
  user: User,
  fields: readonly ImportedFields[],
  known: ReadonlyMap<string, Known>,
  now: number,
): Promise<readonly EventChange[]> {
  return data.store.write(async (writer) => {
    const changes: EventChange[] = [];
    const added = fields
      .filter(({ provider_event_id }) => !known.has(provider_event_id))
      .map((each) => toRow(each, user, newId(now), now))
      .map((row) => ({ ...row, revision: revisionOf(row) }));
    if (added.length > 0) {
      // Another process may be importing the same calendar.
      await writer.db
        .insertInto('events')
        .values(added)
        .onConflict((conflict) => conflict.columns(['user_id', 'provider', 'provider_event_id']).doNothing())
        .execute();
      for (const { id, provider_event_id: uid, title } of added) {
        writer.changed({ kind: 'event', id, userId: user.id });
        changes.push({ kind: 'added', eventId: id, uid, title });
      }
    }
    const pace = new Pace();
    for (const each of fields) {
      await pace.pause;
      const before = known.get(each.provider_event_id);
      if (before === undefined) continue;
      if (before.provider_event_id !== each.provider_event_id) await renameEvent(writer, before, each);
      const { event, outcome } = await saveEvent(writer, data, user, each, now);
      if (outcome !== 'same')
        changes.push({
          kind: classifyChange(before, event),
          eventId: event.id,
          uid: each.provider_event_id,
          title: event.title,
        });
    }
    return changes;
  });
}

/** Stores the new UID of an event. Another process may have imported it in the meantime; the UID then belongs to that row. */
async function renameEvent({ db }: Writer, { id }: Known, fields: ImportedFields): Promise<void> {
  const { provider, provider_event_id, href = null } = fields;
  await db
    .updateTable('events')
    .set({ provider_event_id, href })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('events as other')
            .select('other.id')
            .whereRef('other.user_id', '=', 'events.user_id')
            .where('other.provider', '=', provider)
            .where('other.provider_event_id', '=', provider_event_id),
        ),
      ),
    )
    .execute();
}

/** Identifies an event whose UID has changed. */
function contentOf({ title, start_ms, end_ms }: Pick<Known, 'title' | 'start_ms' | 'end_ms'>): string {
  return JSON.stringify([title, start_ms, end_ms]);
}

async function removeAll(
  data: AssistantData,
  absent: readonly Known[],
  now: number,
): Promise<readonly EventChange[]> {
  return data.store.write(async (writer) => {
    const ids = absent.map(({ id }) => id);
    const events = await writer.db.selectFrom('events').selectAll().where('id', 'in', ids).execute();
    const pace = new Pace();
    for (const event of events) {
      await removeEvent(writer, event, 'the event was deleted from its calendar', now);
      await pace.pause;
    }
    return events.map(
      ({ id, provider_event_id: uid, title }) => ({ kind: 'removed', eventId: id, uid, title }) as const,
    );
  });
}

function classifyChange(before: Known, after: CalendarEvent): EventChange['kind'] {
  if (after.status === 'cancelled' && before.status !== 'cancelled') return 'cancelled';
  const moved =
    before.start_ms !== after.start_ms || before.end_ms !== after.end_ms || before.series !== after.series;
  return moved ? 'moved' : 'changed';
}

function toRow<Fields extends EventFields>(fields: Fields, user: User, id: string, now: number) {
  return { ...fields, id, user_id: user.id, created_ms: now, updated_ms: now };
}

/** Provider name that is unique to this calendar. */
function providerOf({ kind, id }: Calendar): string {
  return `${kind}:${id}`;
}

/** Columns of an event as they would be stored. */
export async function toFields(
  { uid, details, series, sequence, document }: ParsedEvent,
  calendar: Calendar,
  user: User,
  now: number,
  budget?: RuleBudget,
) {
  return {
    ...(await timeFields(series, preferencesOf(user).timezone, budget)),
    calendar_id: calendar.id,
    provider: providerOf(calendar),
    provider_event_id: uid,
    title: details.title,
    location: details.location ?? null,
    conf_link: details.link ?? null,
    organizer: details.organizer ?? null,
    attendees: details.attendees === undefined ? null : JSON.stringify(details.attendees),
    description: details.description ?? null,
    status: details.status,
    alarms: details.alarms === undefined ? null : JSON.stringify(details.alarms),
    answers: details.answers === undefined ? null : JSON.stringify(details.answers),
    task: details.task ?? null,
    show_as: details.showAs ?? null,
    href: calendar.kind === 'caldav' ? (document ?? null) : null,
    // Imported texts can arrive out of order, so each event stores its version.
    etag: configOf(calendar).handed_over ? String(sequence) : null,
    last_seen_ms: now,
  } satisfies EventFields;
}

/** The columns for the times of a series. A single event at a known time needs no series. */
export async function timeFields(series: Series, userZone: string, budget?: RuleBudget) {
  const { startMs, endMs } = firstOccurrence(series, userZone);
  const known = series.start.zone !== undefined && !Object.hasOwn(series.zones ?? {}, series.start.zone);
  const once = Object.keys(series).length === 2;
  const { firstMs, lastMs = never } =
    once && known ? { firstMs: startMs, lastMs: startMs } : await extentOf(series, budget);
  return {
    start_ms: startMs,
    end_ms: endMs,
    all_day: isAllDay(series.start) ? 1 : 0,
    timezone: known ? series.start.zone! : null,
    series: once && known ? null : JSON.stringify(series),
    first_ms: firstMs,
    last_ms: lastMs,
  };
}

/** Events per transaction; other writers can run between batches. */
const batchSize = 200;

function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += batchSize) yield items.slice(from, from + batchSize);
}
