import { resultTexts, textsFor } from '../messages/catalog.ts';

interface Dated {
  readonly startMs: number;
  readonly locale: string;
  readonly timezone: string;
  readonly allDay: boolean;
}

/** Formats the start of an event in the user's language and time zone. */
export function formatDate({ startMs, locale, timezone, allDay }: Dated): string {
  const options: Intl.DateTimeFormatOptions = {
    timeZone: timezone,
    dateStyle: 'full',
    ...(!allDay && { timeStyle: 'short' }),
  };
  const format = cached(`${locale} ${timezone} ${allDay}`, () => {
    try {
      return new Intl.DateTimeFormat(locale, options);
    } catch {
      return new Intl.DateTimeFormat('en', options);
    }
  });
  return format.format(startMs);
}

/** Says when a reminder comes, such as `30 minutes before`, and whether quiet hours moved it. */
export function describeTiming(offsetMinutes: number, shiftMs: number, locale: string): string {
  const { timing } = textsFor(locale);
  const moved = shiftMs === 0 ? [] : [shiftMs < 0 ? timing.movedBefore : timing.movedAfter];
  return [lead(offsetMinutes, locale), ...moved].join('; ');
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

const formats = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

/** Creating a format is slow. Keys of different kinds of formats differ in their number of words. */
function cached<Format extends Intl.DateTimeFormat | Intl.NumberFormat>(
  key: string,
  create: () => Format,
): Format {
  const known = formats.get(key) as Format | undefined;
  if (known !== undefined) return known;
  if (formats.size >= 200) formats.clear();
  const format = create();
  formats.set(key, format);
  return format;
}
