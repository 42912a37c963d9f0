import { singleLine } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { lockUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { messageHtml } from '../planning/message-html.ts';
import { nextChannel } from './escalation.ts';
import { formatTime } from './message.ts';
import type { ClaimedNotification } from './pre-send-checks.ts';
import { reachabilityOf } from './reachable-channels.ts';

const minute = 60_000;
/** Reminders missed within this time are reported in one message. */
const collectMs = 10 * minute;
const sendDelayMs = minute;
const maxLines = 50;

/**
 * Plans one message per user that lists the reminders that could not be sent in time. It never goes by phone, because
 * it is too late to act on it.
 */
export async function reportMissed(
  writer: Writer,
  missed: readonly ClaimedNotification[],
  nowMs: number,
): Promise<void> {
  const byUser = Map.groupBy(missed, ({ notification }) => notification.user_id);
  // Lock the users in sorted order to avoid deadlocks between workers.
  for (const id of [...byUser.keys()].sort()) {
    const user = await lockUser(writer.db, id);
    const channel = nextChannel(reachabilityOf(user, 'low'), ['call']);
    if (channel !== undefined) await addToReport(writer, user, channel, byUser.get(id)!, nowMs);
  }
}

async function addToReport(
  { db, changed }: Writer,
  user: User,
  channel: NonNullable<ReturnType<typeof nextChannel>>,
  claimed: readonly ClaimedNotification[],
  nowMs: number,
): Promise<void> {
  const key = `missed/${user.id}/${Math.floor(nowMs / collectMs)}`;
  const lines = claimed.map(
    ({ notification, event }) =>
      `${singleLine(event?.title ?? textsOf(user).anEvent)}, ${formatTime(notification.event_start_ms, user)}`,
  );
  const existing = await db.selectFrom('notifications').selectAll().where('key', '=', key).executeTakeFirst();
  if (existing?.status === 'planned') {
    const { numUpdatedRows } = await db
      .updateTable('notifications')
      .set({ payload: writePayload([...linesOf(existing.payload), ...lines], user), updated_ms: nowMs })
      .where('id', '=', existing.id)
      .where('status', '=', 'planned')
      .executeTakeFirstOrThrow();
    // No row is updated if a worker has claimed the message in the meantime; then a new message is added.
    if (numUpdatedRows > 0n) return;
  }
  const id = newId(nowMs);
  await db
    .insertInto('notifications')
    .values({
      id,
      key: existing === undefined ? key : `${key}/${id}`,
      user_id: user.id,
      event_id: '',
      // A unique occurrence, so that acknowledging this message affects no other notification.
      occurrence: id,
      event_start_ms: nowMs,
      revision: '',
      slot: 0,
      channel,
      urgency: 'low',
      plan_ms: nowMs + sendDelayMs,
      status: 'planned',
      payload: writePayload(lines, user),
      reason: 'reminders were due while no worker could send them',
      next_ms: nowMs + sendDelayMs,
      created_ms: nowMs,
      updated_ms: nowMs,
    })
    .execute();
  changed({ kind: 'notification', id, userId: user.id });
}

function textsOf(user: User) {
  return textsFor(preferencesOf(user).locale);
}

function writePayload(lines: readonly string[], user: User): string {
  const texts = textsOf(user);
  const shown = lines.slice(0, maxLines);
  const rest = lines.length > shown.length ? [texts.more(lines.length - shown.length)] : [];
  const text = [texts.missed, ...shown, ...rest];
  return JSON.stringify({
    subject: texts.missedSubject(lines.length),
    text: `${text.join('\n')}\n`,
    html: messageHtml(preferencesOf(user).locale, text),
    script: text.join(' '),
    lines,
  });
}

function linesOf(payload: string): string[] {
  const { lines } = JSON.parse(payload) as { lines?: unknown };
  return !Array.isArray(lines) ? [] : lines.filter((line) => typeof line === 'string');
}
