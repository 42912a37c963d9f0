import type { CalendarEvent, Notification, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { attendTimes } from '../attention/store-attention.ts';
import { type AssistantData, updateRow } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { isActive as isInForce } from '../entities/reminders.ts';
import { isImportant, rulesOf } from '../entities/rules.ts';
import { lastMessage, mayNeedNotice, planChange } from './change-notice.ts';
import { cancelAll, isOpen, type PlanInput, payloadFor, planOccurrence } from './plan-occurrence.ts';
import { applySteps, currentPlan, dueTimes, type Proposed, reusableWords, rowsOf } from './plan-rows.ts';
import { calendarsOf, type DecisionInput, personalDecision } from './plan-subjects.ts';

const dayMs = 86_400_000;
/** When a series moves, an occurrence matches the nearest new one within this distance. */
const maxShiftMs = 4 * dayMs;
const allTime = { fromMs: -8.64e15, toMs: 8.64e15 };

/**
 * Updates the planned notifications of an event that has just changed, in the same transaction: moves or cancels them
 * with the event, and plans a change notice if a message was already sent. The policy is not asked here; the next
 * planning run does that. The old and the new days of the notifications are decided again.
 */
export async function replanEvent(
  writer: Writer,
  data: Pick<AssistantData, 'occurrences'>,
  user: User,
  event: CalendarEvent,
  now: number,
): Promise<void> {
  await attendTimes(writer, user.id, await replan(writer, data, user, event, now), now);
}

/** Returns the times of notifications that were planned and are planned now. */
async function replan(
  writer: Writer,
  { occurrences }: Pick<AssistantData, 'occurrences'>,
  user: User,
  event: CalendarEvent,
  now: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  const all = Map.groupBy(await rowsOf(writer.db, event.id), ({ occurrence }) => occurrence);
  const affected = [...all.values()].filter((rows) => rows.some(isActive) || mayNeedNotice(rows, now));
  if (affected.length === 0) return times;
  const window = event.series === null ? allTime : { fromMs: now - 4 * dayMs, toMs: now + 400 * dayMs };
  const found =
    event.status === 'cancelled' ? [] : await occurrences(event, window, preferencesOf(user).timezone);
  const newTimes = matchOccurrences(affected, found);
  const cancelReason =
    event.status === 'cancelled' ? 'the event is cancelled' : 'this occurrence no longer takes place';
  const rules = await rulesOf(writer.db, user.id);
  const calendars = await calendarsOf(writer.db, user.id);
  const important = isImportant(event, rules);
  const planned = { user, event, nowMs: now, important, force: false };
  for (const rows of affected) {
    const { occurrence: key } = rows[0]!;
    const occurrence = newTimes.get(rows);
    const done = occurrence?.task === 'done';
    const steps =
      occurrence !== undefined && isInForce(occurrence) && occurrence.startMs >= now - recentMs(occurrence)
        ? planOccurrence({
            ...planned,
            occurrence,
            rows,
            ...decisionFor({ user, event, occurrence, calendars, rules }, rows),
          }).steps
        : [
            ...cancelAll(rows, done ? 'the task is done' : cancelReason),
            ...(done
              ? []
              : planChange({ user, event, rows, nowMs: now, ...(occurrence && { occurrence }) }).steps),
          ];
    times.push(...steps.flatMap(dueTimes));
    const { event_start_ms: startMs } = lastMessage(rows) ?? rows[0]!;
    await applySteps(writer, event, occurrence ?? { key, startMs }, steps, now);
    if (occurrence !== undefined && occurrence.key !== key)
      await renameOccurrence(writer, event, key, occurrence.key);
    // The stored decision no longer matches the plan, even if the event changes back later.
    if (steps.some(({ action }) => action !== 'keep')) await invalidateDecision(writer, event, key);
    if (occurrence !== undefined)
      await refreshInDelivery(writer, { user, event, occurrence, rows, nowMs: now });
  }
  return times;
}

/** The user's own reminders if there are any, else the planned ones at the new time. */
function decisionFor(input: DecisionInput, rows: readonly Notification[]): Proposed {
  const decision = personalDecision(input);
  return decision === undefined
    ? currentPlan(rows, input.event)
    : { proposals: decision.proposals, why: decision.why ?? decision.reason };
}

/** Open tasks are mentioned for some days after they were due. */
function recentMs({ task }: Occurrence): number {
  return task === undefined ? dayMs : 4 * dayMs;
}

/** True if the notification will still be sent or escalated. */
function isActive({ status, escalate_ms }: Notification): boolean {
  return status === 'planned' || status === 'sending' || escalate_ms !== null;
}

/** When a series moves, its occurrences get new keys. Sent messages keep belonging to their occurrence. */
async function renameOccurrence(
  { db }: Writer,
  { id }: CalendarEvent,
  from: string,
  to: string,
): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ occurrence: to })
    .where('event_id', '=', id)
    .where('occurrence', '=', from)
    .where('status', '!=', 'planned')
    .execute();
}

async function invalidateDecision({ db }: Writer, { id }: CalendarEvent, occurrence: string): Promise<void> {
  await db
    .updateTable('plans')
    .set({ fingerprint: '' })
    .where('event_id', '=', id)
    .where('occurrence', '=', occurrence)
    .execute();
}

/**
 * Refreshes notifications that are due or in delivery and whose start has not changed, so that they stay valid for the
 * new revision. Those not sent yet also get the current text.
 */
async function refreshInDelivery(
  { db, changed }: Writer,
  subject: Pick<PlanInput, 'user' | 'event' | 'occurrence' | 'rows' | 'nowMs'>,
): Promise<void> {
  const { event, occurrence, rows, nowMs } = subject;
  for (const row of rows) {
    if (!isActive(row) || isOpen(row, subject) || row.event_start_ms !== occurrence.startMs) continue;
    if (row.change !== null) continue;
    const alreadySent = row.status !== 'planned' && row.status !== 'sending';
    const { why, timing, prompt } = parsePayload(row.payload);
    const payload = alreadySent
      ? row.payload
      : payloadFor({ ...subject, why, timing, prompt }, reusableWords(row, event), row.slot);
    if (row.revision === event.revision && row.payload === payload) continue;
    const { revision } = event;
    await updateRow(db, 'notifications', row.id, { revision, payload, updated_ms: nowMs });
    changed({ kind: 'notification', id: row.id, userId: row.user_id });
  }
}

/**
 * Finds the current occurrence for each group of notifications. The key of an occurrence is its original start. When a
 * whole series moves, all keys change at once, so each group is matched with the nearest occurrence.
 */
function matchOccurrences(
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
    if (nearest === undefined || distance(nearest) > maxShiftMs) continue;
    matched.set(rows, nearest);
    free.delete(nearest);
  }
  return matched;
}

/**
 * Applies changed preferences (quiet hours, time zone, channels) to the planned notifications of a user. The caller decides
 * about all days again.
 */
export async function replanUser(
  writer: Writer,
  data: Pick<AssistantData, 'occurrences'>,
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
  for (const event of events) await replan(writer, data, user, event, now);
}
