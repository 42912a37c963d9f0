import { describe, expect, it } from 'vitest';
import { checkOrigin } from './guard.ts';

const options = { allowedHosts: ['Adjutant.example', 'fd00::1'] };
const statusOf = (headers: Readonly<Record<string, string>>, rawHeaders: string[] = []) =>
  checkOrigin({ headers, rawHeaders }, options)?.status;

describe('the Host header', () => {
  it.each([
    'localhost',
    'LOCALHOST:7323',
    '127.0.0.1:7323',
    '[::1]:7323',
    'adjutant.example',
    'ADJUTANT.EXAMPLE:443',
    '[fd00::1]:7323',
  ])('may be %s', (host) => {
    expect(statusOf({ host })).toBeUndefined();
  });

  it.each([
    '',
    'evil.example',
    'evil.com@localhost',
    'user:password@localhost',
    'localhost@evil.com',
    'localhost/evil.com',
    'localhost#.evil.com',
    'localhost?evil.com',
    'localhost\\evil.com',
    'localhost:7323:80',
    'localhost:',
    'localhost:port',
    'localhost:123456',
    'localhost.',
    'localhost.evil.com',
    ' localhost',
    'localhost\t',
    'local\thost',
    'localhost, evil.com',
    'localhost,evil.com',
    '%6cocalhost',
    'localhost%00.evil.com',
    '0x7f.1',
    '2130706433',
    '127.1',
    '127.0.0.1.evil.com',
    '[::1',
    '[::1]evil.com',
    '[::ffff:127.0.0.1]',
    'http://localhost',
    'ｌocalhost',
  ])('may not be "%s"', (host) => {
    expect(statusOf({ host })).toBe(403);
  });

  it('may not be sent twice', () => {
    const rawHeaders = ['Host', 'localhost', 'Accept', '*/*', 'hOST', 'evil.example'];
    expect(statusOf({ host: 'localhost' }, rawHeaders)).toBe(403);
  });

  it('is shortened in the refusal', () => {
    const { message } = checkOrigin({ headers: { host: 'x'.repeat(9_000) }, rawHeaders: [] }, options)!;
    expect(message.length).toBeLessThan(300);
  });
});

describe('the Origin header', () => {
  it.each([
    'http://localhost:5173',
    'https://127.0.0.1',
    'http://[::1]:80',
    'https://adjutant.example',
    'HTTPS://Adjutant.Example',
  ])('may be %s', (origin) => {
    expect(statusOf({ host: 'localhost', origin })).toBeUndefined();
  });

  it.each([
    'null',
    '',
    'localhost',
    'https://evil.com@localhost',
    'https://localhost@evil.com',
    'https://evil.com#localhost',
    'https://localhost.evil.com',
    'https://localhost/evil',
    'https://localhost https://evil.com',
    'file://localhost',
    'javascript://localhost',
    'https://0x7f.1',
    'chrome-extension://localhost',
  ])('may not be "%s"', (origin) => {
    expect(statusOf({ host: 'localhost', origin })).toBe(403);
  });
});
