import { NamedTokens } from '../../../src/identity/named-tokens.ts';
import { hostileTokens } from '../../identity/hostile-tokens.ts';
import { startOAuthProgram } from '../../identity/oauth-program.ts';
import { heapFlags, proveHttp } from '../http.ts';
import { repeated } from './http-cases.ts';

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** Sends every kind of token that must be refused to a server that accepts named tokens and access tokens. */
export async function proveTokens(count: number): ReturnType<typeof proveHttp> {
  await using started = await startOAuthProgram(['read'], undefined, heapFlags);
  const tokens = new NamedTokens(started.program.home);
  const valid = tokens.create('valid', ['admin']);
  const revoked = tokens.create('revoked', ['admin']);
  tokens.revoke('revoked');
  const hostile = await hostileTokens(started.server, { revoked, valid });
  const cases = hostile.map(({ name, authorization, query = '', error }) =>
    // The server checks a limited number of tokens with the authorization server at a time.
    repeated(name, error === undefined ? ['401', '429'] : ['401', '429', '503'], () => ({
      path: `/mcp${query}`,
      headers: { authorization },
      body: ping,
    })),
  );
  return await proveHttp(count, cases, started.program);
}
