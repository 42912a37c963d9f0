import type { Chrono, ParsedResult } from 'chrono-node/en';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { type Language, spellOut } from './spoken-time.ts';
import { offsetsIn, wallOf } from './zone.ts';

// Times as people say them: "in 10 minutes", "friday 18:00", "tonight at 8". The library reads the words; everything that it
// reads only in part, guesses or gets wrong is refused here. It knows no time zones, so it is given the local time as if it
// were UTC, and its result is local time.

const languages: Readonly<Record<Language, () => Promise<{ readonly casual: Pick<Chrono, 'parse'> }>>> = {
  en: () => import('chrono-node/en'),
  de: () => import('chrono-node/de'),
  fr: () => import('chrono-node/fr'),
  es: () => import('chrono-node/es'),
};

/** Words that belong to a time and that the library leaves out of what it read. */
const fillers = /^(?:\s|,|\b(?:at|on|the|um|am|den|dem|à|le|la|el|al?|a las|uhr|o'clock)\b)*$/i;
const dayParts =
  /(?<!\p{L})(morning|afternoon|evening|tonight|night|noon|midday|früh|morgens|vormittags?|nachmittags?|abends?|nachts?|mittags?|matin|après-midi|soir|nuit|midi|tarde|noche|mediodía|(?:de|por|en) la mañana)(?!\p{L})/iu;
const midnight = /(?<!\p{L})(?:midnight|mitternacht|minuit|medianoche)(?!\p{L})/u;
/** `18:00`, `9.30`, `9h30`, `9 Uhr` and `9h` are times of a 24-hour clock. */
const clockTime = /\b\d{1,2}(?:[:.h]\d{2}\b|\s?(?:uhr|h)\b)/i;
const nextDay = /\b(next|nächste[nr]?|kommende[nr]?|prochaine?|próxim[oa])\b/i;
const numericDate = /\b\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?(?!\d|\s?uhr)/i;
const lastOne =
  /(?<!\p{L})(?:last|letzte[nrs]?|vergangene[nrs]?) (?!day)|(?<!\p{L})(?:derni(?:er|ère)|passée?|pasad[oa])(?!\p{L})/u;
const vague = /(?<!\p{L})(?:few|several|some|paar|einige[nr]?|quelques|un[oa]s|algun[oa]s)(?!\p{L})/u;
/** A longer time than a day. Its first day, or the same day of the next one, would be a guess. */
const longTime =
  /(?<!\p{L})(?:(?:next|this|nächste[nrs]?|diese[nrs]?|prochaine?|cette|próxim[oa]|esta?) )?(?:weekend|wochenende|week-end|fin de semana)(?!\p{L})|(?<!\p{L})(?:next|this|nächste[nrs]?|diese[nrs]?|cette|próxim[oa]|esta?) (?:week|month|year|woche|monat|jahr|semaine|mois|année|semana|mes|año)(?!\p{L})|(?<!\p{L})(?:semaine|mois|année|an) prochaine?(?!\p{L})/u;

export interface TimeInWords {
  /** `2026-03-01T09:30` in local time, `2026-03-01T08:30:00Z` for an exact distance, or `2026-03-01` for a day. */
  readonly iso: string;
  /** False if only a day was named. */
  readonly hasTime: boolean;
}

/**
 * Reads a time in words. A time of day without a day, such as `18:00`, and a weekday are the next ones after `afterMs`. Throws a `Failure`
 * that says what was understood if the time is ambiguous, past or unknown.
 */
export async function readTimeWords(
  written: string,
  zone: string,
  nowMs: number,
  locale = 'en',
  afterMs = nowMs,
  mayBePast = false,
): Promise<TimeInWords> {
  const own = locale.toLowerCase().split('-')[0] as Language;
  const order = [...new Set([own, ...(Object.keys(languages) as Language[])])].filter(
    (name) => name in languages,
  );
  for (const language of order) {
    const read = await readIn(language, written, zone, nowMs, afterMs, mayBePast);
    if (read !== undefined) return read;
  }
  throw refuse(written, 'is not a time that is understood');
}

/** Returns undefined if the phrase is not in this language. */
async function readIn(
  language: Language,
  written: string,
  zone: string,
  nowMs: number,
  afterMs: number,
  mayBePast: boolean,
): Promise<TimeInWords | undefined> {
  const lower = written.trim().toLowerCase().slice(0, 200);
  const { text, isSpoken } = spellOut(withMidnight(written, lower), language);
  const nowWall = wallOf(nowMs, offsetsIn(zone));
  const { casual } = await languages[language]();
  const reference = { instant: new Date(nowWall), timezone: 0 };
  const results: readonly ParsedResult[] = casual.parse(text, reference, { forwardDate: true });
  const [result] = results;
  if (result === undefined) return undefined;
  const rest = `${text.slice(0, result.index)} ${text.slice(result.index + result.text.length)}`;
  if (results.length > 1 || !fillers.test(rest)) return undefined;
  if (result.end) throw unclear(written, 'names a range; give one time');
  if (numericDate.test(text)) throw unclear(written, 'has a day and a month whose order is unclear');
  if (vague.test(text)) throw unclear(written, 'gives no exact time');
  const [, hours] = /^(\d{1,2}) ?h$/.exec(text) ?? [];
  if (hours !== undefined) throw unclear(written, `can be ${hours}:00 or in ${hours} hours`);
  const { start } = result;
  const tags = result.tags();
  const isDistance = tags.has('result/relativeDateAndTime') || tags.has('casualReference/now');
  if (start.isCertain('timezoneOffset') && !isDistance)
    throw unclear(written, 'names a time zone; give it in timezone instead');
  const wall = Math.floor(result.date().getTime() / 60_000) * 60_000;
  // From Monday "to friday" is the Friday after that Monday.
  const isOpen =
    !start.isCertain('weekday') || wall < Math.floor(wallOf(afterMs, offsetsIn(zone)) / dayMs) * dayMs;
  if (afterMs !== nowMs && !isDistance && !start.isCertain('day') && isOpen)
    return readIn(language, written, zone, afterMs, afterMs, mayBePast);
  // An hour of elapsed time is an hour also if the clocks change in between.
  if (isDistance)
    return distant(written, nowMs + result.date().getTime() - nowWall, mayBePast ? undefined : nowMs);
  refuseUnclearDay(written, text, start, wall, nowWall);
  const day = new Date(wall).toISOString().slice(0, 10);
  if (!start.isCertain('hour')) {
    if (!mayBePast && Math.floor(wall / dayMs) < Math.floor(nowWall / dayMs))
      throw unclear(written, `is past (${day})`);
    if (dayParts.test(text)) throw withoutTime(written);
    return { iso: day, hasTime: false };
  }
  const hour = start.get('hour')!;
  const is24Hour = (clockTime.test(text) && !isSpoken) || start.isCertain('meridiem') || dayParts.test(text);
  if (!is24Hour && (hour < 7 || hour > 12)) {
    const [early, late] = [wall, wall + dayMs / 2].map((ms) => new Date(ms).toISOString().slice(11, 16));
    throw unclear(written, `can be ${early} or ${late} on ${day}`);
  }
  if (wall <= nowWall && !mayBePast)
    throw unclear(written, `is past (${new Date(wall).toISOString().slice(0, 16)} in ${zone})`);
  return { iso: new Date(wall).toISOString().slice(0, 16), hasTime: true };
}

/** Midnight alone is the next one. That of a day can be its first or its last minute. */
function withMidnight(written: string, text: string): string {
  if (!midnight.test(text)) return text;
  if (!fillers.test(text.replace(midnight, ' ').replace(/\btonight\b/, ' ')))
    throw unclear(written, 'can be the start or the end of that day; give 00:01 or 23:59');
  return '00:00';
}

const dayMs = 86_400_000;

/** A distance from now. With `afterMs`, it has to be in the future. */
function distant(written: string, ms: number, afterMs: number | undefined): TimeInWords {
  if (afterMs !== undefined && ms <= afterMs) throw unclear(written, 'is past');
  return { iso: new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z'), hasTime: true };
}

/** Refuses what the library guesses, and a weekday that the date is not. */
function refuseUnclearDay(
  written: string,
  text: string,
  start: ParsedResult['start'],
  wall: number,
  nowWall: number,
): void {
  const namesWeekday = start.isCertain('weekday');
  if (lastOne.test(text)) throw unclear(written, 'is past');
  const guesses = longTime.test(text) && (!namesWeekday || /weekend|wochenende|fin de/.test(text));
  const isMonth = start.isCertain('month') && !start.isCertain('day');
  if (guesses || isMonth) throw unclear(written, 'names no day');
  const date = new Date(wall);
  if (namesWeekday && start.isCertain('day') && start.get('weekday') !== date.getUTCDay()) {
    const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(date);
    throw unclear(written, `has another weekday: ${date.toISOString().slice(0, 10)} is a ${weekday}`);
  }
  refuseOtherWeek(written, text, namesWeekday, wall, nowWall);
}

/** On a Wednesday, "next friday" can be in two days or in nine. "Next monday" cannot. */
function refuseOtherWeek(
  written: string,
  text: string,
  namesWeekday: boolean,
  wall: number,
  nowWall: number,
): void {
  if (!namesWeekday || !nextDay.test(text)) return;
  const monday = (ms: number) => Math.floor((Math.floor(ms / dayMs) + 3) / 7);
  const coming = wall - Math.floor((wall - nowWall) / (7 * dayMs)) * 7 * dayMs;
  if (monday(coming) !== monday(nowWall)) return;
  const [first, second] = [coming, coming + 7 * dayMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  throw unclear(written, `can be ${first} or ${second}`);
}

/** A refusal of a part of a day, with an example. Its words are no time, so the example replaces them. */
export function withoutTime(written: string): Failure {
  const parts =
    /(?<!\p{L})(?:this |in the |cet? |cette |esta )?(morning|noon|afternoon|evening|tonight|night|früh|vormittag|nachmittag|abend|matin|après-midi|soir|tarde|noche)(?!\p{L})/iu;
  const [found, part = 'morning'] = parts.exec(written) ?? [];
  const isLate = !/^(?:morning|früh|vormittag|matin)$/i.test(part);
  const time = /^noon$/i.test(part)
    ? '12:00'
    : /noon|nachmittag|midi|tarde/i.test(part)
      ? '15:00'
      : isLate
        ? '20:00'
        : '09:00';
  const day = written.replace(found ?? '', '').trim();
  return unclear(
    written,
    `says no time of day. Say, for example, "${day === '' ? 'today' : day} ${time}"`,
    '',
  );
}

/** A time that is understood, but cannot be taken. */
function unclear(written: string, problem: string, examples?: string): Failure {
  return refuse(written, problem, examples, { understood: true });
}

function refuse(
  written: string,
  problem: string,
  examples = ` Write, for example, "tomorrow 18:00", "friday 15:30", "in 10 minutes" or ${new Date().getFullYear() + 1}-03-01T18:00.`,
  data: JsonObject = {},
): Failure {
  return new Failure('invalid-params', `"${written}" ${problem}.${examples}`, { data });
}
