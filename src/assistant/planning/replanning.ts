import type { AssistantData } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { parsePayload, type Words } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { isImportant, rulesOf } from '../entities/rules.ts';
import type { Proposal } from '../policy/guards.ts';
import type { CalendarEvent, Notification, User } from '../store/schema.ts';
import type { Writer } from '../store/store.ts';
import { isTold, lastTold, planChange } from './change-notice.ts';
import { applySteps, rowsOf } from './plan-rows.ts';
import { cancelAll, isOpen, type PlanInput, payloadFor, planOccurrence } from './planner.ts';

const dayMs = 86_400_000;
/** A weekly series that moves to another day is still the same one. */
const farthestShift = 4 * dayMs;
const allTime = { fromMs: -8.64e15, toMs: 8.64e15 };

/**
 * Lets what is planned follow an event that has just changed, in the same transaction: moved with it, called off with
 * it, never left behind. A person who was told already is told of the change. Nothing else is decided anew here; that is for the
 * next planning.
 */
export async function replanEvent(
  writer: Writer,
  { occurrences }: Pick<AssistantData, 'occurrences'>,
  user: User,
  event: CalendarEvent,
  now: number,
): Promise<void> {
  const all = Map.groupBy(await rowsOf(writer.db, event.id), ({ occurrence }) => occurrence);
  const waiting = [...all.values()].filter((rows) => rows.some(isAlive) || isTold(rows, now));
  if (waiting.length === 0) return;
  const window = event.series === null ? allTime : { fromMs: now - dayMs, toMs: now + 400 * dayMs };
  const found =
    event.status === 'cancelled' ? [] : await occurrences(event, window, preferencesOf(user).timezone);
  const newTimes = match(waiting, found);
  const gone =
    event.status === 'confirmed' ? 'it does not take place any more' : `the event is ${event.status}`;
  const important = isImportant(event, await rulesOf(writer.db, user.id));
  const planned = { user, event, nowMs: now, important, force: false };
  for (const rows of waiting) {
    const { occurrence: key } = rows[0]!;
    const occurrence = newTimes.get(rows);
    const steps =
      occurrence?.status === 'confirmed' && occurrence.startMs >= now - dayMs
        ? planOccurrence({ ...planned, occurrence, rows, proposals: proposalsFrom(rows, event) }).steps
        : [
            ...cancelAll(rows, gone),
            ...planChange({ user, event, rows, nowMs: now, ...(occurrence && { occurrence }) }).steps,
          ];
    const { event_start_ms: startMs } = lastTold(rows) ?? rows[0]!;
    await applySteps(writer, event, occurrence ?? { key, startMs }, steps, now);
    if (occurrence !== undefined && occurrence.key !== key) await rename(writer, event, key, occurrence.key);
    // Even if all becomes as it was, what was decided then is not what is planned any more.
    if (steps.some(({ action }) => action !== 'keep')) await reopen(writer, event, key);
    if (occurrence !== undefined) await refresh(writer, { user, event, occurrence, rows, nowMs: now });
  }
}

/** Something is still to come of it. */
function isAlive({ status, escalate_ms }: Notification): boolean {
  return status === 'planned' || status === 'sending' || escalate_ms !== null;
}

/** A series that moves gives its occurrences other keys; what was told about one belongs to it still. */
async function rename({ db }: Writer, { id }: CalendarEvent, from: string, to: string): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ occurrence: to })
    .where('event_id', '=', id)
    .where('occurrence', '=', from)
    .where('status', '!=', 'planned')
    .execute();
}

async function reopen({ db }: Writer, { id }: CalendarEvent, occurrence: string): Promise<void> {
  await db
    .updateTable('plans')
    .set({ fingerprint: '' })
    .where('event_id', '=', id)
    .where('occurrence', '=', occurrence)
    .execute();
}

/**
 * What delivery has in its hands is about the same time as before, so it goes on: in the words of today where nothing
 * was said yet.
 */
async function refresh(
  { db, changed }: Writer,
  subject: Pick<PlanInput, 'user' | 'event' | 'occurrence' | 'rows' | 'nowMs'>,
): Promise<void> {
  const { event, occurrence, rows, nowMs } = subject;
  for (const row of rows) {
    if (!isAlive(row) || isOpen(row, subject) || row.event_start_ms !== occurrence.startMs) continue;
    if (row.change !== null) continue;
    const said = row.status !== 'planned' && row.status !== 'sending';
    const payload = said ? row.payload : payloadFor(subject, wordsOf(row, event));
    if (row.revision === event.revision && row.payload === payload) continue;
    await db
      .updateTable('notifications')
      .set({ revision: event.revision, payload, updated_ms: nowMs })
      .where('id', '=', row.id)
      .execute();
    changed({ kind: 'notification', id: row.id, userId: row.user_id });
  }
}

/** Words about an event that has changed are not used again. */
function wordsOf({ revision, payload }: Notification, event: CalendarEvent): Words {
  return (revision === event.revision && parsePayload(payload).words) || {};
}

/**
 * Which occurrence each group of rows is about now. Occurrences are known by the start their rule gave them; when a whole
 * series moves, all of these change at once, and each finds the one that is nearest to where it was.
 */
function match(
  groups: readonly (readonly Notification[])[],
  occurrences: readonly Occurrence[],
): ReadonlyMap<readonly Notification[], Occurrence> {
  const byKey = new Map(occurrences.map((occurrence) => [occurrence.key, occurrence]));
  const matched = new Map<readonly Notification[], Occurrence>();
  for (const rows of groups) {
    const same = byKey.get(rows[0]!.occurrence);
    if (same !== undefined) matched.set(rows, same);
  }
  if (matched.size > 0) return matched;
  const free = new Set(occurrences);
  for (const rows of groups) {
    const distance = ({ startMs }: Occurrence) => Math.abs(startMs - rows.at(-1)!.event_start_ms);
    const [nearest] = [...free].sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined || distance(nearest) > farthestShift) continue;
    matched.set(rows, nearest);
    free.delete(nearest);
  }
  return matched;
}

/** After a change of preferences: quiet hours, zones and channels hold for what is planned already. */
export async function replanUser(
  writer: Writer,
  diary: Pick<AssistantData, 'occurrences'>,
  user: User,
  now: number,
): Promise<void> {
  const events = await writer.db
    .selectFrom('events')
    .selectAll()
    .where('user_id', '=', user.id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('notifications')
          .select('notifications.id')
          .whereRef('notifications.event_id', '=', 'events.id')
          .where('notifications.status', '=', 'planned'),
      ),
    )
    .execute();
  for (const event of events) await replanEvent(writer, diary, user, event, now);
}

/** What is planned, as a proposal for the new time. */
function proposalsFrom(rows: readonly Notification[], event: CalendarEvent): readonly Proposal[] {
  return rows
    .filter((row) => row.status === 'planned' && row.parent_id === null && row.change === null)
    .map((row) => ({
      offsetMinutes: row.slot,
      channel: row.channel,
      urgency: row.urgency,
      ...wordsOf(row, event),
    }));
}
