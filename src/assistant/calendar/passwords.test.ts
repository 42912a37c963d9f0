import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseLogins, signIn } from './passwords.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-passwords-'));
const passwordsFile = join(folder, 'passwords');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('parseLogins', () => {
  it('reads the .netrc format', () => {
    const text =
      '# mine\nmachine dav.example.com login ann password "with \\"quotes\\" and spaces"\n\nmachine Other.example\n  login bob\n  password pass#word\ndefault login x';
    expect(parseLogins(text)).toEqual([
      { machine: 'dav.example.com', login: 'ann', password: 'with "quotes" and spaces' },
      { machine: 'other.example', login: 'bob', password: 'pass#word' },
    ]);
    expect(parseLogins('password alone machine')).toEqual([]);
  });
});

describe('signIn', () => {
  writeFileSync(
    passwordsFile,
    'machine example.com login ann password one\nmachine example.com login bob password two\nmachine 10.0.0.1 login ann password three\n',
  );
  const sent = async (address: string, username?: string, file = passwordsFile) => {
    const seen: (string | null)[] = [];
    const record: typeof fetch = async (_, init) => {
      seen.push(new Headers(init?.headers).get('authorization'));
      return new Response();
    };
    await signIn(record, username, { passwordsFile: file, privateHosts: ['10.0.0.1'] })(address);
    return seen[0] && Buffer.from(seen[0].slice(6), 'base64').toString();
  };

  it('sends each password only to its own host and subdomains', async () => {
    expect(await sent('https://example.com/a')).toBe('ann:one');
    expect(await sent('https://example.com/a', 'bob')).toBe('bob:two');
    expect(await sent('https://p42.example.com/a', 'bob')).toBe('bob:two');
    expect(await sent('https://example.com.evil.example/a', 'bob')).toBeNull();
    expect(await sent('https://evilexample.com/a', 'bob')).toBeNull();
    expect(await sent('https://example.com@evil.example/a', 'bob')).toBeNull();
    expect(await sent('https://example.com/a', 'nobody')).toBeNull();
    expect(await sent('https://example.com/a', 'ann', join(folder, 'missing'))).toBeNull();
  });

  it('sends no password without encryption, except to a trusted host', async () => {
    await expect(sent('http://example.com/a')).rejects.toMatchObject({ kind: 'refused' });
    expect(await sent('http://10.0.0.1/a')).toBe('ann:three');
  });
});
