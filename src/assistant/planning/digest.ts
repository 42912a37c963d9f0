import { instantOf, offsetsIn, wallOf } from '../../recurrence/zone.ts';
import { singleLine } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { activeFor, conflictsOf, isUnanswered } from '../entities/agenda.ts';
import { reachableBy } from '../entities/channels.ts';
import { auditChange } from '../entities/decision-log.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { leadTime } from '../entities/lead-times.ts';
import { type Listed, listOccurrences } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { settingsOf } from '../entities/reminders.ts';
import { textsFor } from '../messages/catalog.ts';
import { channelsAt, nextAllowedTime } from '../policy/guards.ts';
import { formatDate } from './date-format.ts';
import type { DesiredNotification } from './plan-rows.ts';
import { messageHtml } from './wording.ts';

const dayMs = 86_400_000;
const maxLines = 50;

/** Prefix of the keys of digests: one for each person and local date. */
export const digestPrefix = 'digest/';

/**
 * Plans the daily agenda of a user who wants one, and keeps its text up to date until it is sent. No digest is sent on a
 * day without entries or during a pause. A digest that is due in quiet hours is sent when they end.
 */
export async function planDigest(
  writer: Writer,
  data: Pick<AssistantData, 'occurrences'>,
  user: User,
  nowMs: number,
): Promise<void> {
  const [time] = settingsOf(user)['digest'] ?? [];
  const planned = await writer.db
    .selectFrom('notifications')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('event_id', '=', '')
    .where('status', '=', 'planned')
    .where('key', 'like', `${digestPrefix}%`)
    .execute();
  const next = time === undefined ? undefined : await nextDigest(writer, data, user, time, nowMs);
  const same = planned.find(({ key }) => key === next?.key);
  // A digest that is due belongs to the worker.
  const isOpen = ({ plan_ms }: { readonly plan_ms: number }) => time === undefined || plan_ms > nowMs;
  for (const row of planned.filter((one) => one !== same && isOpen(one)))
    await writer.db
      .updateTable('notifications')
      .set({
        status: 'cancelled',
        reason: isPaused(row.plan_ms, user) ? 'reminders are paused' : 'there is nothing on this day',
        key: `${row.key}#${row.id}`,
        updated_ms: nowMs,
      })
      .where('id', '=', row.id)
      .where('status', '=', 'planned')
      .execute();
  if (next === undefined) return;
  if (same !== undefined) {
    if (same.payload === next.payload && same.plan_ms === next.plan_ms) return;
    const { payload, plan_ms, channel } = next;
    await writer.db
      .updateTable('notifications')
      .set({ payload, plan_ms, next_ms: plan_ms, channel, updated_ms: nowMs })
      .where('id', '=', same.id)
      .where('status', '=', 'planned')
      .execute();
    writer.changed({ kind: 'notification', id: same.id, userId: user.id });
    return;
  }
  const id = newId(nowMs);
  const added = await writer.db
    .insertInto('notifications')
    .values({
      ...next,
      ...{
        id,
        user_id: user.id,
        event_id: '',
        occurrence: id,
        revision: '',
        slot: 0,
        urgency: 'low' as const,
      },
      ...{ status: 'planned' as const, next_ms: next.plan_ms, created_ms: nowMs, updated_ms: nowMs },
    })
    // The digest of this day was already sent.
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined) return;
  const subject = { userId: user.id, notificationId: id };
  const detail = { reason: next.reason };
  await auditChange(writer, nowMs, { action: 'notification.planned', ...subject, detail });
}

/** The next digest that has entries, or undefined if today's and tomorrow's are empty or were sent. */
async function nextDigest(
  { db }: Writer,
  data: Pick<AssistantData, 'occurrences'>,
  user: User,
  time: string,
  nowMs: number,
) {
  const preferences = preferencesOf(user);
  const { timezone, locale } = preferences;
  const offsets = offsetsIn(timezone);
  const today = Math.floor(wallOf(nowMs, offsets) / dayMs) * dayMs;
  for (const day of [today, today + dayMs]) {
    const fromMs = instantOf(day, offsets);
    const wantedMs = leadTime(time, fromMs, timezone);
    const planMs = nextAllowedTime(Math.max(wantedMs, fromMs), preferences, reachableBy(user));
    const toMs = instantOf(day + dayMs, offsets) - 1;
    if (planMs === undefined || planMs <= nowMs || planMs > toMs || isPaused(planMs, user)) continue;
    const allowed = channelsAt(planMs, preferences, reachableBy(user));
    const channel = allowed.find((one) => one !== 'call');
    const { listed } = await listOccurrences(data, db, { fromMs, toMs: toMs + 7 * dayMs }, user.id);
    const payload = wordDigest(user, listed, { fromMs, toMs, planMs });
    if (channel === undefined || payload === undefined) continue;
    const date = new Date(day).toISOString().slice(0, 10);
    return {
      key: `${digestPrefix}${user.id}/${date}`,
      plan_ms: planMs,
      event_start_ms: planMs,
      channel,
      payload,
      reason: textsFor(locale).reasons.digest,
    };
  }
  return undefined;
}

