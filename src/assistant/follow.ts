import type { Diary } from './diary.ts';
import type { Proposal } from './guards.ts';
import { applySteps, rowsOf } from './notifications.ts';
import { parsePayload } from './payload.ts';
import { cancelAll, planOccurrence } from './planner.ts';
import { preferencesOf } from './preferences.ts';
import { isImportant, rulesOf } from './rules.ts';
import type { CalendarEvent, Notification, User } from './store/schema.ts';
import type { Writer } from './store/store.ts';

const dayMs = 86_400_000;

/**
 * Lets what is planned follow an event that has just changed, in the same transaction: moved with it, called off with
 * it, never left behind. Nothing is decided anew here; that is for the next planning.
 */
export async function followEvent(
  writer: Writer,
  { occurrences }: Pick<Diary, 'occurrences'>,
  user: User,
  event: CalendarEvent,
  now: number,
): Promise<void> {
  const all = await rowsOf(writer.db, event.id);
  const waiting = all.filter(({ status }) => status === 'planned');
  if (waiting.length === 0) return;
  const window = { fromMs: now - dayMs, toMs: now + 400 * dayMs };
  const { timezone } = preferencesOf(user);
  const takingPlace = event.status === 'confirmed' ? await occurrences(event, window, timezone) : [];
  const byKey = new Map(takingPlace.map((occurrence) => [occurrence.key, occurrence]));
  const important = isImportant(event, await rulesOf(writer.db, user.id));
  const planned = { user, event, nowMs: now, important, force: false };
  for (const [key, rows] of Map.groupBy(all, ({ occurrence }) => occurrence)) {
    const first = rows.find(({ status }) => status === 'planned');
    if (first === undefined) continue;
    const occurrence = byKey.get(key);
    const steps = occurrence
      ? planOccurrence({ ...planned, occurrence, rows, proposals: proposalsFrom(rows, event) }).steps
      : cancelAll(
          rows,
          event.status === 'confirmed' ? 'it does not take place any more' : `the event is ${event.status}`,
        );
    await applySteps(writer, event, occurrence ?? { key, startMs: first.event_start_ms }, steps, now);
  }
}

/** After a change of preferences: quiet hours, zones and channels hold for what is planned already. */
export async function followUser(
  writer: Writer,
  diary: Pick<Diary, 'occurrences'>,
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
  for (const event of events) await followEvent(writer, diary, user, event, now);
}

/** What is planned, as a proposal for the new time. Words about an event that has changed are not used again. */
function proposalsFrom(rows: readonly Notification[], event: CalendarEvent): readonly Proposal[] {
  return rows
    .filter((row) => row.status === 'planned' && row.parent_id === null)
    .map(({ slot, channel, urgency, revision, payload }) => ({
      offsetMinutes: slot,
      channel,
      urgency,
      ...(revision === event.revision && parsePayload(payload).words),
    }));
}
