import { Failure } from '../failure.ts';
import { withDigits } from './spoken-time.ts';
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

/** The index of the month with this name, such as `june` or `Juni`. */
export function monthNamed(name: string): number | undefined {
  const index = months.findIndex((month, at) => [month, ...otherMonths[at]!.split(' ')].includes(name));
  return index < 0 ? undefined : index;
}

const words: readonly (readonly [string, string])[] = [
  ['jeden (?:morgen|vormittag)|(?:tous les|chaque) matins?|(?:cada|todas las) mañanas?', 'every day morning'],
  ['jeden nachmittag|(?:tous les|chaque) après-midi|todas las tardes|cada tarde', 'every day afternoon'],
  ['jeden abend|(?:tous les|chaque) soirs?|todas las noches|cada noche', 'every day evening'],
  ['morgens|früh|du matin|(?:por|de) la mañana|in the morning|mornings?', 'morning'],
  ['nachmittags?|de l.après-midi|(?:por|de) la tarde|in the afternoon|afternoons?', 'afternoon'],
  ['abends?|du soir|(?:por|de) la noche|in the evening|evenings?|at night|nights?', 'evening'],
  ['fortnightly|every fortnight', 'every 2 week'],
  ['work(?:ing )?days?|business days?', 'weekday'],
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
  ['monat(?:en?|s)?|mois|mes(?:es)?|months', 'month'],
  ['jahre?n?|ans?|années?|años?|years', 'year'],
  ['stunden?|heures?|horas?|hours', 'hour'],
  ['minuten?|minutos?|minutes', 'minute'],
  ['um|à|a las', 'at'],
  ['und|et|y|,', 'and'],
  ['letzte[nr]?|derni(?:er|ère)|últim[oa]', 'last'],
  ['erste[nr]?|premi(?:er|ère)|primer[oa]?|first', '#1'],
  ['zweite[nrs]?|deuxième|segund[oa]|second', '#2'],
  ['dritte[nrs]?|troisième|tercer[oa]?|third', '#3'],
  ['vierte[nrs]?|quatrième|cuart[oa]|fourth', '#4'],
  ['other', '2'],
  ['im|des|du|del|of', 'of'],
  ['am|den|der|dem|les?|la|los|el|de|the|on|uhr|o.clock', ''],
];

const day = `(?:${days.join('|')})`;
const ordinals = ['first', 'second', 'third', 'fourth'];
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
export function readRecurrence(written: string, zone: string): RecurrenceInWords {
  const { rest: endless, limit } = takeLimit(normalize(written), zone);
  const { rest, time } = takeTime(endless, written);
  const rule = readRule(rest.replace(/^every /, ''), written);
  const limited = rule === undefined ? undefined : limit(rule);
  if (limited === undefined || !rest.startsWith('every '))
    throw refuse(written, 'is not a recurrence that is understood');
  return { rule: limited, ...(time !== undefined && { time }) };
}

interface Limited {
  readonly rest: string;
  /** Adds the end to a rule. Undefined if the rule does not say how many dates it has in that time. */
  readonly limit: (rule: string) => string | undefined;
}

/** Takes the end of a series out of the text: "for 10 days", "10 times", "until 2026-12-24". */
function takeLimit(text: string, zone: string): Limited {
  const found =
    /(?: and)?(?: (?:for|für|pendant|durante))? (\d{1,3}) (times|mal|fois|veces|day|week|month|year)$|(?: and)? (?:until|till|bis|jusqu.au|hasta) (\d{4}-\d\d-\d\d)$/.exec(
      text.replace(/(.*)( (?:for|für|pendant|durante) \d{1,3} (?:day|week|month|year))\b(.*)/, '$1$3$2'),
    );
  const [matched, count, unit, until] = found ?? [];
  if (
    matched === undefined ||
    (unit !== undefined && unit in units && !/ (?:for|für|pendant|durante) /.test(matched))
  )
    return { rest: text, limit: (rule) => rule };
  const rest = found!.input.slice(0, -matched.length).trim();
  if (until !== undefined) {
    const lastMs = Date.parse(`${until}T23:59:59Z`);
    const end = Number.isNaN(lastMs) ? undefined : new Date(instantOf(lastMs, offsetsIn(zone))).toISOString();
    return { rest, limit: (rule) => end && `${rule};UNTIL=${end.slice(0, 19).replaceAll(/[-:]/g, '')}Z` };
  }
  return {
    rest,
    limit: (rule) => {
      const each = unit! in units ? datesIn(unit as keyof typeof units, rule) : 1;
      return each === undefined ? undefined : `${rule};COUNT=${Number(count) * each}`;
    },
  };
}

