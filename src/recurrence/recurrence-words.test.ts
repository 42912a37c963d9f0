import { describe, expect, it } from 'vitest';
import { fallsOn, isRecurrence, readRecurrence } from './recurrence-words.ts';

describe('readRecurrence', () => {
  it.each([
    ['every day at 7', 'FREQ=DAILY', '07:00'],
    ['daily at 18:30', 'FREQ=DAILY', '18:30'],
    ['every weekday at 7', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '07:00'],
    ['weekdays at 7am', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '07:00'],
    ['every weekend at noon', 'FREQ=WEEKLY;BYDAY=SA,SU', '12:00'],
    ['every monday and thursday at 18:00', 'FREQ=WEEKLY;BYDAY=MO,TH', '18:00'],
    ['mondays, wednesdays and fridays at 9:15', 'FREQ=WEEKLY;BYDAY=MO,WE,FR', '09:15'],
    ['every Tuesday 5 pm', 'FREQ=WEEKLY;BYDAY=TU', '17:00'],
    ['every 2 weeks on friday at 10:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR', '10:00'],
    ['every other friday at 17:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR', '17:00'],
    ['every other day', 'FREQ=DAILY;INTERVAL=2', undefined],
    ['every three months', 'FREQ=MONTHLY;INTERVAL=3', undefined],
    ['every month on the 1st at 9:00', 'FREQ=MONTHLY;BYMONTHDAY=1', '09:00'],
    ['monthly on the last day', 'FREQ=MONTHLY;BYMONTHDAY=-1', undefined],
    ['every first monday of the month at 9:00', 'FREQ=MONTHLY;BYDAY=1MO', '09:00'],
    ['every last friday at 16:00', 'FREQ=MONTHLY;BYDAY=-1FR', '16:00'],
    ['every year on 24 december', 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24', undefined],
    ['every december 24', 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24', undefined],
    ['every 15 minutes', 'FREQ=MINUTELY;INTERVAL=15', undefined],
    ['hourly', 'FREQ=HOURLY', undefined],
    ['jeden Montag um 8 Uhr', 'FREQ=WEEKLY;BYDAY=MO', '08:00'],
    ['werktags um 7:30', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '07:30'],
    ['montags und donnerstags um 18:00', 'FREQ=WEEKLY;BYDAY=MO,TH', '18:00'],
    ['alle 2 Wochen am Freitag um 10:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR', '10:00'],
    ['tous les jours à 8h', 'FREQ=DAILY', '08:00'],
    ['chaque lundi à 18h30', 'FREQ=WEEKLY;BYDAY=MO', '18:30'],
    ['todos los días a las 9:00', 'FREQ=DAILY', '09:00'],
    ['cada lunes y jueves a las 18:00', 'FREQ=WEEKLY;BYDAY=MO,TH', '18:00'],
    ['every morning at 8', 'FREQ=DAILY', '08:00'],
    ['every evening at 8', 'FREQ=DAILY', '20:00'],
    ['every monday morning at 9', 'FREQ=WEEKLY;BYDAY=MO', '09:00'],
    ['7am every weekday', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '07:00'],
    ['monday to friday at 9', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '09:00'],
    ['mon-fri at 9', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '09:00'],
    ['every working day at 9', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '09:00'],
    ['every fortnight at 10:00', 'FREQ=WEEKLY;INTERVAL=2', '10:00'],
    ['every 2nd day at 9', 'FREQ=DAILY;INTERVAL=2', '09:00'],
    ['every second monday of the month at 9:00', 'FREQ=MONTHLY;BYDAY=2MO', '09:00'],
    ['the 15th of every month at 9:00', 'FREQ=MONTHLY;BYMONTHDAY=15', '09:00'],
    ['every last day of the month at 17:00', 'FREQ=MONTHLY;BYMONTHDAY=-1', '17:00'],
    ['jeden Morgen um 8', 'FREQ=DAILY', '08:00'],
    ['jeden zweiten Tag um 9', 'FREQ=DAILY;INTERVAL=2', '09:00'],
    ['alle zwei Tage um 9 Uhr', 'FREQ=DAILY;INTERVAL=2', '09:00'],
    ['montags bis freitags um 9 Uhr', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '09:00'],
    ['tous les matins à 8h', 'FREQ=DAILY', '08:00'],
    ['tous les 1er du mois à 9h', 'FREQ=MONTHLY;BYMONTHDAY=1', '09:00'],
    ['toutes les deux semaines à 9h', 'FREQ=WEEKLY;INTERVAL=2', '09:00'],
    ['du lundi au vendredi à 9h', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '09:00'],
    ['todas las noches a las 22:00', 'FREQ=DAILY', '22:00'],
    ['cada viernes por la tarde a las 5', 'FREQ=WEEKLY;BYDAY=FR', '17:00'],
    ['el primer lunes de cada mes a las 9', 'FREQ=MONTHLY;BYDAY=1MO', '09:00'],
  ])('reads %s', (written, rule, time) => {
    expect(isRecurrence(written)).toBe(true);
    expect(readRecurrence(written, 'Europe/Berlin')).toEqual({ rule, ...(time !== undefined && { time }) });
  });

  it.each([
    'every day at 3',
    'every',
    'every blue moon',
    'every 0 days',
    'every day at 25:00',
    'every monday and friday except holidays',
    'every day until friday',
    'every month on the 32nd',
    'tomorrow',
    'every '.repeat(1000),
  ])('refuses %.40s with examples', (written) => {
    expect(() => readRecurrence(written, 'Europe/Berlin')).toThrow(/for example/);
  });

  it('does not choose between every other friday and the second one of a month', () => {
    for (const written of [
      'every second friday at 17:00',
      'jeden zweiten Freitag um 17 Uhr',
      'every 3rd friday at 9',
    ])
      expect(() => readRecurrence(written, 'Europe/Berlin')).toThrow(
        /weeks on friday" or "every \w+ friday of the month"/,
      );
  });

  it('does not take a time for a recurrence', () => {
    for (const written of ['tomorrow 18:00', 'in 10 minutes', 'friday 10:00', '2026-03-01'])
      expect(isRecurrence(written)).toBe(false);
  });
});

describe('fallsOn', () => {
  it.each([
    ['FREQ=DAILY', '2026-11-18', true],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '2026-11-20', true],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '2026-11-21', false],
    ['FREQ=MONTHLY;BYDAY=1MO', '2026-12-07', true],
    ['FREQ=MONTHLY;BYDAY=1MO', '2026-12-14', false],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2026-11-27', true],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-11-30', true],
    ['FREQ=MONTHLY;BYMONTHDAY=1', '2026-11-30', false],
    ['FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24', '2026-12-24', true],
    ['FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24', '2026-11-24', false],
  ])('%s on %s: %s', (rule, day, expected) => {
    expect(fallsOn(rule, day)).toBe(expected);
  });
});
