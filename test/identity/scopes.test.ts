import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractNames } from '../../src/contracts/contract.ts';
import { createAuthenticator } from '../../src/identity/authenticator.ts';
import { NamedTokens } from '../../src/identity/named-tokens.ts';
import { ResourceServer } from '../../src/identity/resource-server.ts';
import { scopeNames } from '../../src/toolsets/scopes.ts';
import { toolTraits } from '../../src/toolsets/toolsets.ts';
import { type HttpEndpoint, serveHttp } from '../../src/transports/http.ts';
import { type Exchange, openRecorded, type Recorded, reachable } from '../reach.ts';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import { httpClient } from './http-client.ts';
import { documentedScopes } from './matrix.ts';

/** Tools of the drop-in contracts that have another name in the table. */
const same: Readonly<Record<string, string>> = {
  list_commands: 'list_prompts',
  expand_command: 'expand_prompt',
};
const documented = documentedScopes();

let home: string;
let opened: Recorded;
let endpoint: HttpEndpoint;
let server: AuthorizationServer;
const dropIns = new Map<string, Recorded>();

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-scopes-'));
  opened = await openRecorded(home, 'standard');
  for (const name of contractNames)
    if (name !== 'standard') dropIns.set(name, await openRecorded(home, name));
  server = await startAuthorizationServer();
  const oauth = new ResourceServer({
    issuer: server.issuer,
    audience: () => server.audience,
    loginScopes: ['read'],
    scopes: Object.fromEntries(scopeNames.map(personal).map((scope) => [scope, [scope]])),
    scopeClaim: 'scope',
  });
  endpoint = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    authenticator: createAuthenticator({
      token: 'the-token-of-the-owner',
      tokens: new NamedTokens(home),
      oauth,
    }),
    allowedHosts: [],
    maxMessageBytes: 1 << 20,
    serverFor: (name) => (name === undefined ? opened.server : dropIns.get(name)?.server),
    page: async (_, response) => void response.writeHead(404).end(),
  });
  server.audience = `${endpoint.url}/mcp`;
});
afterAll(async () => {
  await endpoint.close();
  await server[Symbol.asyncDispose]();
  for (const one of [opened, ...dropIns.values()]) await one.close();
  rmSync(home, { recursive: true, force: true });
});

/** `a` is the person that the recorded resources are about. */
function personal(scope: string): string {
  return scope.replace('USER', 'a');
}

async function createToken(scope: string): Promise<string> {
  const name = `t-${scope.replaceAll(/[^a-z]/g, '')}-${Math.random().toString(36).slice(2, 8)}`;
  return new NamedTokens(home).create(name, [personal(scope)]);
}

const allTools = () => opened.tools.map(({ tool }) => tool.name).toSorted();

async function listedTools(exchange: Exchange): Promise<readonly string[]> {
  const reply = (await exchange('tools/list', {})) as { result: { tools: { name: string }[] } };
  return reply.result.tools.map(({ name }) => name).toSorted();
}

describe('the table in docs/explanation/security.md', () => {
  it('has every scope and every tool', () => {
    expect([...documented.keys()]).toEqual(scopeNames);
    expect(documented.get('admin')!.toSorted()).toEqual(allTools());
  });
});

const kinds = [
  ['a named token', createToken],
  ['an OAuth access token', (scope: string) => server.machineToken(personal(scope))],
] as const;

describe.each(kinds)('%s', (_, tokenWith) => {
  it.each(scopeNames)('with %s reaches and lists exactly the documented tools', async (scope) => {
    const expected = documented.get(scope)!.toSorted();
    const client = httpClient(endpoint.url, await tokenWith(scope));
    expect(await reachable(opened, client.modern())).toEqual(
      expected.filter((name) => toolTraits.get(name)?.audience !== 'page'),
    );
    for (const exchange of [client.modern('/page/mcp'), await client.legacy('/page/mcp')])
      expect(await listedTools(exchange)).toEqual(expected);
  });

  it('reaches the same tools from the page and in a session', async () => {
    const client = httpClient(endpoint.url, await tokenWith('calendar:USER'));
    const expected = documented.get('calendar:USER')!.toSorted();
    expect(await reachable(opened, client.modern('/page/mcp'))).toEqual(expected);
    expect(await reachable(opened, await client.legacy())).toEqual(expected);
  });

  it('reaches exactly the documented tools of every drop-in contract', async () => {
    for (const [name, dropIn] of dropIns) {
      const everything = await reachable(
        dropIn,
        await httpClient(endpoint.url, 'the-token-of-the-owner').legacy(`/mcp/${name}`),
      );
      expect(everything.length, name).toBeGreaterThan(0);
      for (const scope of scopeNames) {
        const exchange = await httpClient(endpoint.url, await tokenWith(scope)).legacy(`/mcp/${name}`);
        const allowed = documented.get(scope)!;
        expect(await reachable(dropIn, exchange), `${name} ${scope}`).toEqual(
          everything.filter((tool) => allowed.includes(same[tool] ?? tool)),
        );
      }
    }
  });
});
