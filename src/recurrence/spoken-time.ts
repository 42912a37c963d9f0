// Phrases that the library does not read, or reads only in part or wrongly, written as ones that it reads.

export type Language = 'en' | 'de' | 'fr' | 'es';

export interface SpokenTime {
  readonly text: string;
  /** True for a time of a 12-hour clock, such as "half past 3". */
  readonly isSpoken: boolean;
}

/** 1 to 20, 30, 40 and 50. A hyphen stands for a word with another meaning. */
const numbers: Readonly<Record<Language, readonly string[]>> = {
  en: 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty'.split(
    ' ',
  ),
  de: 'eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig'.split(
    ' ',
  ),
  fr: '- deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt trente quarante cinquante'.split(
    ' ',
  ),
  es: '- dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta'.split(
    ' ',
  ),
};

/** Writes numbers in words, such as "twenty-five", in digits. */
export function withDigits(text: string, language: Language): string {
  const list = numbers[language];
  const numberOf = (word: string) => {
    const index = list.indexOf(word);
    return index < 20 ? index + 1 : (index - 17) * 10;
  };
  const word = list.toSorted((one, other) => other.length - one.length).join('|');
  const pattern = new RegExp(
    `(?<![\\p{L}-])(?:(${word})und)?(${word})(?:[- ](?:y )?(${word}))?(?![\\p{L}-])`,
    'gu',
  );
  return text.replaceAll(pattern, (all, unit: string | undefined, main: string, more: string | undefined) => {
    if (all.includes('- ') || all.startsWith('-')) return all;
    const value = numberOf(main) + (unit === undefined ? 0 : numberOf(unit));
    if (more === undefined) return String(value);
    return value >= 20 && numberOf(more) < 10 ? String(value + numberOf(more)) : `${value} ${numberOf(more)}`;
  });
}

type Rewrite = readonly [RegExp, string | ((...found: string[]) => string)];

const number = '(\\d{1,2})';
const pad = (value: number) => String(value).padStart(2, '0');
const before = (hour: string) => (Number(hour) + 11) % 12 || 12;
const sum = (hours: string, rest: number, unit: string) =>
  `${Math.round((Number(hours) + rest) * 60)} ${unit}`;

/** Durations with a fraction, in minutes. */
function durations(unit: string, hours: string): readonly Rewrite[] {
  return [
    [
      new RegExp(`(\\d+)[.,](\\d+) ?(?:${hours})(?!\\p{L})`, 'u'),
      (_, whole, part) => sum(`${whole}.${part}`, 0, unit),
    ],
    [
      /(?<=(?:^|\s)(?:in|dans|en|dentro de) )(\d{1,2}) ?h ?(\d\d)(?!\d| ?m)/,
      (_, hour, rest) => `${Number(hour) * 60 + Number(rest)} ${unit}`,
    ],
  ];
}

/** Hours of a part of the day on a 24-hour clock. Twelve, and the hours of a night that is over, stay as they are. */
function inPart(text: string, parts: Readonly<Record<'am' | 'pm' | 'night', string>>): string {
  return Object.entries(parts).reduce((all, [half, part]) => {
    const clock = (found: string, hour: string, minute = '00') => {
      const value = Number(hour);
      if (value < 1 || value > 11 || (half === 'night' && value < 6)) return found;
      return ` ${pad(half === 'am' ? value : value + 12)}:${minute}`;
    };
    return all
      .replace(
        new RegExp(` (?:${part}),?(?: um| à| a las?)? ${number}(?::(\\d\\d))?(?: ?uhr| ?h| heures?)?(?= )`),
        clock,
      )
      .replace(new RegExp(` ${number}(?::(\\d\\d))?(?: ?uhr| ?h| heures?)? (?:${part})(?= )`), clock);
  }, text);
}

const germanDays = 'montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag';
const spanishDays = 'lunes|martes|miércoles|jueves|viernes|sábado|domingo';

