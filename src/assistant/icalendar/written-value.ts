import { truncate } from '../../single-line.ts';
import type { ShowAs } from '../../store/values.ts';
import type { CalendarTime, Duration } from './series.ts';
import { parameterText } from './text.ts';

/** A value in the calendar is invalid. The message says which, for the owner of the calendar. */
export class Unreadable extends Error {
  constructor(message: string) {
    // Nobody reads the stack, and a calendar can have thousands of invalid values.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Reads `20260329`, `20260329T023000` or `20260329T023000Z`; also accepts dashes and colons. */
export function readTime(value: string, zone?: string): CalendarTime {
  const [, year, month, day, hour, minute, second, utc] =
    /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)?(?:\.\d+)?(Z)?)?$/i.exec(value.trim()) ?? [];
  const date = `${year}-${month}-${day}`;
  const wall =
    hour === undefined ? date : `${date}T${hour}:${minute}:${second === '60' ? '59' : (second ?? '00')}`;
  const parsed = new Date(hour === undefined ? wall : `${wall}Z`);
  // February 30 parses and becomes March 2.
  if (Number.isNaN(parsed.getTime()) || !parsed.toISOString().startsWith(wall))
    throw new Unreadable(`"${shorten(value)}" is not a date or a time`);
  if (hour === undefined) return { wall };
  return utc !== undefined ? { wall, zone: 'UTC' } : { wall, ...(zone !== undefined && { zone }) };
}

/** Writes an instant as `20260329T023000Z`. */
export function utcText(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** Writes the line of a time. */
export function timeLine(name: string, time: CalendarTime): string {
  const { wall, zone } = time;
  const zoned = zone === undefined || zone === 'UTC' ? '' : `;TZID=${parameterText(zone)}`;
  return `${name}${wall.length === 10 ? ';VALUE=DATE' : zoned}:${timeText(time)}`;
}

/** Writes a time as a value, without the name of its zone. */
export function timeText({ wall, zone }: CalendarTime): string {
  return `${wall.replaceAll(/[-:]/g, '')}${zone === 'UTC' ? 'Z' : ''}`;
}

/** How calendars write whether an event takes up time. Outlook's property has more values than the standard one. */
export function showAsText(value: ShowAs | null): Readonly<Record<string, string | null>> {
  const statuses = { busy: 'BUSY', free: 'FREE', tentative: 'TENTATIVE', away: 'OOF' } as const;
  return {
    TRANSP: value === null ? null : value === 'free' ? 'TRANSPARENT' : 'OPAQUE',
    'X-MICROSOFT-CDO-BUSYSTATUS': value === null ? null : statuses[value],
  };
}

/** Reads `P1DT2H`, `PT30M` or `P2W`. */
export function readDuration(value: string): Duration {
  const [whole, sign, weeks, days, hours, minutes, seconds] =
    /^([+-])?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i.exec(value.trim()) ?? [];
  if (whole === undefined || !/\d/.test(whole)) throw new Unreadable(`"${shorten(value)}" is not a duration`);
  if (sign === '-') throw new Unreadable('it ends before it starts');
  const number = (digits: string | undefined) => Number(digits ?? 0);
  const duration = {
    days: number(weeks) * 7 + number(days),
    seconds: number(hours) * 3600 + number(minutes) * 60 + number(seconds),
  };
  if (duration.days > 36_600 || duration.seconds > 36_600 * 86_400)
    throw new Unreadable('it lasts longer than a century');
  return duration;
}

/** Reads `+0100` or `-003608` as seconds ahead of UTC. */
export function readOffset(value: string): number {
  const [whole, sign, hours, minutes, seconds] = /^([+-])(\d\d):?(\d\d):?(\d\d)?$/.exec(value.trim()) ?? [];
  if (whole === undefined) throw new Unreadable(`"${shorten(value)}" is not an offset from UTC`);
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
  return sign === '-' ? -total : total;
}

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  INTERVAL: [1, Number.MAX_SAFE_INTEGER],
  COUNT: [1, Number.MAX_SAFE_INTEGER],
  BYSECOND: [0, 60],
  BYMINUTE: [0, 59],
  BYHOUR: [0, 23],
  BYMONTHDAY: [-31, 31],
  BYYEARDAY: [-366, 366],
  BYWEEKNO: [-53, 53],
  BYMONTH: [1, 12],
  BYSETPOS: [-366, 366],
};
const wordings: Readonly<Record<string, RegExp>> = {
  FREQ: /^(SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  BYDAY: /^([+-]?([1-9]|[1-4]\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)$/,
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
  RSCALE: /^GREGORIAN$/,
  SKIP: /^(OMIT|BACKWARD|FORWARD)$/,
};

/** Normalizes a recurrence rule. Parts that the engine would silently ignore are errors. */
export function readRule(value: string): string {
  const parts = new Map<string, string>();
  for (const part of value.toUpperCase().replaceAll(/\s/g, '').split(';')) {
    if (part === '' || part.startsWith('X-')) continue;
    const [name = '', values = ''] = part.split('=');
    const range = ranges[name];
    const isValid = (one: string) =>
      range === undefined
        ? wordings[name]?.test(one)
        : /^[+-]?\d+$/.test(one) && Number(one) >= range[0] && Number(one) <= range[1];
    if (!values.split(',').every(isValid))
      throw new Unreadable(`the recurrence rule has an invalid part "${shorten(part)}"`);
    parts.set(name, values);
  }
  if (!parts.has('FREQ')) throw new Unreadable('the recurrence rule has no FREQ');
  if (parts.has('UNTIL')) readTime(parts.get('UNTIL')!);
  // The standard forbids COUNT together with UNTIL; the engine stops at whichever comes first.
  return [...parts].map((part) => part.join('=')).join(';');
}

export function shorten(text: string): string {
  return truncate(text, 60);
}
