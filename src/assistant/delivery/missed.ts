import { singleLine } from '../../single-line.ts';
import { xml } from '../channels/call.ts';
import { lockUser } from '../entities/entity-access.ts';
import { newId } from '../store/id.ts';
import type { User } from '../store/schema.ts';
import type { Writer } from '../store/store.ts';
import { nextChannel } from './escalation.ts';
import { timeOf } from './message.ts';
import type { Case } from './pre-send-checks.ts';
import { reachOf } from './reachable-channels.ts';

const minute = 60_000;
/** What is missed within this time is told in one message. */
const gatherMs = 10 * minute;
const settleMs = minute;
const mostLines = 50;

/**
 * Tells people what came too late to be sent: one message for all of it, never by phone, since nothing in it can be
 * acted on in time.
 */
export async function reportMissed(writer: Writer, missed: readonly Case[], nowMs: number): Promise<void> {
  const byUser = Map.groupBy(missed, ({ notification }) => notification.user_id);
  // In one order, so that two workers do not wait for each other.
  for (const id of [...byUser.keys()].sort()) {
    const user = await lockUser(writer.db, id);
    const channel = nextChannel(reachOf(user, 'low'), ['call']);
    if (channel !== undefined) await gather(writer, user, channel, byUser.get(id)!, nowMs);
  }
}

async function gather(
  { db, changed }: Writer,
  user: User,
  channel: NonNullable<ReturnType<typeof nextChannel>>,
  cases: readonly Case[],
  nowMs: number,
): Promise<void> {
  const key = `missed/${user.id}/${Math.floor(nowMs / gatherMs)}`;
  const lines = cases.map(
    ({ notification, event }) =>
      `${singleLine(event?.title ?? 'An event')}, ${timeOf(notification.event_start_ms, user)}`,
  );
  const known = await db.selectFrom('notifications').selectAll().where('key', '=', key).executeTakeFirst();
  if (known?.status === 'planned') {
    const { numUpdatedRows } = await db
      .updateTable('notifications')
      .set({ payload: writePayload([...linesOf(known.payload), ...lines]), updated_ms: nowMs })
      .where('id', '=', known.id)
      .where('status', '=', 'planned')
      .executeTakeFirstOrThrow();
    // Unless somebody is sending it by now.
    if (numUpdatedRows > 0n) return;
  }
  const id = newId(nowMs);
  await db
    .insertInto('notifications')
    .values({
      id,
      key: known === undefined ? key : `${key}/${id}`,
      user_id: user.id,
      event_id: '',
      // Of its own, so that an answer to it is an answer to nothing else.
      occurrence: id,
      event_start_ms: nowMs,
      revision: '',
      slot: 0,
      channel,
      urgency: 'low',
      plan_ms: nowMs + settleMs,
      status: 'planned',
      payload: writePayload(lines),
      reason: 'reminders came due while nothing could send them',
      next_ms: nowMs + settleMs,
      created_ms: nowMs,
      updated_ms: nowMs,
    })
    .execute();
  changed({ kind: 'notification', id, userId: user.id });
}

function writePayload(lines: readonly string[]): string {
  const shown = lines.slice(0, mostLines);
  const rest = lines.length > shown.length ? [`and ${lines.length - shown.length} more`] : [];
  const text = ['These reminders came due while Adjutant could not send them:', ...shown, ...rest];
  return JSON.stringify({
    subject: lines.length === 1 ? 'A reminder was missed' : `${lines.length} reminders were missed`,
    text: `${text.join('\n')}\n`,
    html: `<!doctype html>\n<html><body><p>${text.map(xml).join('<br>\n')}</p></body></html>\n`,
    script: text.join(' '),
    lines,
  });
}

function linesOf(payload: string): string[] {
  const { lines } = JSON.parse(payload) as { lines?: unknown };
  return !Array.isArray(lines) ? [] : lines.filter((line) => typeof line === 'string');
}
