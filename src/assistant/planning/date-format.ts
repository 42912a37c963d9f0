interface Dated {
  readonly startMs: number;
  readonly locale: string;
  readonly timezone: string;
  readonly allDay: boolean;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats the start of an event in the user's language and time zone. */
export function formatDate({ startMs, locale, timezone, allDay }: Dated): string {
  const key = JSON.stringify([locale, timezone, allDay]);
  let format = formats.get(key);
  if (format === undefined) {
    // Creating a DateTimeFormat is slow, so formats are cached.
    if (formats.size >= 200) formats.clear();
    format = formatFor(locale, {
      timeZone: timezone,
      dateStyle: 'full',
      ...(!allDay && { timeStyle: 'short' }),
    });
    formats.set(key, format);
  }
  return format.format(startMs);
}

function formatFor(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, options);
  } catch {
    return new Intl.DateTimeFormat('en', options);
  }
}