const rewrites: Readonly<Record<Language, readonly Rewrite[]>> = {
  en: [
    [/\b(?:the )?day after tomorrow\b/, 'in 2 days'],
    [/\b(?:an|1) hour and a half\b/, '90 minutes'],
    [/\b(\d{1,2}) and a half hours\b/, (_, hours) => sum(hours!, 0.5, 'minutes')],
    [/\b3 quarters of an hour\b/, '45 minutes'],
    [/\b(?:a )?quarter of an hour\b/, '15 minutes'],
    ...durations('minutes', 'hours?|hrs?|h'),
  ],
  de: [
    [/(?<= )sonnabend(?= )/, 'samstag'],
    [new RegExp(`(?<= )(${germanDays})morgen(?= )`), '$1 früh'],
    [new RegExp(`(?<= )(${germanDays})(vormittag|nachmittag|abend)(?= )`), '$1 $2'],
    [new RegExp(`(?<= )kommende([nrms]?) (?=${germanDays})`), 'diese$1 '],
    [/ einer halben stunde(?= )/, ' 30 minuten'],
    [/ einer dreiviertel ?stunde(?= )/, ' 45 minuten'],
    [/ einer viertelstunde(?= )/, ' 15 minuten'],
    [/ (?:anderthalb|eineinhalb) stunden(?= )/, ' 90 minuten'],
    [/ (?:(?:um|am|zu) )?mittags?(?= )/, ' 12:00'],
    [/(?<= )(\d{1,2}) uhr (\d\d)(?= )/, '$1:$2 uhr'],
    ...durations('minuten', 'stunden?|std'),
  ],
  fr: [
    [/(?<= )après[- ]demain(?= )/, 'dans 2 jours'],
    [/ (?:une )?demi-heure(?= )/, ' 30 minutes'],
    [/ 3 quarts d.heure(?= )/, ' 45 minutes'],
    [/ (?:un )?quart d.heure(?= )/, ' 15 minutes'],
    [/ dans une heure et demie(?= )/, ' dans 90 minutes'],
    [/ dans (\d{1,2}) heures et demie(?= )/, (_, hours) => ` dans ${sum(hours!, 0.5, 'minutes')}`],
    [/ (?:à )?midi et demie?(?= )/, ' 12:30'],
    [/ (?:à )?midi(?= )/, ' 12:00'],
    [/(?<! dans| d.ici) (\d{1,2}) heures? (\d\d)(?= )/, ' $1:$2'],
    [/(?<! dans| d.ici) (\d{1,2}) heures?(?! et| moins)(?= )/, ' $1:00'],
    ...durations('minutes', 'heures?|h'),
  ],
  es: [
    [/(?<= )pasado mañana(?= )/, 'en 2 días'],
    [new RegExp(`(?<= )(${spanishDays}) que viene(?= )`), '$1'],
    [/ media hora(?= )/, ' 30 minutos'],
    [/ 3 cuartos de hora(?= )/, ' 45 minutos'],
    [/ (?:un )?cuarto de hora(?= )/, ' 15 minutos'],
    [/ (?:una hora|1 hora) y media(?= )/, ' 90 minutos'],
    [/ (\d{1,2}) horas y media(?= )/, (_, hours) => ` ${sum(hours!, 0.5, 'minutos')}`],
    [/ (?:al? )?mediodía(?= )/, ' 12:00'],
    [/ a las (1[3-9]|2[0-3])(?= )/, ' a las $1:00'],
    ...durations('minutos', 'horas?|h'),
  ],
};

