import type { CalendarEvent, User } from '../../store/schema.ts';
import { addressesOf } from '../entities/channels.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import type { Answer } from '../icalendar/series.ts';

/** The user's answer to an invitation. Undefined if the user accepted, organizes the event, or is not in the list. */
export function answerOf(user: User, { answers }: Pick<Occurrence, 'answers'>): Answer | undefined {
  if (answers === undefined) return undefined;
  return mailAddresses(user)
    .map((address) => answers[address])
    .find((answer) => answer !== undefined);
}

/** The mail addresses of a user, which identify the user in an event. */
function mailAddresses(user: User): readonly string[] {
  const listed = addressesOf(user.channels).filter(({ channel }) => channel === 'email');
  const all = [...(user.email === null ? [] : [user.email]), ...listed.map(({ address }) => address)];
  return all.map((address) => address.toLowerCase());
}

export function isDeclined(user: User, occurrence: Pick<Occurrence, 'answers'>): boolean {
  const answer = answerOf(user, occurrence);
  return answer === 'declined' || answer === 'delegated';
}

/** True if nobody else organizes the event. */
export function isOwn(user: User, { organizer }: CalendarEvent): boolean {
  if (organizer === null) return true;
  const address = /[^\s<>:,;"]+@[^\s<>:,;"]+/.exec(organizer)?.[0].toLowerCase();
  return address !== undefined && mailAddresses(user).includes(address);
}

/** True if the occurrence takes place and, if it is a task, is still to be done. */
export function isActive({ status, task }: Pick<Occurrence, 'status' | 'task'>): boolean {
  return status !== 'cancelled' && task !== 'done';
}
