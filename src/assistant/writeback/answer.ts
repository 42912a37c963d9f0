import { Failure } from '../../failure.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import type { Calendars } from '../calendar/sync.ts';
import { type CalendarObject, componentsOf, parseObject } from '../icalendar/text.ts';
import { answerIn, type GivenAnswer, organizerOf, setAnswer } from './attendees.ts';
import { type Edit, masterOf, timing } from './edit.ts';
import { openEvent, storeObject } from './remote-event.ts';
import { record } from './request.ts';
import { saveEdit } from './save.ts';
import { findOccurrence } from './scope.ts';
import { overrideFor } from './series-edit.ts';

/** Answers an invitation, or one date of a series. Says who learns of the answer. */
export async function answerRemote(
  calendars: Calendars,
  event: CalendarEvent,
  answer: GivenAnswer,
  occurrence: string | undefined,
  signal: AbortSignal,
): Promise<{
  readonly event: CalendarEvent;
  readonly notified: string | undefined;
  readonly organizer: string;
}> {
  const { remote, stored, href } = await openEvent(calendars, event, signal);
  const { own, abilities, editing } = remote;
  const object = parseObject(stored.text);
  const master = componentsOf(object.calendar, 'VEVENT')[0]!;
  const organizer = organizerOf(master);
  if (organizer === undefined || own.has(organizer))
    throw new Failure(
      'refused',
      'This event is not an invitation from somebody else, so there is nothing to answer.',
    );
  if (!componentsOf(object.calendar, 'VEVENT').some((one) => answerIn(one, own) !== undefined))
    throw new Failure(
      'refused',
      `The user is not in the list of attendees. Known addresses of the user: ${[...own].join(', ') || 'none'}. If the invitation went to another address, set it as the user's email with update_user.`,
    );
  const found = await findOccurrence(calendars.data, event, occurrence, remote.editing);
  const edit: Edit = {
    apply: (current) =>
      found === undefined
        ? answerAll(current, own, answer)
        : void setAnswer(overrideFor(current, found.keyMs, editing.userZone), own, answer, current.lineBreak),
    // Other attendees may answer at the same time.
    additive: new Set(['ATTENDEE']),
    ...(found !== undefined && { relies: timing }),
  };
  const saved = await storeObject(remote, href, await saveEdit(remote.target, href, stored, edit));
  await record(remote, 'event.answered', saved, { answer, occurrence });
  return { event: saved, organizer, notified: abilities.sendsInvitations ? organizer : undefined };
}

/** Answers the series. Dates that were answered differently before keep their answer. */
function answerAll(object: CalendarObject, own: ReadonlySet<string>, answer: GivenAnswer): void {
  const events = componentsOf(object.calendar, 'VEVENT');
  const before = answerIn(events.length === 1 ? events[0]! : masterOf(object), own);
  for (const event of events) {
    const present = answerIn(event, own);
    if (present === before || present === 'NEEDS-ACTION') setAnswer(event, own, answer, object.lineBreak);
  }
}
