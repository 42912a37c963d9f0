import { instantOf, offsetsIn, wallOf } from '../../recurrence/zone.ts';
import type { Notification, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { type AuditEntry, audit } from '../entities/decision-log.ts';
import { lockUser, type Reader, updateRow } from '../entities/entity-access.ts';
import type { Window } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { kindOfEvent } from '../entities/reminders.ts';
import { isImportant, rulesOf } from '../entities/rules.ts';
import { attend, type Candidate, defaultLimits, type Verdict } from './attention.ts';

const dayMs = 86_400_000;

const columns = [
  ...(['id', 'event_id', 'occurrence', 'event_start_ms', 'slot', 'plan_ms', 'next_ms', 'channel'] as const),
  ...(['origin', 'urgency', 'change', 'parent_id', 'status', 'attention', 'attention_why'] as const),
  'leader_id',
] as const;
type Row = Pick<Notification, (typeof columns)[number]>;

const eventColumns = [
  ...(['id', 'start_ms', 'end_ms', 'all_day', 'title', 'location', 'description', 'conf_link'] as const),
  ...(['provider', 'organizer', 'task', 'series', 'kind', 'important'] as const),
] as const;

/**
 * Decides which of a person's planned reminders become a message, and stores what changes. With a window, only the days in
 * it are decided. Call it with the lock on the user.
 */
export async function attendPerson(
  writer: Writer,
  user: User,
  nowMs: number,
  window?: Window,
): Promise<void> {
  const rows = await rowsIn(writer.db, user, nowMs, window);
  const verdicts = await decideFor(writer.db, user, rows);
  const entries: AuditEntry[] = [];
  for (const row of rows) {
    if (row.status !== 'planned') continue;
    const verdict = verdicts.get(row.id);
    const fields = {
      attention: verdict?.attention ?? null,
      attention_why: verdict?.why ?? null,
      leader_id: verdict?.leader ?? null,
    };
    if (
      row.attention === fields.attention &&
      row.leader_id === fields.leader_id &&
      row.attention_why === fields.attention_why
    )
      continue;
    await updateRow(writer.db, 'notifications', row.id, { ...fields, updated_ms: nowMs });
    writer.changed({ kind: 'notification', id: row.id, userId: user.id });
    entries.push(entryFor(row, verdict, user));
  }
  await audit(writer, nowMs, entries);
}

/** Decides again about the days of these times, because reminders at them were planned, moved or cancelled. */
export async function attendTimes(
  writer: Writer,
  userId: string,
  times: readonly number[],
  nowMs: number,
): Promise<void> {
  if (times.length === 0) return;
  const window = { fromMs: Math.min(...times), toMs: Math.max(...times) };
  await attendPerson(writer, await lockUser(writer.db, userId), nowMs, window);
}

function entryFor({ id, event_id: eventId }: Row, verdict: Verdict | undefined, user: User): AuditEntry {
  const subject = { userId: user.id, eventId, notificationId: id };
  if (verdict === undefined)
    return { action: 'notification.separated', ...subject, detail: { reason: 'it is sent by itself again' } };
  const { attention, why, leader } = verdict;
  const detail = { reason: why, ...(leader !== undefined && { into: leader }) };
  return { action: `notification.${attention}`, ...subject, detail };
}

/** Whole local days: what is still to be sent, and what was sent. */
async function rowsIn(
  db: Reader,
  { id: userId, timezone }: User,
  nowMs: number,
  window: Window | undefined,
): Promise<Row[]> {
  const zone = timezone ?? 'UTC';
  const offsets = offsetsIn(zone);
  const dayOf = (ms: number) => Math.floor(wallOf(ms, offsets) / dayMs) * dayMs;
  let query = db
    .selectFrom('notifications')
    .select(columns)
    .where('user_id', '=', userId)
    .where('plan_ms', '>=', instantOf(dayOf(window?.fromMs ?? nowMs), offsets))
    .where('status', 'in', ['planned', 'sending', 'sent', 'delivered']);
  if (window !== undefined)
    query = query.where('plan_ms', '<', instantOf(dayOf(window.toMs) + dayMs, offsets));
  return query.execute();
}

async function decideFor(
  db: Reader,
  user: User,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Verdict>> {
  const ids = [...new Set(rows.map(({ event_id }) => event_id).filter((id) => id !== ''))];
  if (ids.length === 0) return new Map();
  const events = await db.selectFrom('events').select(eventColumns).where('id', 'in', ids).execute();
  const rules = await rulesOf(db, user.id);
  const facts = new Map(
    events.map((event) => [
      event.id,
      { event, kind: kindOfEvent(event), important: isImportant(event, rules) },
    ]),
  );
  const candidates = rows.flatMap((row): Candidate[] => {
    const known = facts.get(row.event_id);
    const isReminder = known !== undefined && row.change === null && row.parent_id === null;
    const lastsMs = known === undefined ? 0 : known.event.end_ms - known.event.start_ms;
    return [
      {
        id: row.id,
        eventId: row.event_id,
        occurrence: row.occurrence,
        startMs: row.event_start_ms,
        endMs: row.event_start_ms + lastsMs,
        kind: known?.kind,
        important: known?.important ?? true,
        recurring: known?.event.series != null,
        atMs: row.plan_ms,
        channel: row.channel,
        origin: row.origin,
        silent: row.urgency === 'low' && isMoved(row),
        // A merged reminder is no message of its own.
        sent: row.status !== 'planned',
        isReminder,
        leader: row.leader_id,
      },
    ];
  });
  const { timezone, channelPref } = preferencesOf(user);
  const limits = defaultLimits(channelPref);
  return attend(
    candidates.filter(({ sent, leader }) => !sent || leader === null),
    { timezone, limits, pauseUntilMs: user.pause_until_ms, pauseFromMs: user.pause_from_ms },
  );
}

/** True if quiet hours moved the reminder away from its time. */
function isMoved({ event_start_ms, slot, plan_ms }: Row): boolean {
  return plan_ms !== event_start_ms + slot * 60_000;
}
