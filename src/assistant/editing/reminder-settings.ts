import { Failure } from '../../failure.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import { audit } from '../entities/decision-log.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { replanEvent } from '../planning/replanning.ts';
import { eventKinds } from '../reminders/event-kind.ts';
import { type ReminderSettings, settingsOf } from '../reminders/personal-reminders.ts';

/** Stands for the built-in lead times of a kind or calendar. */
const builtIn = 'default';

/** Merges new lead times into those of a user. `["default"]` removes a setting; an empty list means no reminders. */
export function mergeReminders(user: Pick<User, 'reminders'>, given: ReminderSettings): string | null {
  const known: readonly string[] = [...eventKinds, 'default', 'digest'];
  for (const name of Object.keys(given)) {
    if (known.includes(name) || /^calendar:./.test(name)) continue;
    throw new Failure(
      'invalid-params',
      `reminders has no kind "${name}"; use ${known.join(', ')} or calendar:ID with an id from list_calendars.`,
    );
  }
  if (
    given['digest']?.some((time) => !/^(\d\d:\d\d|default)$/.test(time)) ||
    (given['digest']?.length ?? 0) > 1
  )
    throw new Failure('invalid-params', 'reminders.digest must be one time of day, like ["07:30"].');
  const merged = Object.entries({ ...settingsOf(user), ...given }).filter(
    ([, leads]) => leads[0] !== builtIn,
  );
  return merged.length === 0 ? null : JSON.stringify(Object.fromEntries(merged));
}

/** Sets the user's own reminders for an event or one occurrence, also of an imported calendar. */
export function setEventReminders(
  data: AssistantData,
  id: string,
  leads: readonly string[] | undefined,
  occurrence = '',
): Promise<CalendarEvent> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    const before = await findEvent(writer.db, id);
    const user = await findUser(writer.db, before.user_id);
    if (occurrence !== '') await checkOccurrence(data, before, user, occurrence);
    const reminders = withReminders(before, leads, occurrence);
    const event = await writer.db
      .updateTable('events')
      .set({ reminders, updated_ms: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const detail = { ...(occurrence !== '' && { occurrence }), reminders: [...(leads ?? [])] };
    await audit(writer, now, [{ action: 'event.reminders_set', userId: user.id, eventId: id, detail }]);
    writer.changed({ kind: 'event', id, userId: user.id });
    await replanEvent(writer, data, user, event, now);
    return event;
  });
}

async function checkOccurrence(
  data: AssistantData,
  event: CalendarEvent,
  user: User,
  key: string,
): Promise<void> {
  const window = { fromMs: event.first_ms, toMs: data.clock() + 4000 * 86_400_000 };
  const found = await data.occurrences(event, window, preferencesOf(user).timezone);
  if (!found.some((one) => one.key === key)) throw new Failure('resource-not-found', 'Occurrence not found');
}

/** The `reminders` column with new lead times; undefined removes them. */
export function withReminders(
  { reminders }: Pick<CalendarEvent, 'reminders'>,
  leads: readonly string[] | undefined,
  occurrence = '',
): string | null {
  const { [occurrence]: _, ...others } =
    reminders === null ? {} : (JSON.parse(reminders) as Record<string, readonly string[]>);
  const merged = leads === undefined ? others : { ...others, [occurrence]: leads };
  return Object.keys(merged).length === 0 ? null : JSON.stringify(merged);
}