/** How many dates a rule has in a week, a month and so on. */
function datesIn(unit: keyof typeof units, rule: string): number | undefined {
  if (rule.includes('INTERVAL=')) return undefined;
  if (rule.startsWith(`FREQ=${units[unit]}`) && unit !== 'week') return 1;
  if (unit !== 'week') return undefined;
  if (rule === 'FREQ=DAILY') return 7;
  return rule.startsWith('FREQ=WEEKLY') ? rule.split(',').length : undefined;
}

/** Lower-case English: `every`, what it repeats, and the time. Ordinals are written as `#2`. */
function normalize(written: string): string {
  const lower = ` ${written.trim().toLowerCase().slice(0, 200).replaceAll(',', ' , ')} `;
  const parted = lower.replaceAll(
    /(?<=\p{L}{3})[-–/](?=\p{L}{3})(?!ends?\b|midi\b|huit\b|neuf\b|sept\b)/gu,
    (sign) => (sign === '/' ? ' and ' : ' to '),
  );
  const named = [otherDays, otherMonths].reduce(
    (text, lists, index) =>
      lists.reduce((all, spellings, at) => {
        const english = (index === 0 ? days : months)[at]!;
        const pattern = [english, ...spellings.split(' ')].join('|');
        // "montags", "mondays" and "los lunes" mean every one of them.
        return all.replaceAll(
          new RegExp(`(?<= )(?<!tous |todos )(los |les )?(?:${pattern})(s?)(?= )`, 'g'),
          (_, each: string | undefined, plural: string) =>
            index === 0 && (each ?? plural) ? `every ${english}` : english,
        );
      }, text),
    parted,
  );
  const digits = (['en', 'de', 'fr', 'es'] as const).reduce(
    (text, language) => withDigits(text, language),
    named,
  );
  const english = words.reduce(
    (text, [pattern, word]) => text.replaceAll(new RegExp(`(?<= )(?:${pattern})(?= )`, 'g'), word),
    digits.replaceAll(/(?<= )(\d{1,2})(?:st|nd|rd|th|er|\.)(?= )/g, '#$1'),
  );
  return (
    daysBetween(english)
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replaceAll(/(?<=and )every /g, '')
      .replace(/^every (?:every )+/, 'every ')
      .replace(/^every(?= (?:morning|afternoon|evening)\b)/, 'every day')
      // "the 15th of every month", "the first monday of every month".
      .replace(new RegExp(`^(#\\d+|last)( ${day}| day)? (?:of )?every month`), 'every $1$2 of month')
      // "at 7 every day".
      .replace(/^(?:at )?(\d{1,2}(?:[:.h]\d\d)? ?(?:am|pm|h)?|noon|midnight) (every .*)$/, '$2 at $1')
  );
}

/** "monday to friday" as the days themselves. */
function daysBetween(text: string): string {
  const range = new RegExp(
    `(?:from |von |of )?(?:every )?(${day}) +(?:to|through|until|bis|au|a) +(?:every )?(${day})`,
  );
  return text.replace(range, (_, first: string, last: string) => {
    const from = days.indexOf(first);
    const count = ((days.indexOf(last) - from + 7) % 7) + 1;
    const list = Array.from({ length: count }, (_unused, index) => days[(from + index) % 7]);
    return `every ${list.join(' and ')}`;
  });
}

