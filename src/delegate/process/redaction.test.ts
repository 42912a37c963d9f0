import { describe, expect, it } from 'vitest';
import { createRedaction } from './redaction.ts';

const redact = createRedaction({
  SHOP_TOKEN: 'quite "secret" value',
  SSH_AUTH_SOCK: '/run/ssh-agent.sock',
  MAX_TOKENS: '12345678',
  SHORT_KEY: 'abc',
});

describe('redaction', () => {
  it.each([
    `sk-proj-${'a1'.repeat(20)}`,
    `ghp_${'a1'.repeat(20)}`,
    `github_pat_${'a1'.repeat(20)}`,
    'xoxb-123456789012-abcdef',
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'b2'.repeat(17)}c`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-DEF_123',
    'quite "secret" value',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ])('redacts %j', (secret) => {
    expect(redact(`before ${secret} after`)).toBe('before [redacted] after');
  });

  it('keeps the text around a secret', () => {
    expect(redact('Authorization: Bearer abcdefghijklmnop1234')).toBe('Authorization: Bearer [redacted]');
    expect(redact('postgres://shop:pa55w0rd@db/shop')).toBe('postgres://shop:[redacted]@db/shop');
    expect(redact('experimental_bearer_token="abc123def456ghi"')).toBe(
      'experimental_bearer_token="[redacted]"',
    );
  });

  it.each([
    'const token = getTokenFromEnvironment();',
    '"input_tokens":100,"total_token_usage":{}',
    'the password is asked for',
    '/run/ssh-agent.sock',
    '12345678 abc',
    '01a1de69-7620-7c01-aa83-000000000000',
  ])('does not redact %j', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('keeps JSON valid', () => {
    const value = {
      a: 'quite "secret" value',
      b: `token: "sk-${'a1'.repeat(20)}"`,
      c: '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
    };
    expect(JSON.parse(redact(JSON.stringify(value)))).toEqual({
      a: '[redacted]',
      b: 'token: "[redacted]"',
      c: '[redacted]',
    });
  });
});
