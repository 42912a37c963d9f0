import { Failure } from '../../failure.ts';
import { mailAddressIn } from '../entities/reminders.ts';
import {
  type CalendarObject,
  componentsOf,
  createLine,
  joinLine,
  linesOf,
  setLines,
  type TextComponent,
  type TextLine,
  withParameter,
} from '../icalendar/text.ts';

export const answers = ['accepted', 'declined', 'tentative'] as const;
export type GivenAnswer = (typeof answers)[number];

/** The address of an ATTENDEE or ORGANIZER in lower case; without a mail address in the value, EMAIL counts. */
function addressOf(line: TextLine): string {
  const value = line.value.trim().replace(/^mailto:/i, '');
  return (value.includes('@') ? value : (line.parameter('EMAIL') ?? value)).toLowerCase();
}

export function organizerOf(event: TextComponent): string | undefined {
  const [line] = linesOf(event, 'ORGANIZER');
  return line && addressOf(line);
}

/** Everybody in an object except the user and the organizer. */
export function invitedPeople({ calendar }: CalendarObject, own: ReadonlySet<string>): readonly string[] {
  const people = componentsOf(calendar, 'VEVENT').flatMap((event) => {
    const organizer = organizerOf(event);
    return linesOf(event, 'ATTENDEE')
      .filter((line) => !/^(CLIENT|NONE)$/i.test(line.parameter('SCHEDULE-AGENT') ?? ''))
      .map(addressOf)
      .filter((address) => address !== organizer && !own.has(address));
  });
  return [...new Set(people)].sort();
}

/**
 * Sets the list of attendees. Lines of people who stay are kept as they are; some servers treat an address in other case
 * as another person, so new ones are written in lower case.
 */
export function setAttendees(
  event: TextComponent,
  wanted: readonly string[],
  organizer: string | undefined,
  lineBreak: string,
): void {
  const addresses = wanted.map(checkAddress);
  const known = linesOf(event, 'ATTENDEE');
  const kept = known.filter((line) => addresses.includes(addressOf(line)) || addressOf(line) === organizer);
  const present = new Set(kept.map(addressOf));
  const added = addresses
    .filter((address) => !present.has(address))
    .map((address) => `ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${address}`);
  setLines(event, 'ATTENDEE', [...kept, ...added.map((text) => createLine(text, lineBreak))]);
  if (addresses.length === 0 || linesOf(event, 'ORGANIZER').length > 0) return;
  if (organizer === undefined)
    throw new Failure(
      'refused',
      'An event with attendees needs an organizer, but no mail address of the user is known. Set one with update_user.',
    );
  setLines(event, 'ORGANIZER', [createLine(`ORGANIZER:mailto:${organizer}`, lineBreak)]);
}

function checkAddress(written: string): string {
  const address = mailAddressIn(written);
  if (address === undefined)
    throw new Failure(
      'invalid-params',
      `"${written}" is neither a mail address nor somebody here who has one; attendees of an event on a calendar server need a mail address.`,
    );
  return address;
}

/** Sets the user's own answer. Everything else in the line, such as the case of the address, stays byte for byte. */
export function setAnswer(
  event: TextComponent,
  own: ReadonlySet<string>,
  answer: GivenAnswer,
  lineBreak: string,
): boolean {
  const lines = linesOf(event, 'ATTENDEE');
  const mine = lines.find((line) => own.has(addressOf(line)));
  if (mine?.property === undefined) return false;
  const text = joinLine(withParameter(mine.property, 'PARTSTAT', answer.toUpperCase()));
  if (text !== mine.text)
    setLines(
      event,
      'ATTENDEE',
      lines.map((line) => (line === mine ? createLine(text, lineBreak) : line)),
    );
  return true;
}

/** The user's present answer, in upper case. */
export function answerIn(event: TextComponent, own: ReadonlySet<string>): string | undefined {
  const mine = linesOf(event, 'ATTENDEE').find((line) => own.has(addressOf(line)));
  return mine && (mine.parameter('PARTSTAT') ?? 'NEEDS-ACTION').toUpperCase();
}
