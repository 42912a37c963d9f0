import { type Actor, maySeePerson } from '../../context.ts';
import { log } from '../../log.ts';
import type { Outreach, OutreachMessage } from '../../outreach.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import { answerTo, guestsOf, invitationsTo } from '../editing/guests.ts';
import { type AssistantData, findUser, rowOf } from '../entities/entity-access.ts';
import { invitation } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { isActive, isDeclined } from '../entities/reminders.ts';
import { textsFor } from '../messages/catalog.ts';
import type { Catalog } from '../messages/en.ts';
import { shortDate } from '../planning/date-format.ts';
import type { Scope } from '../writeback/request.ts';

/** Dates further ahead than this are not looked for. */
const aheadMs = 731 * 86_400_000;
/** A message about a cancellation waits this long, as a notice of a change does. */
const undoMs = 60_000;

/** Tells the guests of an event that they are invited, once each. The event is stored whether or not that succeeds. */
export async function tellGuests(
  { store }: AssistantData,
  outreach: Outreach,
  event: CalendarEvent,
): Promise<void> {
  if (event.provider === invitation || event.attendees === null || event.status === 'cancelled') return;
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

/** A guest who said that they come, and the first date that they lose. */
interface Expecting {
  readonly invitation: CalendarEvent;
  readonly user: User;
  /** As the organizer wrote them. */
  readonly written: string;
  readonly startMs: number;
  readonly isSeries: boolean;
}

/** The guests who expect the dates that are about to be cancelled. */
export async function guestsExpecting(
  data: AssistantData,
  event: CalendarEvent,
  { occurrence: key, following = false }: Scope,
): Promise<readonly Expecting[]> {
  if (event.provider === invitation || event.attendees === null || event.status === 'cancelled') return [];
  const { invitations, guests } = await data.store.read(async (db) => ({
    invitations: await invitationsTo(db, event.id),
    guests: await guestsOf(db, event),
  }));
  const nowMs = data.clock();
  const expecting: Expecting[] = [];
  for (const { user, written } of guests) {
    const invitation = invitations.find(({ user_id }) => user_id === user.id);
    if (invitation === undefined || !['accepted', 'tentative'].includes(answerTo(invitation))) continue;
    const window = { fromMs: nowMs, toMs: nowMs + aheadMs };
    const dates = await data.occurrences(invitation, window, preferencesOf(user).timezone);
    const named = dates.find((one) => one.key === key);
    const meant = dates.filter(
      (one) =>
        (key === undefined || one === named || (following && named && one.startMs > named.startMs)) &&
        isActive(one) &&
        !isDeclined(user, one),
    );
    const [first] = meant;
    if (first !== undefined)
      expecting.push({ invitation, user, written, startMs: first.startMs, isSeries: meant.length > 1 });
  }
  return expecting;
}

/** Tells guests that dates are cancelled, also long before them. Returns who they are. */
export async function tellCancelled(
  { store, clock }: AssistantData,
  outreach: Outreach,
  event: CalendarEvent,
  expecting: readonly Expecting[],
): Promise<readonly string[]> {
  if (expecting.length === 0) return [];
  const organizer = await store.read((db) => findUser(db, event.user_id));
  for (const { invitation, user, startMs, isSeries } of expecting) {
    const notice = await store.read((db) =>
      db
        .selectFrom('notifications')
        .select('id')
        .where('event_id', '=', invitation.id)
        .where('event_start_ms', '=', startMs)
        .where('change', '=', 'cancelled')
        .where('status', '=', 'planned')
        .executeTakeFirst(),
    );
    // Who was reminded of this date, or is about to be, gets a notice anyway.
    if (notice !== undefined && !isSeries) continue;
    const key = `${newsKey(invitation)}/cancelled/${startMs}`;
    const word = (texts: Catalog) =>
      texts.cancelledBy[isSeries ? 'series' : 'one'](
        organizer.name,
        ...subjectOf({ ...event, start_ms: startMs }, user),
      );
    await tell(outreach, user, key, word, { atMs: clock() + undoMs });
  }
  return expecting.map(({ written }) => written);
}

/** What guests have answered, under what the organizer wrote to invite them. */
export async function answersOf({ store }: AssistantData, event: CalendarEvent, actor: Actor) {
  if (event.provider === invitation || event.attendees === null) return {};
  return store.read(async (db) => {
    const invitations = await invitationsTo(db, event.id);
    const guests = await guestsOf(db, event);
    const answers = guests.flatMap(({ user, written }) => {
      const invitation = invitations.find(({ user_id }) => user_id === user.id);
      const answer = invitation && answerTo(invitation);
      // That somebody has an invitation says that the person is on this server.
      const isOpen = answer === 'needs-action' && !maySeePerson(actor, user.id);
      return answer === undefined || isOpen ? [] : [{ attendee: written, answer }];
    });
    return answers.length === 0 ? {} : { answers };
  });
}

/** The guests on this server whom the caller may see. Others get their invitation as well, but nobody learns of them. */
export async function invitedBy({ store }: AssistantData, event: CalendarEvent, actor: Actor) {
  if (event.provider === invitation || event.attendees === null) return {};
  const invitations = await store.read((db) => invitationsTo(db, event.id));
  const invited = invitations.map((one) => one.user_id).filter((id) => maySeePerson(actor, id));
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
  word: (texts: Catalog) => string,
  more: Pick<OutreachMessage, 'atMs'> = {},
): Promise<void> {
  try {
    const title = word(textsFor(preferencesOf(user).locale));
    await outreach.send({ key, person: user.id, title, page: `/#/calendar/${user.id}`, ...more });
  } catch (error) {
    log('warning', `could not send "${key}" to ${user.id}`, error);
  }
}