/** Times such as "half past 3", which the library reads only in part. */
const spoken: Readonly<Record<Language, readonly Rewrite[]>> = {
  en: [
    [/\bhalf past (\d{1,2})\b/, '$1:30'],
    [/\bquarter past (\d{1,2})\b/, '$1:15'],
    [/\bquarter to (\d{1,2})\b/, (_, hour) => `${before(hour!)}:45`],
    [/\b(5|10|20|25) past (\d{1,2})\b/, (_, minute, hour) => `${hour}:${pad(Number(minute))}`],
  ],
  de: [
    [/\bhalb (\d{1,2})\b/, (_, hour) => `${before(hour!)}:30`],
    [/\bviertel nach (\d{1,2})\b/, '$1:15'],
    [/\bviertel vor (\d{1,2})\b/, (_, hour) => `${before(hour!)}:45`],
    [/\b(5|10|20) nach (\d{1,2})\b/, (_, minute, hour) => `${hour}:${pad(Number(minute))}`],
    [/\b(5|10|20) vor (\d{1,2})\b/, (_, minute, hour) => `${before(hour!)}:${60 - Number(minute)}`],
  ],
  fr: [
    [/\b(\d{1,2}) heures? et demie\b/, '$1:30'],
    [/\b(\d{1,2}) heures? et quart\b/, '$1:15'],
    [/\b(\d{1,2}) heures? moins le quart\b/, (_, hour) => `${before(hour!)}:45`],
  ],
  es: [
    [/\b(\d{1,2}) y media\b/, '$1:30'],
    [/\b(\d{1,2}) y cuarto\b/, '$1:15'],
    [/\b(\d{1,2}) menos cuarto\b/, (_, hour) => `${before(hour!)}:45`],
  ],
};

const parts: Partial<Readonly<Record<Language, Parameters<typeof inPart>[1]>>> = {
  de: {
    am: 'früh|morgens|am morgen|(?:am )?vormittags?',
    pm: '(?:am )?nachmittags?|(?:am )?abends?',
    night: 'nachts|in der nacht',
  },
  fr: { am: 'du matin', pm: 'du soir|de l.après-midi', night: 'de la nuit' },
  es: { am: '(?:por|de|en) la mañana', pm: '(?:por|de|en) la tarde', night: '(?:por|de|en) la noche' },
};

/** Writes what people say, in lower case, as the library reads it. */
export function spellOut(written: string, language: Language): SpokenTime {
  // "10 to 5" in digits is a range.
  const said = written.replace(
    /\b(five|ten|twenty|twenty-five) to (?=[a-z0-9])/,
    (_, minute: string) => `${withDigits(minute, 'en')} before `,
  );
  const plain = dottedDates(` ${withDigits(said, language)} `, language);
  const apply = (text: string, list: readonly Rewrite[]) =>
    list.reduce((all, [pattern, to]) => all.replace(pattern, to as string), text);
  const rewritten = apply(plain, rewrites[language]);
  const clock = apply(rewritten, [
    ...spoken[language],
    [/\b(5|10|20|25) before (\d{1,2})\b/, (_, minute, hour) => `${before(hour!)}:${60 - Number(minute)}`],
  ]);
  const part = parts[language];
  const timed = part === undefined ? clock : inPart(clock, part);
  return { text: hourSigns(timed, language).trim(), isSpoken: clock !== rewritten && timed === clock };
}

/** "5.12." and "5.12.2026" are days before months everywhere. "18.30" is a time, because there is no such month. */
function dottedDates(text: string, language: Language): string {
  return text
    .replace(/(?<= )(\d{1,2})\.(\d{1,2})\.(\d{4})?(?= )/, (all, day: string, month: string, year = '') => {
      if (Number(month) < 1 || Number(month) > 12) return all;
      const names = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
      const name = names.format(Date.UTC(2026, Number(month) - 1)).toLowerCase();
      return [`${day}${language === 'de' ? '.' : language === 'es' ? ' de' : ''}`, name, year]
        .join(' ')
        .trim();
    })
    .replace(/(?<= )(\d{1,2})\.(00|1[3-9]|[2-5]\d)(?= |[ap]m)/, '$1:$2');
}

/** "18h" is a time of day, except after "in". In English, "2h" alone can be a distance as well. */
function hourSigns(text: string, language: Language): string {
  const isBare = language === 'en' && /^ \d{1,2} ?h $/.test(text);
  return isBare
    ? text
    : text.replace(/(?<!(?: in| dans| en| dentro de| within)) (\d{1,2}) ?h(?= (?!\d))/, ' $1:00');
}
