import { generateKeyPair, SignJWT } from 'jose';
import type { AuthorizationServer } from './authorization-server.ts';

/** A request that must be refused with status 401. */
export interface HostileRequest {
  readonly name: string;
  /** The header `Authorization`, if there is one. */
  readonly authorization?: string;
  /** Added to the path. */
  readonly query?: string;
  /** The error that the challenge names; `undefined` if the request has no token. */
  readonly error: 'invalid_token' | undefined;
}

const now = () => Math.floor(Date.now() / 1000);

/** Every kind of token that the server must not accept. `revoked` and `valid` are named tokens. */
export async function hostileTokens(
  server: AuthorizationServer,
  { revoked, valid }: { readonly revoked: string; readonly valid: string },
): Promise<readonly HostileRequest[]> {
  const good = await server.sign({});
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: server.issuer, aud: server.audience, sub: 'ada', scope: 'read', exp: now() + 600 };
  const withPublicKey = new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'test' })
    .sign(new TextEncoder().encode(server.publicKey));
  const strange = await generateKeyPair('RS256');
  const withStrangeKey = (kid: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(strange.privateKey);
  const embedded = new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', jku: `${server.issuer}/evil`, kid: 'evil' })
    .sign(strange.privateKey);
  const tokens: Readonly<Record<string, string>> = {
    'a wrong token': 'of-bad-news-but-long-enough',
    'a revoked token': revoked,
    'a token whose last character differs': valid.slice(0, -1) + (valid.endsWith('A') ? 'B' : 'A'),
    'a token name with a path': 'adjutant_../../token_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'a token of another audience': await server.sign({ aud: 'https://elsewhere.example/mcp' }),
    'a token without an audience': await server.sign({ aud: undefined as never }),
    'an expired token': await server.sign({}, now() - 60),
    'a token that never expires': await server.sign({ exp: undefined as never }),
    'a token that is not valid yet': await server.sign({ nbf: now() + 600 }),
    'a token of another issuer': await server.sign({ iss: 'https://evil.example' }),
    'a token without a subject': await server.sign({ sub: '' }),
    'a token with a line break in its subject': await server.sign({ sub: 'ada\nowner' }),
    'alg: none': `${encode({ alg: 'none' })}.${encode(claims)}.`,
    'alg: None, with the signature of another token': `${encode({ alg: 'None' })}.${payload}.${signature}`,
    'HS256, signed with the public key': await withPublicKey,
    'a key of somebody else under a known name': await withStrangeKey('test'),
    'a key of somebody else': await withStrangeKey('unknown'),
    'a key address in the token': await embedded,
    'a changed payload': `${header}.${encode({ ...claims, scope: 'admin' })}.${signature}`,
    'a signature cut off': `${header}.${payload}.`,
    'an opaque token that the server does not know': 'x'.repeat(43),
    // Node refuses headers of more than 16 KiB by itself.
    'a token of 12,000 characters': `${header}.${payload}.${'A'.repeat(12_000)}`,
  };
  return [
    { name: 'no token', error: undefined },
    { name: 'another scheme', authorization: 'Basic dXNlcjpwYXNz', error: undefined },
    { name: 'a valid token in the query', query: `?access_token=${valid}`, error: undefined },
    { name: 'two tokens', authorization: `Bearer ${valid} ${valid}`, error: undefined },
    ...Object.entries(tokens).map(([name, token]) => ({
      name,
      authorization: `Bearer ${token}`,
      error: 'invalid_token' as const,
    })),
  ];
}
