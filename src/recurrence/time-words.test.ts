import { describe, expect, it } from 'vitest';
import { readTimeWords } from './time-words.ts';

/** A Wednesday, 15:30 in Berlin. */
const now = Date.parse('2026-11-18T14:30:00Z');
const read = (written: string, zone = 'Europe/Berlin', nowMs = now, locale = 'en') =>
  readTimeWords(written, zone, nowMs, locale).then(({ iso }) => iso);

describe('readTimeWords', () => {
  it.each([
    ['in 10 minutes', '2026-11-18T14:40:00Z'],
    ['in half an hour', '2026-11-18T15:00:00Z'],
    ['18:00', '2026-11-18T18:00'],
    ['14:00', '2026-11-19T14:00'],
    ['tonight at 8', '2026-11-18T20:00'],
    ['tomorrow', '2026-11-19'],
    ['tomorrow 18:00', '2026-11-19T18:00'],
    ['tomorrow at 9', '2026-11-19T09:00'],
    ['tomorrow at 3pm', '2026-11-19T15:00'],
    ['tomorrow at noon', '2026-11-19T12:00'],
    ['tomorrow evening at 7', '2026-11-19T19:00'],
    ['day after tomorrow at 10:00', '2026-11-20T10:00'],
    ['the day after tomorrow', '2026-11-20'],
    ['half past 3 in the afternoon', '2026-11-18T15:30'],
    ['quarter to 8 tomorrow', '2026-11-19T07:45'],
    ['friday 18:00', '2026-11-20T18:00'],
    ['Friday 10:00', '2026-11-20T10:00'],
    ['next monday 9am', '2026-11-23T09:00'],
    ['5 december 17:30', '2026-12-05T17:30'],
    ['in 2 days at 10:00', '2026-11-20T10:00'],
    ['morgen um 18:00', '2026-11-19T18:00'],
    ['morgen um 15 Uhr', '2026-11-19T15:00'],
    ['übermorgen um 10:00', '2026-11-20T10:00'],
    ['heute Abend um 8', '2026-11-18T20:00'],
    ['in 10 Minuten', '2026-11-18T14:40:00Z'],
    ['demain à 18h', '2026-11-19T18:00'],
    ['après-demain à 10:00', '2026-11-20T10:00'],
    ['dans 10 minutes', '2026-11-18T14:40:00Z'],
    ['mañana a las 18:00', '2026-11-19T18:00'],
    ['pasado mañana a las 10:00', '2026-11-20T10:00'],
    ['dentro de 10 minutos', '2026-11-18T14:40:00Z'],
    ['noon', '2026-11-19T12:00'],
    ['midnight', '2026-11-19T00:00'],
    ['in an hour and a half', '2026-11-18T16:00:00Z'],
    ['in 1.5 hours', '2026-11-18T16:00:00Z'],
    ['in 1h30', '2026-11-18T16:00:00Z'],
    ['in 2h 30m', '2026-11-18T17:00:00Z'],
    ['in forty-five minutes', '2026-11-18T15:15:00Z'],
    ['at seven tomorrow', '2026-11-19T07:00'],
    ['half past nine tomorrow', '2026-11-19T09:30'],
    ['quarter to nine tonight', '2026-11-18T20:45'],
    ['6.30pm', '2026-11-18T18:30'],
    ['18.30', '2026-11-18T18:30'],
    ['20.11.2026 09:30', '2026-11-20T09:30'],
    ['morgen früh um 8', '2026-11-19T08:00'],
    ['Freitagabend um 8', '2026-11-20T20:00'],
    ['Montagmorgen um 9', '2026-11-23T09:00'],
    ['kommenden Freitag um 9 Uhr', '2026-11-20T09:00'],
    ['heute um 18 Uhr 30', '2026-11-18T18:30'],
    ['morgen Mittag', '2026-11-19T12:00'],
    ['in einer halben Stunde', '2026-11-18T15:00:00Z'],
    ['in anderthalb Stunden', '2026-11-18T16:00:00Z'],
    ['fünf vor zwölf', '2026-11-19T11:55'],
    ['am 24.12. um 18:00', '2026-12-24T18:00'],
    ['Sonnabend 10 Uhr', '2026-11-21T10:00'],
    ['dans une demi-heure', '2026-11-18T15:00:00Z'],
    ['dans une heure et demie', '2026-11-18T16:00:00Z'],
    ['vendredi à midi', '2026-11-20T12:00'],
    ['à dix-huit heures', '2026-11-18T18:00'],
    ['à 8 heures du soir', '2026-11-18T20:00'],
    ['a las 18h', '2026-11-18T18:00'],
    ['mañana a las 3 de la tarde', '2026-11-19T15:00'],
    ['mañana por la mañana a las 9', '2026-11-19T09:00'],
    ['dentro de media hora', '2026-11-18T15:00:00Z'],
    ['el lunes que viene a las 9:00', '2026-11-23T09:00'],
  ])('reads %s as %s', async (written, iso) => {
    // `half past 3` would be now, so that phrase is read a minute earlier.
    expect(await read(written, 'Europe/Berlin', now - 60_000).catch(String)).toBe(
      iso.endsWith('Z') ? new Date(Date.parse(iso) - 60_000).toISOString().replace('.000Z', 'Z') : iso,
    );
  });

  it.each([
    ['tomorrow at 3', /can be 03:00 or 15:00 on 2026-11-19/],
    ['half past 3 tomorrow', /can be 03:30 or 15:30 on 2026-11-19/],
    ['übermorgen um halb vier', /can be 03:30 or 15:30 on 2026-11-20/],
    ['mañana a las 3', /can be 03:00 or 15:00/],
    ['between 2 and 4', /not a time/],
    ['tomorrow from 14:00 to 16:00', /range/],
    ['3pm EST tomorrow', /names a time zone/],
    ['next friday 10:00', /can be 2026-11-20 or 2026-11-27/],
    ['nächsten Freitag um 9 Uhr', /can be 2026-11-20 or 2026-11-27/],
    ['yesterday at 10:00', /past/],
    ['10 minutes ago', /past/],
    ['today at 8am', /past/],
    ['5/6 10:00', /unclear/],
    ['a week from friday at 10:00', /not a time/],
    ['tomorrow or friday', /not a time/],
    ['soon', /not a time/],
    ['last friday at 10:00', /past/],
    ['letzten Freitag um 10 Uhr', /past/],
    ['thursday 20 november 10:00', /2026-11-20 is a Friday/],
    ['18h', /18:00 or in 18 hours/],
    ['tomorrow at midnight', /start or the end of that day/],
    ['in a few minutes', /no exact time/],
    ['tonight', /no time of day.*"today 20:00"/],
    ['monday morning', /no time of day.*"monday 09:00"/],
    ['morgen Nachmittag', /no time of day.*"morgen 15:00"/],
    ['next month', /names no day/],
    ['this weekend', /names no day/],
    ['la semaine prochaine', /names no day/],
    ['may', /names no day/],
    ['9 to 5', /not a time|range/],
    ['mañana a las tres y media', /03:30 or 15:30/],
    ['à trois heures et demie', /03:30 or 15:30/],
    ['friday week at 10:00', /not a time/],
    ['', /not a time/],
    ['x'.repeat(100_000), /not a time/],
  ])('refuses %.40s', async (written, message) => {
    await expect(read(written)).rejects.toThrow(message);
    await expect(read(written)).rejects.toThrow('for example');
  });

  it('counts elapsed hours exactly over a change of the clocks, and days by the calendar', async () => {
    const before = Date.parse('2026-10-24T22:00:00Z');
    expect(await read('in 5 hours', 'Europe/Berlin', before)).toBe('2026-10-25T03:00:00Z');
    expect(await read('tomorrow 18:00', 'Europe/Berlin', before)).toBe('2026-10-26T18:00');
  });

  it('means the day of the time zone, not that of this machine', async () => {
    const late = Date.parse('2026-11-18T22:30:00Z');
    expect(await read('tomorrow 08:00', 'Pacific/Auckland', late)).toBe('2026-11-20T08:00');
    expect(await read('tomorrow 08:00', 'America/New_York', late)).toBe('2026-11-19T08:00');
  });

  it('prefers the language of the person', async () => {
    expect(await read('morgen 10:00', 'Europe/Berlin', now, 'de-AT')).toBe('2026-11-19T10:00');
    expect(await read('demain 10:00', 'Europe/Paris', now, 'fr')).toBe('2026-11-19T10:00');
  });
});
