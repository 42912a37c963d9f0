import { createHash } from 'node:crypto';
import { xml } from '../../message-page.ts';
import type { CalendarEvent, Notification, User } from '../../store/schema.ts';
import { findChannel } from '../entities/channels.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { type Message, snoozeMinutes } from '../sending/channel.ts';
import { hasNoEvent } from './pre-send-checks.ts';
import { recipientOf } from './reachable-channels.ts';

export interface SendingContext {
  readonly late: boolean;
  readonly nowMs: number;
  readonly calendar?: string | undefined;
  /** Page on which the person can acknowledge the notification. */
  readonly acknowledgeUrl?: string | undefined;
}

/** Builds the message from the planned text and from details known only at the time of sending. */
export function writeMessage(
  notification: Notification,
  user: User,
  event: CalendarEvent | undefined,
  { late, nowMs, calendar, acknowledgeUrl }: SendingContext,
): Message {
  const { subject, text, html, script, why, timing } = parsePayload(notification.payload);
  const texts = textsFor(preferencesOf(user).locale);
  const delayed = late && !hasNoEvent(notification);
  const notes = delayed ? [texts.late(formatTime(notification.plan_ms, user))] : [];
  const reasons = [timing, why].filter((reason) => reason !== undefined);
  const because = reasons.length === 0 ? [] : [`${texts.why}: ${reasons.join('; ')}`];
  const recipient = recipientOf(user, notification.channel);
  // In a group, everybody could use the buttons and the link.
  const isShared = findChannel(notification.channel)?.address.isPrivate?.(recipient.address) === false;
  const canAnswer = !hasNoEvent(notification) && !isShared;
  const confirmUrl = canAnswer ? acknowledgeUrl : undefined;
  const done = Boolean(event?.task) && notification.change === null;
  const link = {
    label: done ? texts.actions.done : texts.confirm,
    url: `${confirmUrl}${done ? '?done' : ''}`,
  };
  const plainLinks = confirmUrl === undefined ? [] : [`${link.label}: ${link.url}`];
  const links = confirmUrl === undefined ? [] : [`<a href="${xml(link.url)}">${xml(link.label)}</a>`];
  const parts = [...notes.map(xml), ...links, ...because.map((line) => `<small>${xml(line)}</small>`)].map(
    (part) => `<p>${part}</p>\n`,
  );
  return {
    id: notification.id,
    recipient,
    subject: delayed ? texts.lateSubject(subject) : subject,
    text: `${[text.trimEnd(), ...notes, ...plainLinks, ...because].join('\n\n')}\n`,
    html: html.replace(/(?=<\/body>)|$/, parts.join('')),
    speech: [script, ...notes].join(' '),
    ...(calendar !== undefined && { calendar }),
    urgency: notification.urgency,
    ...(!hasNoEvent(notification) && { thread: threadOf(notification) }),
    ...(canAnswer && {
      actions: {
        acknowledge: done ? texts.actions.done : texts.actions.seen,
        snooze: texts.actions.snooze(snoozeMinutes),
        ...(done && { done }),
      },
    }),
    sentAt: new Date(nowMs),
    data: {
      event_id: notification.event_id,
      occurrence: notification.occurrence,
      start: new Date(notification.event_start_ms).toISOString(),
      link: event?.conf_link ?? null,
      late,
      acknowledge_url: confirmUrl ?? null,
    },
  };
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
