import { Failure } from '../../failure.ts';
import { instantOf, offsetsIn, wallOf } from '../../recurrence/zone.ts';
import { singleLine } from '../../single-line.ts';
import type { Channel, User } from '../../store/schema.ts';
import { channelsCalled, reachableBy } from './channels.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** In the settings of a calendar: use its own alarms, even for events that others organize. */
export const useAlarms = 'alarms';
/** Stands for the built-in lead times of a kind or calendar. */
export const builtIn = 'default';

/**
 * When to remind, as people write it: `10m`, `2h`, `1d` or `1 week before` the start; `17:00` on the day; `1d 17:00` on the day
 * before. The name of a channel, or what people call it, may follow: `1d sms`, `1d push`. A reminder for one event may also be a
 * local time, `2026-03-01T17:00`. A `!` permits quiet hours: `1d! sms`. Times of day of one event are permitted without it.
 */
const leadPattern =
  /^(?<time>\d{1,5} ?(?:m|min|mins|minutes?|h|hours?|d|days?|w|weeks?)(?: before)?|(?:\d{1,2}d |\d{4}-\d\d-\d\dT)?(?:[01]\d|2[0-3]):[0-5]\d)(?<permit>!?)(?: (?<channel>[A-Za-z][A-Za-z -]{0,19}))?$/;

interface LeadParts {
  /** `2 hours before` as `2h`, and `1 week` as `7d`. */
  readonly time: string;
  /** It has a `!`. */
  readonly permitted: boolean;
  /** As written. */
  readonly channel?: Channel;
}

export function partsOf(lead: string): LeadParts {
  const { time, permit, channel } = leadPattern.exec(lead)!.groups!;
  const [, amount, unit] = /^(\d+) ?([mhdw])[a-z]*(?: before)?$/.exec(time!) ?? [];
  const short = unit === 'w' ? `${7 * Number(amount)}d` : `${amount}${unit}`;
  return {
    time: amount === undefined ? time! : short,
    permitted: permit === '!',
    ...(channel !== undefined && { channel }),
  };
}

/** What a lead time calls its channel. */
export function wordOfLead(lead: string): string | undefined {
  return leadPattern.exec(lead.trim())?.groups?.['channel'];
}

/** What is wrong with a lead time, or undefined. A local time is only that of one event. */
function leadProblem(lead: string, ofEvent: boolean): string | undefined {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(lead) ?? [];
  if (date !== undefined && !ofEvent) return 'only a reminder for one event can have a date';
  if (date !== undefined && Number.isNaN(Date.parse(date))) return 'there is no such day';
  if (leadPattern.test(lead)) return undefined;
  if (/\d:|:\d/.test(lead)) return 'a time of day has the form HH:MM, from 00:00 to 23:59';
  if (/^\d/.test(lead)) return 'after the number comes m, h, d or w, and then at most ! and a channel';
  return 'it begins with neither a number nor a time of day';
}

/**
 * The lead times of a person in their short form, with the names of channels in place of what people call them. Refuses those that
 * are wrong, and channels that do not exist or for which the user has no address. `of` names a setting of the user.
 */
export function readLeads(user: User, leads: readonly string[], of?: string): readonly string[] {
  return leads.map((written) => {
    const lead = written.trim();
    const isWord = lead === useAlarms ? of?.startsWith('calendar:') : lead === builtIn && leads.length === 1;
    if (of !== undefined && isWord) return lead;
    const problem = leadProblem(lead, of === undefined);
    if (problem !== undefined)
      throw new Failure(
        'invalid-params',
        `${of === undefined ? 'reminders' : `reminders.${of}`}: "${singleLine(lead, 60)}" is no lead time: ${problem}. Examples: "2h", "1d 17:00 email".`,
        {
          issues: [
            {
              path: ['reminders', ...(of === undefined ? [] : [of])],
              keyword: 'format',
              expected: 'lead time',
              message: problem,
            },
          ],
        },
      );
    const { time, permitted, channel } = partsOf(lead);
    return `${time}${permitted ? '!' : ''}${channel === undefined ? '' : ` ${demandChannel(user, channel)}`}`;
  });
}

/** The channel of a person that a word means: the name of a channel, or what people call it. */
export function demandChannel(user: User, word: string): Channel {
  const reachable = reachableBy(user);
  const meant = channelsCalled(word);
  const own = meant.find(({ name }) => reachable.includes(name));
  if (own !== undefined) return own.name;
  const has = `${user.name} has ${reachable.length === 0 ? 'no address on any channel' : reachable.join(', ')}.`;
  if (meant.length === 0) throw new Failure('invalid-params', `"${word}" is no channel. ${has}`);
  const ways = meant.map(({ label, address: { field, example } }) => {
    const way = field ? `set ${field.name}` : `add ${example} to channels`;
    return meant.length === 1 ? way : `${label} (${way})`;
  });
  throw new Failure(
    'invalid-params',
    `${user.name} has no address for ${meant.length === 1 ? meant[0]!.name : `"${word}"`}. ${has} With update_user: ${ways.join(', ')}.`,
  );
}

/** The hour of a reminder so many days before something without a time of day. */
export const hourOfDays = 9;

/** The instant of a reminder, in the user's time zone. */
export function leadTime(lead: string, startMs: number, zone: string, allDay = false): number {
  const offsets = offsetsIn(zone);
  const { time: written } = partsOf(lead);
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(written) ?? [];
  if (unit === 'm' || unit === 'h') return startMs - Number(amount) * (unit === 'h' ? 60 : 1) * minuteMs;
  const wall = wallOf(startMs, offsets);
  if (unit === 'd')
    return instantOf(wall - Number(amount) * dayMs + (allDay ? hourOfDays * 60 * minuteMs : 0), offsets);
  if (written.includes('T')) return instantOf(Date.parse(`${written}:00Z`), offsets);
  const [, days = '0', hour, minute] = /^(?:(\d+)d )?(\d\d):(\d\d)$/.exec(written)!;
  const day = Math.floor(wall / dayMs) * dayMs - Number(days) * dayMs;
  return instantOf(day + (Number(hour) * 60 + Number(minute)) * minuteMs, offsets);
}