/** Takes the time of day off the end. A bare hour from 7 to 12 is one of the morning; others need a part of the day. */
function takeTime(text: string, written: string): { readonly rest: string; readonly time?: string } {
  const part = / (morning|afternoon|evening)\b/.exec(text)?.[1];
  const whole = part === undefined ? text : text.replace(` ${part}`, '');
  const found = / (?:at )?(?:(\d{1,2})(?:[:.h](\d\d))? ?(am|pm|h)?|(noon|midnight))$/.exec(whole);
  const [matched, hour = '', minute, half, word] = found ?? [];
  const isTime =
    word !== undefined || minute !== undefined || half !== undefined || matched?.startsWith(' at ');
  if (matched === undefined || !isTime) {
    if (part !== undefined) throw refuse(written, 'says no time of day');
    return { rest: whole };
  }
  const rest = whole.slice(0, -matched.length);
  if (word !== undefined) return { rest, time: word === 'noon' ? '12:00' : '00:00' };
  const value = Number(hour);
  const is12Hour = half === 'am' || half === 'pm';
  if (value > (is12Hour ? 12 : 23) || Number(minute ?? 0) > 59)
    throw refuse(written, 'has no valid time of day');
  const isLate =
    half === 'pm' || (half !== 'am' && value < 12 && (part === 'afternoon' || part === 'evening'));
  if (part === 'morning' ? value > 11 || half === 'pm' : part !== undefined && (half === 'am' || value === 0))
    throw refuse(written, `names a time that is not in the ${part}`);
  if (!is12Hour && part === undefined && minute === undefined && half === undefined && value > 0 && value < 7)
    throw refuse(written, `can be ${value}:00 or ${value + 12}:00`);
  const hours = (is12Hour ? value % 12 : value) + (isLate ? 12 : 0);
  return { rest, time: `${String(hours).padStart(2, '0')}:${minute ?? '00'}` };
}

function readRule(text: string, written: string): string | undefined {
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
  const place = readPlace(text, written);
  if (place !== undefined) return place;
  // "every 2nd day" is every other day.
  const [, every = '1', unit, rest = ''] =
    /^(?:#?(\d{1,3}) )?(minute|hour|day|week|month|year)(?: (?:of )?(.+))?$/.exec(text) ?? [];
  if (unit !== undefined) {
    const interval = Number(every);
    if (interval < 1) return undefined;
    const base = `FREQ=${units[unit as keyof typeof units]}${interval === 1 ? '' : `;INTERVAL=${interval}`}`;
    if (rest === '') return base;
    const on = unit === 'week' ? dayList(rest.replace(/^every /, '')) : undefined;
    if (on !== undefined) return `${base};BYDAY=${on}`;
    const date = unit === 'month' ? monthDay(rest) : unit === 'year' ? yearDay(rest) : undefined;
    return date && `${base};${date}`;
  }
  const inYear = yearDay(text);
  return inYear && `FREQ=YEARLY;${inYear}`;
}

/** A place in the month, such as `#2 friday of month` or `last day of month`. */
function readPlace(text: string, written: string): string | undefined {
  const [, place, what, ofMonth] = /^(#\d{1,2}|last)(?: (day|[a-z]+day))?( (?:of )?month)?$/.exec(text) ?? [];
  if (place === undefined) return undefined;
  const at = place === 'last' ? -1 : Number(place.slice(1));
  const code = codes[days.indexOf(what ?? '')];
  if (code !== undefined) {
    if (ofMonth === undefined && at > 1)
      throw refuse(
        written,
        `can be every ${at} weeks, or one day of each month`,
        `Write "every ${at} weeks on ${what}" or "every ${ordinals[at - 1] ?? `${at}th`} ${what} of the month"`,
      );
    return at <= 4 ? `FREQ=MONTHLY;BYDAY=${at}${code}` : undefined;
  }
  // "every 2nd month" and "every 2nd day" are intervals.
  if (what === 'day' ? ofMonth === undefined : ofMonth !== undefined && !ofMonth.startsWith(' of'))
    return undefined;
  return at <= 31 ? `FREQ=MONTHLY;BYMONTHDAY=${at}` : undefined;
}

function monthDay(text: string): string | undefined {
  const [, date, place] = /^(?:#?(\d{1,2})|(last))(?: day)?$/.exec(text) ?? [];
  const day = place === undefined ? Number(date) : -1;
  return Number.isInteger(day) && day !== 0 && day <= 31 ? `BYMONTHDAY=${day}` : undefined;
}

function yearDay(text: string): string | undefined {
  const plain = text.replaceAll('#', '').replace(' of ', ' ');
  const [, day, name] = /^(\d{1,2}) (\S+)$/.exec(plain.replace(/^(\D\S+) (\d{1,2})$/, '$2 $1')) ?? [];
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

function refuse(
  written: string,
  problem: string,
  examples = 'Write, for example, "every weekday at 07:00", "every 2 weeks on friday at 10:00", "every month on the 1st at 09:00", "every day for 10 days", "every monday until 2027-03-01" or an RRULE such as FREQ=DAILY',
): Failure {
  return new Failure('invalid-params', `"${written}" ${problem}. ${examples}.`);
}
