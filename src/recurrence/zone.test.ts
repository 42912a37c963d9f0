import { expect, it } from 'vitest';
import { resolveZone } from './zone.ts';

it.each([
  ['Eastern Standard Time', 'America/New_York'],
  ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
  ['(GMT-08:00) Pacific Time (US & Canada)', 'America/Los_Angeles'],
  ['(UTC-05:00) Indiana (East)', 'America/Indiana/Indianapolis'],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
  ['(UTC+10:00) Canberra, Melbourne, Sydney', 'Australia/Sydney'],
  ['(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Kolkata'],
  ['(UTC-03:30) Newfoundland', 'America/St_Johns'],
  ['(UTC+05:45) Kathmandu', 'Asia/Kathmandu'],
  ['(UTC) Coordinated Universal Time', 'UTC'],
  ['(UTC-11:00) Coordinated Universal Time-11', 'Etc/GMT+11'],
])('the time zone %s is %s', (written, zone) => {
  expect(resolveZone(written)).toBe(zone);
});

it('the offset decides between two cities of the same name', () => {
  expect(resolveZone('(UTC-07:00) La Paz, Mazatlan')).toBe('America/Mazatlan');
  expect(resolveZone('(UTC-04:00) Georgetown, La Paz, Manaus, San Juan')).toBe('America/La_Paz');
});

it('a zone is known by an offset that its country has given up', () => {
  expect(resolveZone('(UTC-04:00) Asuncion')).toBe('America/Asuncion');
});

it.each(['(UTC-05:00) Nowhere', '(UTC+99:99) Berlin', '(UTC)', '()', `(UTC+01:00) ${'a, '.repeat(50_000)}`])(
  'a name that only looks like a zone of Outlook is unknown',
  (written) => {
    expect(resolveZone(written)).toBeUndefined();
  },
);
