import { Failure } from '../../failure.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import type { StoredObject } from '../calendar/target.ts';
import type { EventInput } from '../editing/event-edit.ts';
import { audit } from '../entities/decision-log.ts';
import { localTime } from '../entities/local-time.ts';
import { parseObject } from '../icalendar/text.ts';
import { invitedPeople, organizerOf } from './attendees.ts';
import type { Preview } from './confirmation.ts';
import { type EventPatch, masterOf } from './edit.ts';
import type { RemoteCalendar, TouchedField } from './remote-event.ts';

/** The fields of a request that are neither times nor recurrence. */
export function detailsOf(input: EventInput, unset: readonly (keyof EventInput)[]): EventPatch {
  const { title, location, description, conf_link, status, attendees } = input;
  const given = { title, location, description, conf_link, status, attendees };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(
      (['location', 'description', 'conf_link'] as const)
        .filter((name) => unset.includes(name))
        .map((name) => [name, null]),
    ),
    ...(unset.includes('attendees') && { attendees: [] }),
  };
}

/** What a change overwrites. A change to one occurrence depends on all times of the series. */
export function touchedBy(patch: EventPatch, occurrence: boolean): readonly TouchedField[] {
  const texts = (['title', 'location', 'description', 'conf_link', 'status'] as const).filter(
    (name) => patch[name] !== undefined && !occurrence,
  );
  const timed = [patch.startMs, patch.endMs, patch.rrule].some((value) => value !== undefined);
  return timed || occurrence ? [...texts, 'times'] : texts;
}

/** The organizer of an event on a server is the account that owns the calendar. */
export function refuseOrganizer(input: EventInput, unset: readonly string[] = []): void {
  if (input.organizer !== undefined || unset.includes('organizer'))
    throw new Failure(
      'refused',
      'The organizer of an event on a calendar server is the account that created it and cannot be changed. Leave organizer out.',
    );
}

/** An event that somebody else organizes can only be answered, if the server sends changes to all attendees. */
export function refuseForeign({ abilities, own }: RemoteCalendar, { text }: StoredObject): void {
  const organizer = organizerOf(masterOf(parseObject(text)));
  if (!abilities.sendsInvitations || organizer === undefined || own.has(organizer)) return;
  throw new Failure(
    'refused',
    `${organizer} organizes this event, so only ${organizer} can change it. Answer it with answer_invitation, or ask the organizer.`,
  );
}

/** Describes what the server sends to other people; nobody receives anything if the server sends nothing. */
export function previewOf(
  { abilities, own, editing }: RemoteCalendar,
  sends: Preview['sends'],
  texts: readonly string[],
  about: { readonly title: string; readonly startMs: number },
  covers: unknown,
): Preview {
  const objects = texts.map(parseObject);
  const organizer = organizerOf(masterOf(objects[0]!));
  const subject = subjectOnly(
    `"${about.title}" (${localTime(about.startMs, editing.userZone, editing.nowMs)})`,
  );
  if (!abilities.sendsInvitations) return { sends, recipients: [], subject, covers };
  // A guest who deletes an event declines it.
  if (organizer !== undefined && !own.has(organizer))
    return { sends: 'a refusal', recipients: [organizer], subject, covers };
  const recipients = new Set(objects.flatMap((object) => invitedPeople(object, own)));
  return { sends, recipients: [...recipients].sort(), subject, covers };
}

/** The relative part of a time changes every minute and is not part of what the user confirms. */
function subjectOnly(subject: string): string {
  return subject.replace(/, [^,]*\)$/, ')');
}

export async function record(
  { calendars: { data }, calendar }: RemoteCalendar,
  action: string,
  event: CalendarEvent,
  detail: object = {},
): Promise<CalendarEvent> {
  const entry = { action, userId: event.user_id, eventId: event.id };
  await data.store.write((writer) =>
    audit(writer, data.clock(), [{ ...entry, detail: { calendar_id: calendar.id, ...detail } }]),
  );
  return event;
}
