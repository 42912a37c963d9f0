import { resultTexts, textsFor } from '../messages/catalog.ts';

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
  const time = formatFor(locale, unit).format(amount);
  return offsetMinutes < 0 ? timing.before(time) : timing.after(time);
}

const formats = new Map<string, Intl.NumberFormat>();

function formatFor(locale: string, unit: 'day' | 'hour' | 'minute'): Intl.NumberFormat {
  // Phrases exist in the languages of the catalogues only; the number must match them.
  const language = textsFor(locale) === resultTexts ? 'en' : locale;
  const key = `${language} ${unit}`;
  let format = formats.get(key);
  if (format === undefined) {
    if (formats.size >= 200) formats.clear();
    format = new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay: 'long',
      useGrouping: false,
    });
    formats.set(key, format);
  }
  return format;
}
