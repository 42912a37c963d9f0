import type { CalendarEvent, NewEvent, User } from '../../store/schema.ts';
import type { Reader } from '../entities/entity-access.ts';
import { invitation } from '../entities/occurrence.ts';
import { mailAddressIn, personKey } from '../entities/reminders.ts';
import type { Answer, Series } from '../icalendar/series.ts';

// Guests of an event that is stored here, or on a calendar server that sends no invitations, and who are people of this server,
// get an invitation: an event of their own with the provider `invitation`, whose UID is the id of the organizer's event. It
// follows that event. The guest's answer is in the invitation, and so are reminders and other settings of the guest. Nothing
// tells the organizer who else is on this server: only what a guest answers is shown.

/** A guest, and what the organizer wrote to invite them. */
interface Guest {
  readonly user: User;
  readonly written: string;
}

/** The people of this server among the attendees of an event, by mail address, id or unambiguous name. */
export async function guestsOf(
  db: Reader,
  { attendees, user_id: organizer, task }: Pick<CalendarEvent, 'attendees' | 'user_id' | 'task'>,
): Promise<readonly Guest[]> {
  const written = attendees === null || task !== null ? [] : (JSON.parse(attendees) as string[]);
  const guests = new Map<string, Guest>();
  for (const one of written) {
    const user = await personCalled(db, one.trim());
    if (user !== undefined && user.id !== organizer) guests.set(user.id, { user, written: one });
  }
  return [...guests.values()];
}

/** A person of this server by mail address, id or unambiguous name. */
export async function personCalled(db: Reader, written: string): Promise<User | undefined> {
  const people = db.selectFrom('users').selectAll();
  const address = mailAddressIn(written);
  if (address !== undefined)
    return people.where(({ fn, eb }) => eb(fn('lower', ['email']), '=', address)).executeTakeFirst();
  const byId = await people.where('id', '=', written).executeTakeFirst();
  if (byId !== undefined) return byId;
  const name = written.toLowerCase();
  const named = await people
    .where(({ fn, eb, or }) => {
      const own = fn<string>('lower', ['name']);
      return or([eb(own, '=', name), eb(own, 'like', `${name.replaceAll(/[%_\\]/g, '')} %`)]);
    })
    .limit(2)
    .execute();
  return named.length === 1 ? named[0] : undefined;
}

/** The invitations to an event. */
export function invitationsTo(db: Reader, eventId: string): Promise<CalendarEvent[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('provider', '=', invitation)
    .where('provider_event_id', '=', eventId)
    .execute();
}

/** True if the person has the event already, in a calendar of their own. */
export async function hasEvent(
  db: Reader,
  { id }: User,
  { provider_event_id: uid }: CalendarEvent,
): Promise<boolean> {
  const own = db.selectFrom('events').select('id').where('user_id', '=', id);
  return (await own.where('provider_event_id', '=', uid).executeTakeFirst()) !== undefined;
}

/** The answer of a guest to an invitation. */
export function answerTo({ answers, user_id: id }: CalendarEvent): Answer | 'accepted' {
  const given = answers === null ? {} : (JSON.parse(answers) as Record<string, Answer>);
  return given[personKey({ id })] ?? 'accepted';
}

/** The columns of an invitation that follow the event of the organizer. Those of the guest stay as they are. */
export function invitationFields(
  event: CalendarEvent,
  organizer: User,
  guest: User,
  answer: Answer | 'accepted',
) {
  const answers = answer === 'accepted' ? undefined : { [personKey(guest)]: answer };
  const { title, location, conf_link, description, status, show_as, attendees } = event;
  const { start_ms, end_ms, all_day, timezone, first_ms, last_ms } = event;
  const sender = organizer.email === null ? organizer.name : `${organizer.name} <${organizer.email}>`;
  return {
    ...{ title, location, conf_link, description, status, show_as, attendees },
    ...{ start_ms, end_ms, all_day, timezone, first_ms, last_ms },
    series: event.series && withAnswers(event.series, answers),
    provider: invitation,
    provider_event_id: event.id,
    calendar_id: null,
    organizer: event.organizer ?? sender,
    answers: answers === undefined ? null : JSON.stringify(answers),
    task: null,
    etag: null,
    last_seen_ms: null,
  } satisfies Partial<NewEvent>;
}

/** Changed occurrences have details of their own, and so the answer as well. */
function withAnswers(written: string, answers: Readonly<Record<string, Answer>> | undefined): string {
  const { overrides, ...series } = JSON.parse(written) as Series;
  if (overrides === undefined || answers === undefined) return written;
  const answered = overrides.map((one) => ({ ...one, details: { ...one.details, answers } }));
  return JSON.stringify({ ...series, overrides: answered });
}
