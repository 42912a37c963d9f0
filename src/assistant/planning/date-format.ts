import { offsetsIn, wallOf } from '../../recurrence/zone.ts';
import { resultTexts, textsFor } from '../messages/catalog.ts';

interface Dated {
  readonly startMs: number;
  readonly locale: string;
  readonly timezone: string;
  readonly allDay: boolean;
}

/** Formats the start of an event in the user's language and time zone. */
export function formatDate({ startMs, locale, timezone, allDay }: Dated): string {
  return partOf(startMs, locale, timezone, { dateStyle: 'full', ...(!allDay && { timeStyle: 'short' }) });
}

const clock = { hour: 'numeric', minute: '2-digit' } as const;
const shortDay = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const longDay = { weekday: 'long', day: 'numeric', month: 'long' } as const;

/** The start as it fits into the subject of a mail, such as `Tue, Nov 17, 2:00 PM`. */
export function shortDate({ startMs, locale, timezone, allDay }: Dated): string {
  return partOf(startMs, locale, timezone, { ...shortDay, ...(!allDay && clock) });
}

/** The start as a voice says it, such as `Tuesday, November 17 at 2:00 PM`. Nobody says the year of an event that is near. */
export function spokenDate({ startMs, locale, timezone, allDay }: Dated): string {
  return partOf(startMs, locale, timezone, { ...longDay, ...(!allDay && clock) });
}

/** Says when a reminder comes, such as `30 minutes before`, and whether quiet hours moved it. */
export function describeTiming(
  offsetMinutes: number,
  shiftMs: number,
  locale: string,
  allDay = false,
): string {
  const { timing } = textsFor(locale);
  const moved = shiftMs === 0 ? [] : [shiftMs < 0 ? timing.movedBefore : timing.movedAfter];
  return [allDay ? leadOfDay(offsetMinutes, locale) : lead(offsetMinutes, locale), ...moved].join('; ');
}

/** For a whole day, which begins at midnight: nobody counts the hours to midnight. */
function leadOfDay(offsetMinutes: number, locale: string): string {
  const days = -Math.floor(offsetMinutes / 1440);
  const minutes = offsetMinutes + days * 1440;
  const time = [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return textsFor(locale).timing.onDay(time, days);
}

function lead(offsetMinutes: number, locale: string): string {
  const { timing } = textsFor(locale);
  const minutes = Math.abs(offsetMinutes);
  if (minutes === 0) return timing.atStart;
  const [amount, unit] =
    minutes % 1440 === 0
      ? ([minutes / 1440, 'day'] as const)
      : minutes % 60 === 0
        ? ([minutes / 60, 'hour'] as const)
        : ([minutes, 'minute'] as const);
  // Phrases exist in the languages of the catalogues only; the number must match them.
  const language = textsFor(locale) === resultTexts ? 'en' : locale;
  const options = { style: 'unit', unit, unitDisplay: 'long', useGrouping: false } as const;
  const time = cached(`${language} ${unit}`, () => new Intl.NumberFormat(language, options)).format(amount);
  return offsetMinutes < 0 ? timing.before(time) : timing.after(time);
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Up to here, people count minutes and hours; later they name the day. */
const soonMinutes = 90;

/** When something starts, as people say it at `nowMs`: `in 30 min`, `today 16:00`, `tomorrow`, `Sat 18:00`, `4 Dec`. */
export function sayWhen({ startMs, locale, timezone, allDay }: Dated, nowMs: number): string {
  const language = isLocale(locale) ? locale : 'en';
  const offsets = offsetsIn(timezone);
  const dayOf = (ms: number) => Math.floor(wallOf(ms, offsets) / dayMs);
  const days = dayOf(startMs) - dayOf(nowMs);
  const minutes = Math.round((startMs - nowMs) / minuteMs);
  const relative = (amount: number, unit: 'second' | 'minute' | 'day') =>
    cached(
      `${language} relative short auto`,
      () => new Intl.RelativeTimeFormat(language, { style: 'short', numeric: 'auto' }),
    )
      .format(amount, unit)
      .replace(/\.(?= |$)/, '');
  if (!allDay && minutes === 0) return relative(0, 'second');
  if (!allDay && Math.abs(minutes) <= soonMinutes) return relative(minutes, 'minute');
  const time = allDay ? '' : ` ${partOf(startMs, language, timezone, { timeStyle: 'short' })}`;
  if (Math.abs(days) <= 1) return `${relative(days, 'day')}${time}`;
  const near = days > 1 && days < 7;
  const date = partOf(startMs, language, timezone, near ? { weekday: 'long' } : shortDay);
  return `${date}${time}`;
}

/** The exact start, as short as it can be said at `nowMs`. */
export function sayStart(when: Dated, nowMs: number): string {
  const offsets = offsetsIn(when.timezone);
  const dayOf = (ms: number) => Math.floor(wallOf(ms, offsets) / dayMs);
  if (when.allDay || dayOf(when.startMs) !== dayOf(nowMs)) return spokenDate(when);
  return partOf(when.startMs, when.locale, when.timezone, clock);
}

function partOf(ms: number, locale: string, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  const language = isLocale(locale) ? locale : 'en';
  return cached(
    `${language} ${timeZone} part ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(language, { timeZone, ...options }),
  ).format(ms);
}

const locales = new Map<string, boolean>();

function isLocale(locale: string): boolean {
  const known = locales.get(locale);
  if (known !== undefined) return known;
  if (locales.size >= 200) locales.clear();
  let isSupported = false;
  try {
    isSupported = Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    // Not even the form of a locale.
  }
  locales.set(locale, isSupported);
  return isSupported;
}

type AnyFormat = Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat;
const formats = new Map<string, AnyFormat>();

/** Creating a format is slow. Keys of different kinds of formats differ in their number of words. */
function cached<Format extends AnyFormat>(key: string, create: () => Format): Format {
  const known = formats.get(key) as Format | undefined;
  if (known !== undefined) return known;
  if (formats.size >= 200) formats.clear();
  const format = create();
  formats.set(key, format);
  return format;
}
