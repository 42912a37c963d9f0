import { type Actor, maySeePerson } from '../../context.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { type EventInput, updateInvitations } from '../editing/events.ts';
import { personCalled } from '../editing/guests.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { mailAddressIn } from '../entities/reminders.ts';
import type { RemoteCalendar } from './remote-event.ts';

// A calendar server knows guests by mail address only, and many servers send no invitations. People of this server then get the
// invitation that they would get to an event that is stored here.

/**
 * Writes mail addresses in place of the names of people of this server. Names of others stay, and so do those of people whom
 * the caller may not see: nobody learns from the answer who they are.
 */
export async function withGuestAddresses<Input extends Pick<EventInput, 'attendees'>>(
  { store }: AssistantData,
  organizerId: string,
  input: Input,
  actor: Actor,
): Promise<Input> {
  const { attendees } = input;
  if (attendees === undefined) return input;
  const found = await store.read(async (db) => {
    const addresses: string[] = [];
    for (const written of attendees) {
      const person =
        mailAddressIn(written) === undefined ? await personCalled(db, written.trim()) : undefined;
      // The organizer is no guest.
      if (person?.id === organizerId) continue;
      const address = person !== undefined && maySeePerson(actor, person.id) ? person.email : null;
      addresses.push(address ?? written);
    }
    return addresses;
  });
  return { ...input, attendees: [...new Set(found)] };
}

/** Invites the people of this server to an event that the person organizes, unless the calendar server does that. */
export async function inviteHere(
  { abilities, own, calendars: { data }, user, editing }: RemoteCalendar,
  event: CalendarEvent,
): Promise<void> {
  const organizer = mailAddressIn(event.organizer ?? '');
  const isOwn = organizer === undefined || own.has(organizer);
  if (abilities.sendsInvitations || !isOwn || event.attendees === null) return;
  await data.store.write((writer) => updateInvitations(writer, data, user, event, editing.nowMs, true));
}
