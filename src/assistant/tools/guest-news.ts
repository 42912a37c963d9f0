import { type Actor, maySeePerson } from '../../context.ts';
import { log } from '../../log.ts';
import type { Outreach } from '../../outreach.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import { answerTo, guestsOf, invitationsTo } from '../editing/guests.ts';
import { type AssistantData, findUser, rowOf } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { shortDate } from '../planning/date-format.ts';

/** Tells the guests of an event that they are invited, once each. The event is stored whether or not that succeeds. */
export async function tellGuests(
  { store }: AssistantData,
  outreach: Outreach,
  event: CalendarEvent,
): Promise<void> {
  if (event.provider !== 'local' || event.attendees === null || event.status === 'cancelled') return;
  const { organizer, open } = await store.read(async (db) => {
    const invitations = await invitationsTo(db, event.id);
    const guests: { readonly one: CalendarEvent; readonly user: User }[] = [];
    for (const one of invitations)
      if (answerTo(one) === 'needs-action') guests.push({ one, user: await findUser(db, one.user_id) });
    return { organizer: await findUser(db, event.user_id), open: guests };
  });
  for (const { one, user } of open)
    await tell(outreach, user, newsKey(one), (texts) =>
      texts.invited(organizer.name, ...subjectOf(event, user)),
    );
}

/** Tells the organizer what a guest has answered. */
export async function tellOrganizer(
  { store }: AssistantData,
  outreach: Outreach,
  answered: CalendarEvent,
): Promise<void> {
  const answer = answerTo(answered);
  const found = await store.read(async (db) => {
    const source = await rowOf(db, 'events', answered.provider_event_id);
    if (source === undefined) return undefined;
    return { organizer: await findUser(db, source.user_id), guest: await findUser(db, answered.user_id) };
  });
  await outreach.withdraw(newsKey(answered));
  if (found === undefined || answer === 'needs-action' || answer === 'delegated') return;
  const { organizer, guest } = found;
  const key = `${newsKey(answered)}/${answer}`;
  await tell(outreach, organizer, key, (texts) =>
    texts.answered[answer](guest.name, ...subjectOf(answered, organizer)),
  );
}

/** What guests have answered, under what the organizer wrote to invite them. Who has not answered is not shown. */
export async function answersOf({ store }: AssistantData, event: CalendarEvent) {
  if (event.provider !== 'local' || event.attendees === null) return {};
  return store.read(async (db) => {
    const invitations = await invitationsTo(db, event.id);
    const guests = await guestsOf(db, event);
    const answers = guests.flatMap(({ user, written }) => {
      const invitation = invitations.find(({ user_id }) => user_id === user.id);
      const answer = invitation && answerTo(invitation);
      return answer === undefined || answer === 'needs-action' ? [] : [{ attendee: written, answer }];
    });
    return answers.length === 0 ? {} : { answers };
  });
}

/** The guests on this server whom the caller may see. Others get their invitation as well, but nobody learns of them. */
export async function invitedBy({ store }: AssistantData, event: CalendarEvent, actor: Actor) {
  if (event.provider !== 'local' || event.attendees === null) return {};
  const guests = await store.read((db) => guestsOf(db, event));
  const invited = guests.map(({ user }) => user.id).filter((id) => maySeePerson(actor, id));
  return invited.length === 0 ? {} : { invited };
}

function newsKey({ id }: CalendarEvent): string {
  return `invitation/${id}`;
}

function subjectOf({ title, start_ms: startMs, all_day }: CalendarEvent, user: User): [string, string] {
  const { locale, timezone } = preferencesOf(user);
  return [title, shortDate({ startMs, locale, timezone, allDay: all_day === 1 })];
}

async function tell(
  outreach: Outreach,
  user: User,
  key: string,
  word: (texts: ReturnType<typeof textsFor>) => string,
): Promise<void> {
  try {
    const title = word(textsFor(preferencesOf(user).locale));
    await outreach.send({ key, person: user.id, title, page: `/#/calendar/${user.id}` });
  } catch (error) {
    log('warning', `could not send "${key}" to ${user.id}`, error);
  }
}
