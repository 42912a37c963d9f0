import type { Actor } from '../../context.ts';
import { type AssistantData, findUser, rowOf } from '../entities/entity-access.ts';
import { mailAddressIn } from '../entities/reminders.ts';

/** In place of a calendar: the event is stored only here. */
export const onlyHere = 'local';

interface NewEvent {
  readonly task?: string;
  readonly attendees?: readonly string[];
}

/**
 * Where a new event is stored if the call does not say it. Tasks are stored only here, and so is an event with a guest without
 * a mail address, whom a calendar server could not hold.
 */
export async function homeOf(
  data: AssistantData,
  userId: string,
  input: NewEvent,
  actor: Actor,
): Promise<{ readonly place: string; readonly warnings: readonly string[] }> {
  const { home_calendar: home } = await data.store.read((db) => findUser(db, userId));
  if (home === null || input.task !== undefined) return { place: onlyHere, warnings: [] };
  const { withGuestAddresses } = await import('../writeback/guests-here.ts');
  const { attendees = [] } = await withGuestAddresses(data, userId, input, actor);
  const nameless = attendees.filter((one) => mailAddressIn(one) === undefined);
  if (nameless.length === 0) return { place: home, warnings: [] };
  const calendar = await data.store.read((db) => rowOf(db, 'calendars', home));
  const names = nameless.map((one) => `"${one}"`).join(', ');
  const warning = `The event is stored only here and not in "${calendar?.name ?? home}", because no mail address is known of ${names}.`;
  return { place: onlyHere, warnings: [warning] };
}
