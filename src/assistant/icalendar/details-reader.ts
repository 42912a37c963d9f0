import { singleLine } from '../../single-line.ts';
import {
  type Alarm,
  type Answer,
  answers,
  type CalendarTime,
  type Duration,
  type EventDetails,
  statuses,
} from './series.ts';
import { componentsOf, linesOf, type TextComponent, type TextLine, unescapeText } from './text.ts';
import { readDuration, readTime, Unreadable } from './written-value.ts';

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
    ...showAsOf(line, all('DTSTART')[0]?.value.trim().length === 8),
  };
}

/** Outlook's status says more than TRANSP. Busy is noted only for whole days, which are free otherwise. */
function showAsOf(line: (name: string) => string | undefined, allDay: boolean): Pick<EventDetails, 'showAs'> {
  const [transparency, status] = ['TRANSP', 'X-MICROSOFT-CDO-BUSYSTATUS'].map((name) =>
    line(name)?.toUpperCase(),
  );
  if (transparency === 'TRANSPARENT' || status === 'FREE') return { showAs: 'free' };
  if (status === 'OOF') return { showAs: 'away' };
  if (status === 'TENTATIVE') return { showAs: 'tentative' };
  return allDay && (transparency === 'OPAQUE' || status === 'BUSY') ? { showAs: 'busy' } : {};
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

const maxAlarms = 20;

/** Reports an alarm that was left out. */
type AlarmNote = (message: string, line?: number) => void;

/**
 * Reads the alarms of an event or a task. An invalid alarm is reported and left out. Alarms that another program has
 * acknowledged carry the time, in the way of RFC 9074 (ACKNOWLEDGED) or of Thunderbird (X-MOZ-LASTACK).
 */
export function readAlarms(entry: TextComponent, note: AlarmNote): readonly Alarm[] {
  const found: Alarm[] = [];
  for (const alarm of componentsOf(entry, 'VALARM')) {
    if (found.length >= maxAlarms) break;
    const one = (name: string) => linesOf(alarm, name)[0];
    const trigger = one('TRIGGER');
    try {
      found.push(...readAlarm(one, trigger));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      note(
        `An alarm is invalid: ${error.message}. The event was imported without this alarm.`,
        trigger?.number,
      );
    }
  }
  const acknowledged = linesOf(entry, 'X-MOZ-LASTACK').flatMap(({ value }) => instant(value) ?? []);
  const [lastMs] = acknowledged.sort((a, b) => b - a);
  const snoozed = linesOf(entry, 'X-MOZ-SNOOZE-TIME').flatMap(({ value }) => {
    const atMs = instant(value);
    return atMs === undefined ? [] : [{ atMs }];
  });
  const all = lastMs === undefined ? found : found.map((alarm) => ({ acknowledgedMs: lastMs, ...alarm }));
  return [...all, ...snoozed].slice(0, maxAlarms);
}

function readAlarm(
  one: (name: string) => TextLine | undefined,
  trigger: TextLine | undefined,
): readonly Alarm[] {
  const action = one('ACTION')?.value.trim().toUpperCase() ?? 'DISPLAY';
  // Apple writes ACTION:NONE for "no alarm"; procedures and unknown actions are not for people.
  if (!['DISPLAY', 'AUDIO', 'EMAIL'].includes(action)) return [];
  if (trigger === undefined) throw new Unreadable('it has no TRIGGER');
  const acknowledgedMs = instant(one('ACKNOWLEDGED')?.value ?? '');
  const known = { ...(acknowledgedMs !== undefined && { acknowledgedMs }) };
  const written = trigger.value.trim();
  if (!/^[+-]?P/i.test(written)) {
    const atMs = instant(written);
    if (atMs === undefined)
      throw new Unreadable(`TRIGGER "${written}" is neither a duration nor a time in UTC`);
    return [{ atMs, ...known }];
  }
  const related = trigger.parameter('RELATED')?.toUpperCase() === 'END' ? { fromEnd: true as const } : {};
  const offset = signed(written);
  const repeats = Math.min(Number.parseInt(one('REPEAT')?.value ?? '0', 10) || 0, 4);
  const pause = repeats > 0 && one('DURATION') ? readDuration(one('DURATION')!.value) : undefined;
  return Array.from({ length: pause === undefined ? 1 : repeats + 1 }, (_, index) => ({
    offset: {
      days: offset.days + index * (pause?.days ?? 0),
      seconds: offset.seconds + index * (pause?.seconds ?? 0),
    },
    ...related,
    ...known,
  }));
}

/** Days are calendar days and follow the clock; hours are exact. */
function signed(written: string): Duration {
  const { days, seconds } = readDuration(written.replace(/^-/, ''));
  // Adding zero turns -0 into 0.
  return written.startsWith('-') ? { days: -days + 0, seconds: -seconds + 0 } : { days, seconds };
}

function instant(written: string): number | undefined {
  let time: CalendarTime;
  try {
    time = readTime(written);
  } catch {
    return undefined;
  }
  return time.wall.length === 10 ? undefined : Date.parse(`${time.wall}Z`);
}
