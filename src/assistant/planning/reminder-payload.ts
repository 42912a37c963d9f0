import type { CalendarEvent, Notification, User } from '../../store/schema.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import type { Words } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { daysAfter } from '../reminders/lead-time.ts';
import { answerOf } from '../reminders/participation.ts';
import { movedFrom } from './change-notice.ts';
import { wordReminder } from './wording.ts';

interface PayloadInput {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  readonly rows: readonly Notification[];
  readonly why?: string | undefined;
  readonly timing?: string | undefined;
  readonly announced?: boolean;
}

/** The text of a reminder, as stored in its row. */
export function payloadFor(
  { user, event, occurrence, rows, why, timing, announced }: PayloadInput,
  words: Words,
  slot: number,
): string {
  const { locale, timezone } = preferencesOf(user);
  const facts = {
    name: user.name,
    locale,
    timezone,
    title: occurrence.title,
    startMs: occurrence.startMs,
    allDay: event.all_day === 1,
    location: occurrence.location,
    confLink: event.conf_link,
    movedFromMs: announced ? undefined : movedFrom(rows, occurrence.startMs),
    tentative: occurrence.status === 'tentative',
    answer: answerOf(user, occurrence),
    ...(occurrence.task !== undefined && { overdueDays: daysAfter(slot, occurrence.startMs, timezone) }),
    ...(why !== undefined && { why }),
  };
  return JSON.stringify({ ...wordReminder(facts, words), ...(timing !== undefined && { timing }) });
}
