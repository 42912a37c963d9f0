import { xml } from '../channels/call.ts';
import type { Message } from '../channels/channel.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import type { CalendarEvent, Notification, User } from '../store/schema.ts';
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
  const { subject, text, html, script, why } = parsePayload(notification.payload);
  const texts = textsFor(preferencesOf(user).locale);
  const delayed = late && !hasNoEvent(notification);
  const notes = delayed ? [texts.late(formatTime(notification.plan_ms, user))] : [];
  const reasons = [notification.reason, why].filter((reason) => reason).join('; ');
  const because = hasNoEvent(notification) || reasons === '' ? [] : [`${texts.why}: ${reasons}`];
  const confirmUrl = acknowledgeUrl === undefined || hasNoEvent(notification) ? undefined : acknowledgeUrl;
  const plainLinks = confirmUrl === undefined ? [] : [`${texts.confirm}: ${confirmUrl}`];
  const links = confirmUrl === undefined ? [] : [`<a href="${xml(confirmUrl)}">${xml(texts.confirm)}</a>`];
  const parts = [...notes.map(xml), ...links, ...because.map((line) => `<small>${xml(line)}</small>`)].map(
    (part) => `<p>${part}</p>\n`,
  );
  return {
    id: notification.id,
    recipient: recipientOf(user),
    subject: delayed ? texts.lateSubject(subject) : subject,
    text: `${[text.trimEnd(), ...notes, ...plainLinks, ...because].join('\n\n')}\n`,
    html: html.replace(/(?=<\/body>)|$/, parts.join('')),
    speech: [script, ...notes].join(' '),
    ...(calendar !== undefined && { calendar }),
    urgency: notification.urgency,
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
