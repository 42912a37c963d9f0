import { Failure } from '../failure.ts';
import { instantOf, offsetsIn, wallOf } from './zone.ts';

// Recurrences as people say them, such as "every weekday at 7" or "every 2 weeks on friday at 10:00". Words of other languages
// are replaced by the English ones, and one grammar reads the result. What is not read completely is refused.

export interface RecurrenceInWords {
  /** A recurrence rule without its start, such as `FREQ=WEEKLY;BYDAY=MO`. */
  readonly rule: string;
  /** `07:00`, if a time of day was given. */
  readonly time?: string;
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const codes = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const months = 'january february march april may june july august september october november december'.split(
  ' ',
);

/** Other spellings and languages, in the order of the English words. */
const otherDays = [
  'sun sonntag dimanche domingo',
  'mon montag lundi lunes',
  'tue tues dienstag mardi martes',
  'wed mittwoch mercredi miércoles',
  'thu thur thurs donnerstag jeudi jueves',
  'fri freitag vendredi viernes',
  'sat samstag sonnabend samedi sábado',
];
const otherMonths = [
  'jan januar janvier enero',
  'feb februar février febrero',
  'mar märz mars marzo',
  'apr avril abril',
  'mai mayo',
  'jun juni juin junio',
  'jul juli juillet julio',
  'aug août agosto',
  'sep sept septembre septiembre',
  'oct oktober octobre octubre',
  'nov novembre noviembre',
  'dec dezember décembre diciembre',
];

const words: readonly (readonly [string, string])[] = [
  ['werktags|wochentags|weekdays|jours ouvrables|en semana|días laborables', 'every weekday'],
  ['täglich|daily|quotidiennement|diariamente', 'every day'],
  ['wöchentlich|weekly|hebdomadairement|semanalmente', 'every week'],
  ['monatlich|monthly|mensuellement|mensualmente', 'every month'],
  ['jährlich|yearly|annually|annuellement|anualmente', 'every year'],
  ['stündlich|hourly', 'every hour'],
  ['tous les|toutes les|todos los|todas las|jede[nrsm]?|alle|chaque|cada|each', 'every'],
  ['werktage?|wochentage?', 'weekday'],
  ['wochenenden?|weekends|week-ends?|fines? de semana', 'weekend'],
  ['tag(?:e|en)?|jours?|días?|days', 'day'],
  ['wochen?|semaines?|semanas?|weeks', 'week'],
  ['monate?n?|mois|mes(?:es)?|months', 'month'],
  ['jahre?n?|ans?|années?|años?|years', 'year'],
  ['stunden?|heures?|horas?|hours', 'hour'],
  ['minuten?|minutos?|minutes', 'minute'],
  ['um|à|a las', 'at'],
  ['und|et|y|,', 'and'],
  ['letzte[nr]?|dernière?|últim[oa]', 'last'],
  ['erste[nr]?|premi(?:er|ère)|primer[oa]?|1st', 'first'],
  ['zweite[nr]?|deuxième|segund[oa]|2nd', 'second'],
  ['dritte[nr]?|troisième|tercer[oa]?|3rd', 'third'],
  ['vierte[nr]?|quatrième|cuart[oa]|4th', 'fourth'],
  ['other', '2'],
  ['am|den|der|des|dem|im|le|la|el|du|de|del|the|on|of|uhr|o.clock', ''],
];

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const places = { first: 1, second: 2, third: 3, fourth: 4, last: -1 } as const;
const units = {
  minute: 'MINUTELY',
  hour: 'HOURLY',
  day: 'DAILY',
  week: 'WEEKLY',
  month: 'MONTHLY',
  year: 'YEARLY',
} as const;

/** True if the text begins like a recurrence, so that it is not read as a time. */
export function isRecurrence(written: string): boolean {
  return /^(every|weekdays?\b)/.test(normalize(written));
}

/** Reads a recurrence. Throws a `Failure` with examples if it is not understood. */
export function readRecurrence(written: string): RecurrenceInWords {
  const { rest, time } = takeTime(normalize(written), written);
  const rule = readRule(rest.replace(/^every /, ''));
  if (rule === undefined || !rest.startsWith('every '))
    throw refuse(written, 'is not a recurrence that is understood');
  return { rule, ...(time !== undefined && { time }) };
}

function normalize(written: string): string {
  const lower = ` ${written.trim().toLowerCase().slice(0, 200).replaceAll(',', ' , ')} `;
  const named = [otherDays, otherMonths].reduce(
    (text, lists, index) =>
      lists.reduce((all, spellings, at) => {
        const english = (index === 0 ? days : months)[at]!;
        const pattern = [english, ...spellings.split(' ')].join('|');
        // "montags" and "mondays" mean every one of them.
        return all.replaceAll(new RegExp(`(?<= )(?:${pattern})(s?)(?= )`, 'g'), (_, plural) =>
          plural && index === 0 ? `every ${english}` : english,
        );
      }, text),
    lower,
  );
  const english = words.reduce(
    (text, [pattern, word]) => text.replaceAll(new RegExp(`(?<= )(?:${pattern})(?= )`, 'g'), word),
    named,
  );
  return english
    .replace(/(?<= )(\d{1,2})(?:st|nd|rd|th|er|\.)(?= )/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/(?<=and )every /g, '')
    .replace(/^every (?:every )+/, 'every ');
}

/** Takes the time of day off the end. A bare hour from 7 to 12 is one of the morning; others are refused. */
function takeTime(text: string, written: string): { readonly rest: string; readonly time?: string } {
  const found = / (?:at )?(?:(\d{1,2})(?:[:.h](\d\d))? ?(am|pm|h)?|(noon|midnight))$/.exec(text);
  const [matched, hour = '', minute, half, word] = found ?? [];
  const isTime =
    word !== undefined || minute !== undefined || half !== undefined || matched?.startsWith(' at ');
  if (matched === undefined || !isTime) return { rest: text };
  const rest = text.slice(0, -matched.length);
  if (word !== undefined) return { rest, time: word === 'noon' ? '12:00' : '00:00' };
  const value = Number(hour);
  const is12Hour = half === 'am' || half === 'pm';
  if (value > (is12Hour ? 12 : 23) || Number(minute ?? 0) > 59)
    throw refuse(written, 'has no valid time of day');
  if (!is12Hour && minute === undefined && half === undefined && value > 0 && value < 7)
    throw refuse(written, `can be ${value}:00 or ${value + 12}:00`);
  const hours = is12Hour ? (value % 12) + (half === 'pm' ? 12 : 0) : value;
  return { rest, time: `${String(hours).padStart(2, '0')}:${minute ?? '00'}` };
}

function readRule(text: string): string | undefined {
  const dayList = (list: string) => {
    const names = list.split(/ (?:and )+|(?: and)+ /).filter((name) => name !== '');
    const found = names.map((name) => codes[days.indexOf(name)]);
    return found.length > 0 && !found.includes(undefined) ? found.join(',') : undefined;
  };
  if (text === 'weekday') return 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR';
  if (text === 'weekend') return 'FREQ=WEEKLY;BYDAY=SA,SU';
  const weekly = dayList(text);
  if (weekly !== undefined) return `FREQ=WEEKLY;BYDAY=${weekly}`;
  // "every other friday".
  const [, weeks, weekday = ''] = /^(\d{1,2}) (\S+)$/.exec(text) ?? [];
  const onDay = Number(weeks) > 0 ? dayList(weekday) : undefined;
  if (onDay !== undefined) return `FREQ=WEEKLY;INTERVAL=${Number(weeks)};BYDAY=${onDay}`;
  const [, every = '1', unit, rest = ''] =
    /^(?:(\S+) )?(minute|hour|day|week|month|year)(?: (.+))?$/.exec(text) ?? [];
  if (unit !== undefined) {
    const interval = /^\d{1,3}$/.test(every) ? Number(every) : numbers.indexOf(every) + 1;
    if (interval < 1) return undefined;
    const base = `FREQ=${units[unit as keyof typeof units]}${interval === 1 ? '' : `;INTERVAL=${interval}`}`;
    if (rest === '') return base;
    const on = unit === 'week' ? dayList(rest) : undefined;
    if (on !== undefined) return `${base};BYDAY=${on}`;
    const date = unit === 'month' ? monthDay(rest) : unit === 'year' ? yearDay(rest) : undefined;
    return date && `${base};${date}`;
  }
  const [, place, day, ofMonth] = /^(first|second|third|fourth|last) (\S+)( month)?$/.exec(text) ?? [];
  if (place !== undefined) {
    if (day === 'day') return ofMonth && `FREQ=MONTHLY;BYMONTHDAY=${places[place as keyof typeof places]}`;
    const code = codes[days.indexOf(day!)];
    return code && `FREQ=MONTHLY;BYDAY=${places[place as keyof typeof places]}${code}`;
  }
  const [, date, end] = /^(\d{1,2})( month)?$/.exec(text) ?? [];
  if (date !== undefined) return end && monthDay(date) && `FREQ=MONTHLY;${monthDay(date)}`;
  const inYear = yearDay(text);
  return inYear && `FREQ=YEARLY;${inYear}`;
}

function monthDay(text: string): string | undefined {
  const words = { first: '1', second: '2', third: '3', fourth: '4', last: '-1' } as const;
  const day = Number(words[text.replace(/ day$/, '') as keyof typeof words] ?? text);
  return Number.isInteger(day) && day !== 0 && day >= -1 && day <= 31 ? `BYMONTHDAY=${day}` : undefined;
}

function yearDay(text: string): string | undefined {
  const [, day, name] = /^(\d{1,2}) (\S+)$/.exec(text.replace(/^(\D\S+) (\d{1,2})$/, '$2 $1')) ?? [];
  const month = months.indexOf(name ?? '') + 1;
  return month > 0 && Number(day) >= 1 && Number(day) <= 31
    ? `BYMONTH=${month};BYMONTHDAY=${Number(day)}`
    : undefined;
}

/** True if a rule of `readRecurrence` has an occurrence on this day, `2026-03-01`, apart from its interval. */
export function fallsOn(rule: string, day: string): boolean {
  const part = (name: string) => new RegExp(`(?:^|;)${name}=([^;]+)`).exec(rule)?.[1];
  const date = new Date(`${day}T00:00Z`);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const [byDay, byMonthDay, byMonth] = [part('BYDAY'), part('BYMONTHDAY'), part('BYMONTH')];
  const of = date.getUTCDate();
  if (byMonth !== undefined && Number(byMonth) !== date.getUTCMonth() + 1) return false;
  if (byMonthDay !== undefined) return Number(byMonthDay) === of || Number(byMonthDay) === of - last - 1;
  return (
    byDay?.split(',').some((one) => {
      const [, place = '', code] = /^(-?\d*)(\w\w)$/.exec(one) ?? [];
      if (code !== codes[date.getUTCDay()]) return false;
      return place === '' || (place === '-1' ? of > last - 7 : Math.ceil(of / 7) === Number(place));
    }) ?? true
  );
}

/** The first local time after now, `2026-03-01T07:00`, at which a rule of `readRecurrence` occurs. Undefined if the next two years have none. */
export function firstStart(rule: string, time: string, zone: string, nowMs: number): string | undefined {
  const dayMs = 86_400_000;
  const offsets = offsetsIn(zone);
  const today = Math.floor(wallOf(nowMs, offsets) / dayMs) * dayMs;
  for (let day = today; day < today + 800 * dayMs; day += dayMs) {
    const date = new Date(day).toISOString().slice(0, 10);
    const start = `${date}T${time}`;
    if (fallsOn(rule, date) && instantOf(Date.parse(`${start}Z`), offsets) > nowMs) return start;
  }
  return undefined;
}

function refuse(written: string, problem: string): Failure {
  return new Failure(
    'invalid-params',
    `"${written}" ${problem}. Write, for example, "every weekday at 07:00", "every 2 weeks on friday at 10:00", "every month on the 1st at 09:00" or an RRULE such as FREQ=DAILY.`,
  );
}
