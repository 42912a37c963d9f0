import { createHash } from 'node:crypto';
import { xml } from '../../message-page.ts';
import { singleLine } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { CalendarEvent, Notification, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { findChannel, reachableBy } from '../entities/channels.ts';
import { lockUser } from '../entities/entity-access.ts';
import { type Payload, parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { sayStart, sayWhen, shortDate } from '../planning/date-format.ts';
import { messageHtml } from '../planning/wording.ts';
import { channelsAt } from '../policy/guards.ts';
import { type Message, snoozeMinutes } from '../sending/channel.ts';
import {
  type CarriedNotification,
  type ClaimedNotification,
  hasNoEvent,
  isHighUrgency,
  nextChannel,
  quietPermission,
} from './pre-send-checks.ts';
import { reachabilityOf, recipientOf } from './reachable-channels.ts';

export interface SendingContext {
  readonly late: boolean;
  readonly nowMs: number;
  readonly calendar?: string | undefined;
  readonly links?: MessageLinks | undefined;
  /** Reminders of other events that this message carries. */
  readonly carried?: readonly CarriedNotification[] | undefined;
}

/** Addresses of pages for the recipient. */
export interface MessageLinks {
  /** Where the person can acknowledge the notification. */
  readonly acknowledge?: string | undefined;
  /** Shows what the message is about. */
  readonly page?: string | undefined;
  /** Shows a request, and allows or refuses it. */
  readonly review?: string | undefined;
  /** Refuses the request. */
  readonly refuse?: string | undefined;
}

/** Builds the message from the planned text and from details known only at the time of sending. */
export function writeMessage(
  notification: Notification,
  user: User,
  event: CalendarEvent | undefined,
  { late, nowMs, calendar, links: { acknowledge, page, review, refuse } = {}, carried = [] }: SendingContext,
): Message {
  const payload = parsePayload(notification.payload);
  const { subject, text, html, script, why, timing } = payload;
  const texts = textsFor(preferencesOf(user).locale);
  const delayed = late && !hasNoEvent(notification);
  const others = carried
    .toSorted((a, b) => a.event_start_ms - b.event_start_ms)
    .map((one) => otherLine(one, user, nowMs));
  const notes = [
    ...(delayed ? [texts.late(formatTime(notification.plan_ms, user))] : []),
    ...(others.length > 0 ? [[texts.labelled(texts.also, ''), ...others].join('\n')] : []),
  ];
  const reasons = [timing, why].filter((reason) => reason !== undefined);
  const because = reasons.length === 0 ? [] : [texts.labelled(texts.why, reasons.join('; '))];
  const recipient = recipientOf(user, notification.channel);
  const answerable = canAnswer(notification, user);
  const confirmUrl = answerable ? acknowledge : undefined;
  const done = Boolean(event?.task) && notification.change === null;
  const links = [
    ...(review === undefined ? [] : [{ label: texts.decide.review, url: review }]),
    ...(refuse === undefined ? [] : [{ label: texts.decide.refuse, url: refuse }]),
    ...(page === undefined ? [] : [{ label: texts.show, url: page }]),
    ...(confirmUrl === undefined
      ? []
      : [{ label: done ? texts.actions.done : texts.confirm, url: `${confirmUrl}${done ? '?done' : ''}` }]),
  ];
  const plainLinks = links.map(({ label, url }) => texts.labelled(label, url));
  const parts = [
    ...notes.map((note) => xml(note).replaceAll('\n', '<br>\n')),
    ...links.map(({ label, url }) => `<a href="${xml(url)}">${xml(label)}</a>`),
    ...because.map((line) => `<small>${xml(line)}</small>`),
  ].map((part) => `<p>${part}</p>\n`);
  return {
    id: notification.id,
    recipient,
    subject: delayed ? texts.lateSubject(subject) : subject,
    short: shortMessage(notification, payload, user, event, nowMs, others, page),
    text: `${[text.trimEnd(), ...notes, ...plainLinks, ...because].join('\n\n')}\n`,
    html: html.replace(/(?=<\/body>)|$/, parts.join('')),
    speech: [script, ...notes].join(' '),
    ...(calendar !== undefined && { calendar }),
    urgency: isSilenced(notification, user, nowMs) ? 'low' : notification.urgency,
    ...(!hasNoEvent(notification) && { thread: threadOf(notification) }),
    ...(answerable && {
      actions: {
        acknowledge: done ? texts.actions.done : texts.actions.seen,
        ...(!hasNoEvent(notification) && { snooze: texts.actions.snooze(snoozeMinutes) }),
        ...(done && { done }),
      },
    }),
    ...(refuse !== undefined && {
      decision: {
        ...(review !== undefined && { review: { label: texts.decide.review, url: review } }),
        refuse: { label: texts.decide.refuse, url: refuse },
      },
    }),
    sentAt: new Date(nowMs),
    data: {
      ...(notification.about === null
        ? {
            event_id: notification.event_id,
            occurrence: notification.occurrence,
            start: new Date(notification.event_start_ms).toISOString(),
            link: event?.conf_link ?? null,
            late,
          }
        : {
            about: notification.about,
            link: page ?? null,
            ...(refuse !== undefined && { refuse_url: refuse }),
          }),
      acknowledge_url: confirmUrl ?? null,
    },
  };
}

/** What fits on a lock screen: what begins when and where. Messages without a title of an event keep their own words. */
function shortMessage(
  notification: Notification,
  { subject, text, title, place = '', link, notes = [], words, prompt }: Payload,
  user: User,
  event: CalendarEvent | undefined,
  nowMs: number,
  others: readonly string[],
  page: string | undefined,
): Message['short'] {
  if (notification.change !== null && notes.length > 0)
    return { title: singleLine(subject), text: [...notes, ...(link ? [link] : []), ...others].join('\n') };
  if (title === undefined || notification.change !== null || words?.subject !== undefined)
    return { title: singleLine(subject), text: [text.trim(), ...(page ? [page] : []), ...others].join('\n') };
  const isTask = Boolean(event?.task);
  const dated = datedOf(notification, user, event?.all_day === 1);
  const when = sayWhen(dated, nowMs);
  const heading = isTask ? subject : `${title} ${when}${place === '' ? '' : ` · ${place}`}`;
  const lines = [
    ...notes,
    ...(link === undefined ? [] : [link]),
    ...(prompt === undefined ? [] : [prompt]),
    ...others,
  ];
  return { title: singleLine(heading), text: lines.length > 0 ? lines.join('\n') : sayStart(dated, nowMs) };
}

/** One line for a reminder that the message of another one carries. */
function otherLine({ event_start_ms, payload }: CarriedNotification, user: User, nowMs: number): string {
  const { title, subject, place = '', link, allDay = false } = parsePayload(payload);
  const when = sayWhen(datedOf({ event_start_ms }, user, allDay), nowMs);
  const parts = [`${title ?? subject} ${when}`, ...(place === '' ? [] : [place]), ...(link ? [link] : [])];
  return singleLine(parts.join(' · '), 2500);
}

function datedOf(
  { event_start_ms: startMs }: Pick<Notification, 'event_start_ms'>,
  user: User,
  allDay: boolean,
) {
  const { locale, timezone } = preferencesOf(user);
  return { startMs, locale, timezone, allDay };
}

/**
 * True for reminders, and for messages that go on to the next channel unless somebody acknowledges them. False in a group, where
 * everybody could use the buttons and the link.
 */
export function canAnswer(notification: Notification, user: User): boolean {
  const { address } = recipientOf(user, notification.channel);
  const isPrivate = findChannel(notification.channel)?.address.isPrivate?.(address) !== false;
  if (!hasNoEvent(notification)) return isPrivate;
  // A request is decided, not confirmed.
  const isDecided = parsePayload(notification.payload).decision !== undefined;
  return isPrivate && !isDecided && notification.about !== null && isHighUrgency(notification.urgency);
}

/** True if the message may arrive in the quiet hours of the person, but without a sound. */
function isSilenced(notification: Notification, user: User, nowMs: number): boolean {
  return (
    quietPermission(notification) === 'silent' &&
    channelsAt(nowMs, preferencesOf(user), reachableBy(user)).length === 0
  );
}

/** The same for all messages about an occurrence. */
function threadOf({ event_id, occurrence }: Notification): string {
  return createHash('sha256')
    .update(JSON.stringify([event_id, occurrence]))
    .digest('hex')
    .slice(0, 32);
}

/** Formats a time in the user's zone and language; falls back to English and UTC if this machine does not know them. */
export function formatTime(ms: number, user: User): string {
  const { locale, timezone } = preferencesOf(user);
  const style = { dateStyle: 'full', timeStyle: 'short' } as const;
  try {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone: timezone }).format(ms);
  } catch {
    return `${new Intl.DateTimeFormat('en', { ...style, timeZone: 'UTC' }).format(ms)} UTC`;
  }
}

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
  const { locale, timezone } = preferencesOf(user);
  const lines = claimed
    .toSorted((a, b) => a.notification.event_start_ms - b.notification.event_start_ms)
    .map(({ notification: { event_start_ms: startMs }, event }) => {
      const title = singleLine(event?.title ?? textsOf(user).anEvent);
      return `${title}, ${shortDate({ startMs, locale, timezone, allDay: event?.all_day === 1 })}`;
    });
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
