import { singleLine } from '../../single-line.ts';
import { type Property, parameterOf, textOf } from './content-line.ts';
import { type Alarm, type Answer, answers, type EventDetails, statuses } from './series.ts';

/** Properties that can hold the URL of a video conference, best first. */
const links = ['conference', 'x-google-conference', 'x-microsoft-skypeteamsmeetingurl', 'url'];
const maxTextLength = 20_000;
const maxAttendees = 1000;

/** Reads what an event is about. Everything here is text from others. */
export function readDetails(
  all: (name: string) => readonly Property[],
  alarms: readonly Alarm[],
  task: boolean,
): EventDetails {
  const text = (name: string) => {
    const [property] = all(name);
    return property && textOf(property).slice(0, maxTextLength).trim();
  };
  const line = (name: string, maxLength = 500) => {
    const [property] = all(name);
    return property && singleLine(textOf(property), maxLength);
  };
  const link = links
    .map((name) => line(name, 2000))
    .find((address) => address !== undefined && /^https?:\/\/\S+$/i.test(address));
  const written = line('status')?.toLowerCase();
  const optional = {
    description: text('description')?.replaceAll(/(?![\n\t])\p{Cc}/gu, ''),
    location: line('location'),
    link,
    organizer: all('organizer').map(readPerson)[0],
  };
  const attendees = all('attendee')
    .slice(0, maxAttendees)
    .map(readPerson)
    .filter((person) => person !== '');
  return {
    title: line('summary') || '(no title)',
    status: statuses.find((known) => known === written) ?? 'confirmed',
    ...(task && { task: isDone(all, written) ? ('done' as const) : ('open' as const) }),
    ...(alarms.length > 0 && { alarms }),
    ...answersOf(all('attendee').slice(0, maxAttendees)),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value)) as Partial<EventDetails>),
    ...(attendees.length > 0 && { attendees }),
    ...((line('transp')?.toUpperCase() === 'TRANSPARENT' ||
      line('x-microsoft-cdo-busystatus')?.toUpperCase() === 'FREE') && { free: true as const }),
  };
}

/** Email address of a person, or the name if there is none. */
function readPerson(property: Property): string {
  const address = property.value.trim().replace(/^mailto:/i, '');
  const person = address.includes('@') ? address : (parameterOf(property, 'cn') ?? address);
  return singleLine(person, 320);
}

function isDone(all: (name: string) => readonly Property[], status: string | undefined): boolean {
  const percent = Number.parseInt(all('percent-complete')[0]?.value ?? '', 10);
  return status === 'completed' || status === 'cancelled' || all('completed').length > 0 || percent === 100;
}

/** Answers by address. Without a mail address in the value, EMAIL counts; a display name never identifies a person. */
function answersOf(attendees: readonly Property[]): Pick<EventDetails, 'answers'> {
  const given = attendees.flatMap((property): [string, Answer][] => {
    const written = parameterOf(property, 'partstat')?.toLowerCase();
    const answer = answers.find((known) => known === written);
    const value = property.value.trim().replace(/^mailto:/i, '');
    const address = value.includes('@') ? value : (parameterOf(property, 'email') ?? '');
    return answer === undefined || address === '' ? [] : [[address.toLowerCase(), answer]];
  });
  return given.length === 0 ? {} : { answers: Object.fromEntries(given) };
}
