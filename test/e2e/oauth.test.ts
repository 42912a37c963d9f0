import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NamedTokens } from '../../src/identity/named-tokens.ts';
import type { JsonObject } from '../../src/json.ts';
import { importComponent } from '../components.ts';
import { logIn, registeredClient } from '../identity/authorization-server.ts';
import { hostileTokens } from '../identity/hostile-tokens.ts';
import { httpClient } from '../identity/http-client.ts';
import { type OAuthProgram, startOAuthProgram } from '../identity/oauth-program.ts';

const ping = { method: 'ping' };
const redirectUrl = 'http://127.0.0.1:1/callback';

let started: OAuthProgram;
beforeAll(async () => {
  started = await startOAuthProgram(['read'], redirectUrl);
});
afterAll(() => started[Symbol.asyncDispose]());

const metadataUrl = () => `${started.url}/.well-known/oauth-protected-resource/mcp`;

async function toolNames(token: string): Promise<readonly string[]> {
  const exchange = httpClient(started.url, token).modern('/page/mcp');
  const { result } = (await exchange('tools/list', {})) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

describe('the OAuth metadata', () => {
  it('names the authorization server at every well-known path, without a token', async () => {
    for (const path of ['', '/mcp', '/mcp/delegate']) {
      const response = await fetch(`${started.url}/.well-known/oauth-protected-resource${path}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await response.json()).toEqual({
        resource: `${started.url}/mcp`,
        authorization_servers: [started.server.issuer],
        scopes_supported: ['read'],
        bearer_methods_supported: ['header'],
        resource_name: 'Adjutant',
      });
    }
    expect((await fetch(`${started.url}/.well-known/oauth-protected-resources`)).status).toBe(404);
  });
});

describe('an access token', () => {
  it.each(['jwt', 'opaque'] as const)('in the format %s gives what its scopes allow', async (format) => {
    const names = await toolNames(await started.server.machineToken('read calendar:ada', format));
    expect(names).toEqual(expect.arrayContaining(['list_prompts', 'create_event']));
    expect(names).not.toContain('create_prompt');
    expect(names).not.toContain('create_user');
  });

  it('does not make anybody an administrator unless the settings say so', async () => {
    expect(await toolNames(await started.server.sign({ scope: 'admin' }))).toEqual([]);
  });

  it('is refused when the authorization server has revoked it', async () => {
    const token = await started.server.machineToken('read', 'opaque');
    await started.server.revoke(token);
    expect((await httpClient(started.url, token).post(ping)).status).toBe(401);
  });

  it('that lacks a scope gets a challenge with every scope that it needs', async () => {
    const token = await started.server.sign({ scope: 'read openid', sub: 'ada' });
    const call = (name: string) => ({ method: 'tools/call', params: { name, arguments: {} } });
    const client = httpClient(started.url, token);
    const needed: readonly (readonly [object, string])[] = [
      [call('create_prompt'), 'read prompts:write'],
      [call('list_users'), 'read calendar:ada'],
      [call('list_runs'), 'read delegate:read-only'],
      [{ method: 'resources/read', params: { uri: 'resources://users/ada' } }, 'read calendar:ada'],
      [
        { method: 'tools/call', params: { name: 'call_tool', arguments: { name: 'set_rule' } } },
        'read calendar:ada',
      ],
    ];
    for (const [message, scope] of needed) {
      const response = await client.post(message);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        403,
        `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadataUrl()}"`,
      ]);
    }
    // No scope of the authorization server helps here, so there is nothing to ask for.
    expect((await client.post(call('clean_runs'))).status).toBe(200);
    expect((await client.post(call('list_prompts'))).status).toBe(200);
  });

  it('ends its stream when it expires, and a newer token continues the session', async () => {
    const short = await started.server.sign({}, Math.floor(Date.now() / 1000) + 1);
    const client = httpClient(started.url, short);
    const session = await client.session();
    const stream = await fetch(`${started.url}/mcp`, {
      headers: { authorization: `Bearer ${short}`, ...session },
    });
    expect(stream.status).toBe(200);
    await stream.text().catch(() => 'ended');
    const newer = httpClient(started.url, await started.server.sign({ scope: 'read prompts:write' }));
    expect((await newer.post(ping, session)).status).toBe(200);
    const stranger = httpClient(started.url, await started.server.sign({ sub: 'bob' }));
    expect((await stranger.post(ping, session)).status).toBe(404);
  });
});

