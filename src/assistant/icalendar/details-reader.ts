import { singleLine } from '../../single-line.ts';
import { type Alarm, type Answer, answers, type EventDetails, statuses } from './series.ts';
import { type TextLine, unescapeText } from './text.ts';

/** Properties that can hold the URL of a video conference, best first. */
const links = ['CONFERENCE', 'X-GOOGLE-CONFERENCE', 'X-MICROSOFT-SKYPETEAMSMEETINGURL', 'URL'];
const maxTextLength = 20_000;
const maxAttendees = 1000;

/** Reads what an event is about. Everything here is text from others. */
export function readDetails(
  all: (name: string) => readonly TextLine[],
  alarms: readonly Alarm[],
  task: boolean,
): EventDetails {
  const text = (name: string) => {
    const [found] = all(name);
    return found && unescapeText(found.value).slice(0, maxTextLength).trim();
  };
  const line = (name: string, maxLength = 500) => {
    const [found] = all(name);
    return found && singleLine(unescapeText(found.value), maxLength);
  };
  const link = links
    .map((name) => line(name, 2000))
    .find((address) => address !== undefined && /^https?:\/\/\S+$/i.test(address));
  const written = line('STATUS')?.toLowerCase();
  const optional = {
    description: text('DESCRIPTION')?.replaceAll(/(?![\n\t])\p{Cc}/gu, ''),
    location: line('LOCATION'),
    link,
    organizer: all('ORGANIZER').map(readPerson)[0],
  };
  const attendees = all('ATTENDEE')
    .slice(0, maxAttendees)
    .map(readPerson)
    .filter((person) => person !== '');
  return {
    title: line('SUMMARY') || '(no title)',
    status: statuses.find((known) => known === written) ?? 'confirmed',
    ...(task && { task: isDone(all, written) ? ('done' as const) : ('open' as const) }),
    ...(alarms.length > 0 && { alarms }),
    ...answersOf(all('ATTENDEE').slice(0, maxAttendees)),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value)) as Partial<EventDetails>),
    ...(attendees.length > 0 && { attendees }),
    ...((line('TRANSP')?.toUpperCase() === 'TRANSPARENT' ||
      line('X-MICROSOFT-CDO-BUSYSTATUS')?.toUpperCase() === 'FREE') && { free: true as const }),
  };
}

/** Email address of a person, or the name if there is none. */
function readPerson(line: TextLine): string {
  const address = line.value.trim().replace(/^mailto:/i, '');
  const person = address.includes('@') ? address : (line.parameter('CN') ?? address);
  return singleLine(person, 320);
}

function isDone(all: (name: string) => readonly TextLine[], status: string | undefined): boolean {
  const percent = Number.parseInt(all('PERCENT-COMPLETE')[0]?.value ?? '', 10);
  return status === 'completed' || status === 'cancelled' || all('COMPLETED').length > 0 || percent === 100;
}

/** Answers by address. Without a mail address in the value, EMAIL counts; a display name never identifies a person. */
function answersOf(attendees: readonly TextLine[]): Pick<EventDetails, 'answers'> {
  const given = attendees.flatMap((line): [string, Answer][] => {
    const written = line.parameter('PARTSTAT')?.toLowerCase();
    const answer = answers.find((known) => known === written);
    const value = line.value.trim().replace(/^mailto:/i, '');
    const address = value.includes('@') ? value : (line.parameter('EMAIL') ?? '');
    return answer === undefined || address === '' ? [] : [[address.toLowerCase(), answer]];
  });
  return given.length === 0 ? {} : { answers: Object.fromEntries(given) };
}
