import { expect, it } from 'vitest';
import { withoutPassword } from './without-password.ts';

it.each([
  ['postgres://me:hidden@db/x', 'postgres://me:(secret)@db/x'],
  ['postgres://me:hid@den@db/x', 'postgres://me:(secret)@db/x'],
  ['postgres://me:hid/den@db/x', 'postgres://me:(secret)@db/x'],
  ['postgres://me:hid#den?@db/x', 'postgres://me:(secret)@db/x'],
  ['postgres://:hidden@db/x', 'postgres://:(secret)@db/x'],
  [
    'postgres://db/x?user=me&password=hidden&sslmode=require',
    'postgres://db/x?user=me&password=(secret)&sslmode=require',
  ],
  [
    'smtps://me%40example.com:hidden@mail.example.com:465',
    'smtps://me%40example.com:(secret)@mail.example.com:465',
  ],
])('masks the password in %s', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});

it.each([
  'postgres://me@db:5432/x',
  'https://example.com:8443/calendars/me@example.com',
  '/var/lib/a:b@c.db',
  '',
])('does not change %j, which has no password', (address) => {
  expect(withoutPassword(address)).toBe(address);
});
