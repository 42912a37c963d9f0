import type { ParsedResult } from 'chrono-node/en';
import { Failure } from '../failure.ts';
import { offsetsIn, wallOf } from './zone.ts';

// Times as people say them: "in 10 minutes", "friday 18:00", "tonight at 8". The library reads the words; everything that it
// reads only in part, guesses or gets wrong is refused here. It knows no time zones, so it is given the local time as if it
// were UTC, and its result is local time.

const languages = {
  en: () => import('chrono-node/en'),
  de: () => import('chrono-node/de'),
  fr: () => import('chrono-node/fr'),
  es: () => import('chrono-node/es'),
} as const;
type Language = keyof typeof languages;

/** Phrases of which the library would read only a part. */
const spellings: Readonly<Record<Language, readonly (readonly [RegExp, string])[]>> = {
  en: [[/\b(the )?day after tomorrow\b/g, 'in 2 days']],
  de: [],
  fr: [[/\baprès[- ]demain\b/g, 'dans 2 jours']],
  es: [[/\bpasado mañana\b/g, 'en 2 días']],
};

/** Words that belong to a time and that the library leaves out of what it read. */
const fillers = /^(?:\s|,|\b(?:at|on|the|um|am|den|dem|à|le|la|el|a las|uhr|o'clock)\b)*$/i;
const dayParts =
  /\b(morning|afternoon|evening|tonight|night|noon|midnight|midday|morgens|vormittags?|nachmittags?|abends?|nachts?|mittags?|mitternacht|matin|après-midi|soir|nuit|midi|minuit|tarde|noche|mediodía|medianoche|de la mañana)\b/i;
/** `18:00`, `9.30`, `9h30`, `9 Uhr` and `9h` are times of a 24-hour clock. */
const clockTime = /\b\d{1,2}(?:[:.h]\d{2}\b|\s?(?:uhr|h)\b)/i;
const nextDay = /\b(next|nächste[nr]?|kommende[nr]?|prochaine?|próxim[oa])\b/i;
const numericDate = /\b\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?(?!\d|\s?uhr)/i;

export interface TimeInWords {
  /** `2026-03-01T09:30` in local time, `2026-03-01T08:30:00Z` for an exact distance, or `2026-03-01` for a day. */
  readonly iso: string;
  /** False if only a day was named. */
  readonly hasTime: boolean;
}

/**
 * Reads a time in words. A time of day without a day, such as `18:00`, is the next one after `afterMs`. Throws a `Failure`
 * that says what was understood if the time is ambiguous, past or unknown.
 */
export async function readTimeWords(
  written: string,
  zone: string,
  nowMs: number,
  locale = 'en',
  afterMs = nowMs,
): Promise<TimeInWords> {
  const own = locale.toLowerCase().split('-')[0] as Language;
  const order = [...new Set([own, ...(Object.keys(languages) as Language[])])].filter(
    (name) => name in languages,
  );
  let refusal: Failure | undefined;
  for (const language of order) {
    try {
      const read = await readIn(language, written, zone, nowMs, afterMs);
      if (read !== undefined) return read;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? refuse(written, 'is not a time that is understood');
}

/** Returns undefined if the phrase is not in this language. */
async function readIn(
  language: Language,
  written: string,
  zone: string,
  nowMs: number,
  afterMs: number,
): Promise<TimeInWords | undefined> {
  const { text, isSpoken } = spellOut(language, written.trim().toLowerCase().slice(0, 200));
  const nowWall = wallOf(nowMs, offsetsIn(zone));
  const { casual } = await languages[language]();
  const reference = { instant: new Date(nowWall), timezone: 0 };
  const results: readonly ParsedResult[] = casual.parse(text, reference, { forwardDate: true });
  const [result] = results;
  if (result === undefined) return undefined;
  const rest = `${text.slice(0, result.index)} ${text.slice(result.index + result.text.length)}`;
  if (results.length > 1 || !fillers.test(rest)) return undefined;
  if (result.end) throw refuse(written, 'names a range; give one time');
  if (numericDate.test(text)) throw refuse(written, 'has a day and a month whose order is unclear');
  const { start } = result;
  const tags = result.tags();
  const isDistance = tags.has('result/relativeDateAndTime') || tags.has('casualReference/now');
  if (start.isCertain('timezoneOffset') && !isDistance)
    throw refuse(written, 'names a time zone; give it in timezone instead');
  if (afterMs !== nowMs && !isDistance && !start.isCertain('day') && !start.isCertain('weekday'))
    return readIn(language, written, zone, afterMs, afterMs);
  const wall = Math.floor(result.date().getTime() / 60_000) * 60_000;
  // An hour of elapsed time is an hour also if the clocks change in between.
  if (isDistance) return future(written, nowMs + result.date().getTime() - nowWall, nowMs);
  refuseOtherWeek(written, text, start.isCertain('weekday'), wall, nowWall);
  const day = new Date(wall).toISOString().slice(0, 10);
  if (!start.isCertain('hour')) {
    if (Math.floor(wall / dayMs) < Math.floor(nowWall / dayMs)) throw refuse(written, `is past (${day})`);
    return { iso: day, hasTime: false };
  }
  const hour = start.get('hour')!;
  const is24Hour = (clockTime.test(text) && !isSpoken) || start.isCertain('meridiem') || dayParts.test(text);
  if (!is24Hour && (hour < 7 || hour > 12)) {
    const [early, late] = [wall, wall + dayMs / 2].map((ms) => new Date(ms).toISOString().slice(11, 16));
    throw refuse(written, `can be ${early} or ${late} on ${day}`);
  }
  if (wall <= nowWall)
    throw refuse(written, `is past (${new Date(wall).toISOString().slice(0, 16)} in ${zone})`);
  return { iso: new Date(wall).toISOString().slice(0, 16), hasTime: true };
}

const dayMs = 86_400_000;

function future(written: string, ms: number, nowMs: number): TimeInWords {
  if (ms <= nowMs) throw refuse(written, 'is past');
  return { iso: new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z'), hasTime: true };
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
  throw refuse(written, `can be ${first} or ${second}`);
}

/** Writes "half past 3" as 3:30. `isSpoken` says that such a time is one of a 12-hour clock. */
function spellOut(language: Language, text: string): { readonly text: string; readonly isSpoken: boolean } {
  const numbers = 'ein|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf'.split('|');
  const hourOf = (word: string) => (/\d/.test(word) ? Number(word) : Math.max(1, numbers.indexOf(word)));
  const before = (hour: number) => (hour === 1 ? 12 : hour - 1);
  const plain = spellings[language].reduce((all, [pattern, words]) => all.replace(pattern, words), text);
  const patterns: readonly (readonly [RegExp, (hour: number) => string])[] =
    language === 'de'
      ? [
          [new RegExp(`\\bhalb (\\d{1,2}|${numbers.join('|')})\\b`), (hour) => `${before(hour)}:30`],
          [new RegExp(`\\bviertel nach (\\d{1,2}|${numbers.join('|')})\\b`), (hour) => `${hour}:15`],
          [new RegExp(`\\bviertel vor (\\d{1,2}|${numbers.join('|')})\\b`), (hour) => `${before(hour)}:45`],
        ]
      : [
          [/\bhalf past (\d{1,2})\b/, (hour) => `${hour}:30`],
          [/\bquarter past (\d{1,2})\b/, (hour) => `${hour}:15`],
          [/\bquarter to (\d{1,2})\b/, (hour) => `${before(hour)}:45`],
        ];
  for (const [pattern, time] of patterns) {
    const [, hour] = pattern.exec(plain) ?? [];
    if (hour !== undefined) return { text: plain.replace(pattern, time(hourOf(hour))), isSpoken: true };
  }
  return { text: plain, isSpoken: false };
}

function refuse(written: string, problem: string): Failure {
  return new Failure(
    'invalid-params',
    `"${written}" ${problem}. Write, for example, "tomorrow 18:00", "friday 15:30", "in 10 minutes" or 2026-03-01T18:00.`,
  );
}