describe('a hostile request', () => {
  it('is refused with 401 and a challenge, whatever the token is', async () => {
    const tokens = new NamedTokens(started.program.home);
    const valid = tokens.create('valid', ['admin']);
    const revoked = tokens.create('revoked', ['admin']);
    tokens.revoke('revoked');
    for (const { name, authorization, query = '', error } of await hostileTokens(started.server, {
      revoked,
      valid,
    })) {
      for (const path of ['/mcp', '/page/mcp', '/mcp/delegate']) {
        const response = await fetch(started.url + path + query, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...ping }),
        });
        const reason = error === undefined ? '' : `error="${error}", `;
        expect([name, response.status, response.headers.get('www-authenticate')]).toEqual([
          name,
          401,
          `Bearer ${reason}scope="read", resource_metadata="${metadataUrl()}"`,
        ]);
        const text = await response.text();
        if (authorization !== undefined) expect(text).not.toContain(authorization.split(' ')[1]);
      }
    }
    expect(started.program.stderr).not.toMatch(/error:/);
  });
});

interface SdkClient {
  connect(transport: unknown): Promise<void>;
  callTool(params: object): Promise<JsonObject>;
  close(): Promise<void>;
}

/** The part of the official client that keeps tokens, in memory. */
function createProvider(clientId: string | undefined) {
  const stored: Record<string, unknown> = {};
  const save = (name: string) => (value: unknown) => {
    stored[name] = value;
  };
  return {
    /** The address that a browser would open. */
    get opened() {
      return stored['opened'] as URL;
    },
    get redirectUrl() {
      return redirectUrl;
    },
    clientMetadata: {
      client_name: 'test',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => stored['client'] ?? (clientId && { client_id: clientId }),
    saveClientInformation: save('client'),
    tokens: () => stored['tokens'],
    saveTokens: save('tokens'),
    redirectToAuthorization: save('opened'),
    saveCodeVerifier: save('verifier'),
    codeVerifier: () => stored['verifier'],
    discoveryState: () => stored['discovery'],
    saveDiscoveryState: save('discovery'),
  };
}

describe('the official client', () => {
  it.each([
    ['registers itself, logs in and calls a tool', undefined],
    ['logs in with a registered client, and asks for more when a tool needs it', registeredClient],
  ])('%s', async (_, clientId) => {
    const { Client, StreamableHTTPClientTransport } = (await importComponent(
      '@modelcontextprotocol/client',
    )) as unknown as {
      Client: new (info: object) => SdkClient;
      StreamableHTTPClientTransport: new (
        url: URL,
        options: object,
      ) => { finishAuth(code: string | URLSearchParams): Promise<void> };
    };
    const authProvider = createProvider(clientId);
    const newTransport = () =>
      new StreamableHTTPClientTransport(new URL(`${started.url}/mcp`), { authProvider });
    const open = async () => {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(newTransport());
      return client;
    };
    await expect(open()).rejects.toThrow();
    const finish = async () => {
      const back = await logIn(authProvider.opened, 'ada');
      await newTransport().finishAuth(back.searchParams);
    };
    await finish();
    const client = await open();
    const listed = await client.callTool({ name: 'list_prompts', arguments: {} });
    expect(JSON.stringify(listed['structuredContent'])).toContain('greet');
    if (clientId !== undefined) {
      const create = { name: 'create_prompt', arguments: { name: 'mine', title: 'Mine', text: 'hello' } };
      await expect(client.callTool(create)).rejects.toThrow();
      expect(authProvider.opened.searchParams.get('scope')).toContain('prompts:write');
      await finish();
      const again = await open();
      expect(await again.callTool(create)).not.toHaveProperty('isError', true);
      await again.close();
    }
    await client.close();
  });
});

describe('an administrator with an access token', () => {
  it('creates no named token, which would outlast the access token', async () => {
    await using started = await startOAuthProgram(['read'], undefined, [], 'scopes = { boss = ["admin"] }');
    const inAMinute = Math.floor(Date.now() / 1000) + 60;
    const token = await started.server.sign({ scope: 'boss', sub: 'ada' }, inAMinute);
    const exchange = httpClient(started.url, token).modern('/page/mcp');
    for (const days of [{}, { days: 1 }]) {
      const params = { name: 'create_token', arguments: { name: 'forever', scopes: ['admin'], ...days } };
      expect(await exchange('tools/call', params)).toMatchObject({
        result: {
          isError: true,
          content: [{ text: expect.stringMatching(/access token .* cannot create named tokens/) }],
        },
      });
    }
    expect(new NamedTokens(started.program.home).list()).toEqual([]);
    const { result } = (await exchange('tools/call', {
      name: 'list_activity',
      arguments: { outcome: 'denied' },
    })) as { result: JsonObject };
    expect(JSON.stringify(result['structuredContent'])).toContain('create_token');
  });
});