function isPaused(atMs: number, { pause_from_ms: fromMs, pause_until_ms: untilMs }: User): boolean {
  return untilMs !== null && atMs < untilMs && atMs >= (fromMs ?? atMs);
}

/** The agenda of a day as the user would get it, or undefined if nothing is on that day. Changes nothing. */
export async function previewDigest(
  data: AssistantData,
  user: User,
  date: string | undefined,
): Promise<Pick<DesiredNotification, 'payload' | 'planMs'> | undefined> {
  const { timezone } = preferencesOf(user);
  const offsets = offsetsIn(timezone);
  const wall = date === undefined ? wallOf(data.clock(), offsets) : Date.parse(date);
  const day = Math.floor(wall / dayMs) * dayMs;
  const [fromMs, toMs] = [instantOf(day, offsets), instantOf(day + dayMs, offsets) - 1];
  const [time = '00:00'] = settingsOf(user)['digest'] ?? [];
  const planMs = leadTime(time, fromMs, timezone);
  const { listed } = await data.store.read((db) =>
    listOccurrences(data, db, { fromMs, toMs: toMs + 7 * dayMs }, user.id),
  );
  const payload = wordDigest(user, listed, { fromMs, toMs, planMs });
  return payload === undefined ? undefined : { payload, planMs };
}

/** Writes the agenda of the rest of a day: events, tasks, overlapping events, and invitations of the coming week without an answer. */
function wordDigest(
  user: User,
  listed: readonly Listed[],
  { fromMs, toMs, planMs }: Record<'fromMs' | 'toMs' | 'planMs', number>,
): string | undefined {
  const { locale, timezone } = preferencesOf(user);
  const texts = textsFor(locale);
  const active = activeFor(user, listed);
  const today = active.filter(
    ({ occurrence: { startMs, endMs, task } }) => startMs <= toMs && (task !== undefined || endMs > planMs),
  );
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezone });
  const title = ({ occurrence }: Listed) => singleLine(occurrence.title, 150) || texts.anEvent;
  const line = (one: Listed) => {
    const { startMs, endMs, location } = one.occurrence;
    const when = one.event.all_day === 1 ? texts.allDay : clock.formatRange(startMs, endMs);
    const entry = [when, title(one), ...(location ? [singleLine(location, 100)] : [])].join(', ');
    return isUnanswered(user, one) ? `${entry} (${texts.digest.notAnswered})` : entry;
  };
  const events = today.filter(({ occurrence }) => occurrence.task === undefined);
  const conflicts = conflictsOf(events).map(([one, other]) => `${title(one)} / ${title(other)}`);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [texts.digest.today, events.map(line)],
    [texts.digest.tasks, today.filter(({ occurrence }) => occurrence.task !== undefined).map(line)],
    [texts.digest.conflicts, conflicts],
    [
      texts.digest.unanswered,
      active
        .filter((one) => isUnanswered(user, one) && one.occurrence.startMs > toMs)
        .map(
          (one) =>
            `${title(one)}, ${formatDate({ startMs: one.occurrence.startMs, locale, timezone, allDay: one.event.all_day === 1 })}`,
        ),
    ],
  ];
  const filled = sections.filter(([, lines]) => lines.length > 0);
  // A message about a day without entries says nothing.
  if (today.length === 0) return undefined;
  const day = formatDate({ startMs: fromMs, locale, timezone, allDay: true });
  const lines = [
    texts.hello(singleLine(user.name)),
    ...filled.flatMap(([heading, entries]) => {
      const rest = entries.length > maxLines ? [texts.more(entries.length - maxLines)] : [];
      return ['', heading, ...entries.slice(0, maxLines), ...rest];
    }),
  ];
  return JSON.stringify({
    subject: singleLine(texts.digestSubject(day, today.length)),
    text: `${lines.join('\n')}\n`,
    html: messageHtml(locale, lines),
    script: singleLine(texts.digestSubject(day, today.length)),
    why: texts.reasons.digest,
  });
}
