import { localTime } from '../../recurrence/written-time.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { type Listed, listOccurrences } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { isActive } from '../entities/reminders.ts';

const dayMs = 86_400_000;
/** Reminders are planned so many days ahead. */
export const horizonDays = 30;
/** Dates further ahead than this are not looked for. */
const searchDays = 731;

/** Says that a date is too far ahead for its reminders: the next one of an event, or of all events of a person. */
export async function horizonNote(
  data: AssistantData,
  user: User,
  event?: CalendarEvent,
): Promise<string | undefined> {
  const nowMs = data.clock();
  const zone = preferencesOf(user).timezone;
  const window = { fromMs: nowMs + horizonDays * dayMs, toMs: nowMs + searchDays * dayMs };
  const dates: readonly Omit<Listed, 'zone'>[] =
    event === undefined
      ? (await data.store.read((db) => listOccurrences(data, db, window, user.id))).listed
      : (await data.occurrences(event, window, zone)).map((occurrence) => ({ event, occurrence }));
  const next = dates.find((one) => one.event.status !== 'cancelled' && isActive(one.occurrence));
  if (next === undefined) return undefined;
  const { startMs, title } = next.occurrence;
  const when = localTime(startMs, zone, nowMs, next.event.all_day === 1);
  const named = event === undefined ? `the next event, "${title}",` : 'the next date';
  return `${named} is on ${when}, and reminders are planned ${horizonDays} days ahead`;
}
