import { xml } from '../channels/call.ts';
import type { Message } from '../channels/channel.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import type { CalendarEvent, Notification, User } from '../store/schema.ts';
import { isNotice } from './pre-send-checks.ts';
import { recipientOf } from './reachable-channels.ts';

export interface Wording {
  readonly late: boolean;
  readonly nowMs: number;
  readonly calendar?: string | undefined;
  /** Where a click tells that the person knows. */
  readonly acknowledgeUrl?: string | undefined;
}

/** What was planned to be said, with what only the moment of sending knows. */
export function writeMessage(
  notification: Notification,
  user: User,
  event: CalendarEvent | undefined,
  { late, nowMs, calendar, acknowledgeUrl }: Wording,
): Message {
  const { subject, text, html, script } = parsePayload(notification.payload);
  const delayed = late && !isNotice(notification);
  const notes = delayed ? [`This was due ${timeOf(notification.plan_ms, user)} and comes late.`] : [];
  const answer = acknowledgeUrl === undefined || isNotice(notification) ? undefined : acknowledgeUrl;
  const plainLinks = answer === undefined ? [] : [`Confirm that you know: ${answer}`];
  const links = answer === undefined ? [] : [`<a href="${xml(answer)}">Confirm that you know</a>`];
  const parts = [...notes.map(xml), ...links].map((part) => `<p>${part}</p>\n`);
  return {
    id: notification.id,
    recipient: recipientOf(user),
    subject: delayed ? `Late: ${subject}` : subject,
    text: `${[text.trimEnd(), ...notes, ...plainLinks].join('\n\n')}\n`,
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
      acknowledge_url: answer ?? null,
    },
  };
}

/** In the user's zone and language, as far as this machine knows them. */
export function timeOf(ms: number, user: User): string {
  const { locale, timezone } = preferencesOf(user);
  const style = { dateStyle: 'full', timeStyle: 'short' } as const;
  try {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone: timezone }).format(ms);
  } catch {
    return `${new Intl.DateTimeFormat('en', { ...style, timeZone: 'UTC' }).format(ms)} UTC`;
  }
}
