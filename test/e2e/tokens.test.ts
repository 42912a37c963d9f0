import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { httpClient } from '../identity/http-client.ts';
import { bundle, greeting, Program } from '../program.ts';

let program: Program;
let url: string;
let ownerToken: string;

beforeAll(async () => {
  program = new Program(['serve', '--http', '--port', '0'], { commands: greeting });
  url = (await program.untilStderr(/MCP: +(\S+)\/mcp/))[1]!;
  ownerToken = readFileSync(join(program.home, 'token'), 'utf8').trim();
});
afterAll(() => program[Symbol.asyncDispose]());

/** Runs `adjutant tokens` with the home folder of the server. */
function tokens(...args: readonly string[]): JsonObject {
  try {
    const argv = [bundle, 'tokens', ...args, '--json', '--home', program.home];
    return JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8' })) as JsonObject;
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout) as JsonObject;
  }
}

function create(name: string, ...scopes: readonly string[]): string {
  return String(tokens('create', name, '--scope', scopes.join(','))['token']);
}

describe('adjutant tokens', () => {
  it('stores only a hash, which nobody else can read', () => {
    const token = create('laptop', 'read', 'calendar:ada');
    const folder = join(program.home, 'tokens');
    const files = readdirSync(folder);
    expect(files).toContain('token-laptop.json');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of files) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, file), 'utf8')).not.toContain(token.split('_')[2]);
    }
    expect(tokens('list')).toEqual({
      tokens: [{ name: 'laptop', scopes: ['read', 'calendar:ada'], created_at: expect.any(String) }],
    });
  });

  it.each([
    [['create', 'laptop', '--scope', 'read'], /already a token "laptop".*revoke laptop/],
    [['create', 'a', '--scope', 'reed'], /unknown scope "reed"; did you mean read\?/],
    [['create', 'a', '--scope', 'calendar:USER'], /replace USER/],
    [['create', 'a', '--scope', 'calendar:../x'], /unknown scope/],
    [['create', 'a'], /--scope: read, /],
    [['create', '../a', '--scope', 'read'], /not a valid token name/],
    [['create', 'A', '--scope', 'read'], /small letters/],
    [['create'], /tokens create needs NAME/],
    [['revoke', 'nobody'], /no token "nobody"/],
    [['revoke'], /tokens revoke needs TOKEN/],
    [['lsit'], /Did you mean: adjutant tokens list/],
  ])('%j is an error that says what to do', (args, message) => {
    expect(tokens(...args)).toEqual({
      error: { kind: expect.any(String), message: expect.stringMatching(message) },
    });
    expect(tokens('list')['tokens']).toHaveLength(1);
  });
});

describe('tokens rotate-owner', () => {
  it('replaces the token at once, ends streams of the former one, and keeps one that is damaged', async () => {
    const file = join(program.home, 'token');
    const former = httpClient(url, ownerToken);
    const listening = await former.sendModern('subscriptions/listen', {
      notifications: { promptsListChanged: true },
    });
    expect(listening.status).toBe(200);
    const rotated = tokens('rotate-owner');
    expect(rotated).toEqual({ token: readFileSync(file, 'utf8').trim(), token_file: file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const status = async (client: typeof former) => (await client.post({ method: 'ping' })).status;
    expect(await status(former)).toBe(401);
    expect(await status(httpClient(url, String(rotated['token'])))).toBe(200);
    await expect(listening.text()).rejects.toThrow();
    ownerToken = String(rotated['token']);
    writeFileSync(file, 'short\n');
    expect(await status(httpClient(url, ownerToken))).toBe(200);
    writeFileSync(file, `${ownerToken}\n`);
  });

  it.each(['create x --scope read', 'revoke laptop', 'rotate-owner'])(
    'tokens %s --read-only › is refused',
    (line) => {
      expect(tokens(...line.split(' '), '--read-only')).toMatchObject({
        error: { message: expect.stringContaining('read_only is set (flag --read-only)') },
      });
      expect(readFileSync(join(program.home, 'token'), 'utf8').trim()).toBe(ownerToken);
    },
  );
});

describe('a named token', () => {
  it('is accepted without a restart, and sees only what its scopes allow', async () => {
    const client = httpClient(url, create('reader', 'read'));
    const { result } = (await client.modern()('tools/list', {})) as { result: { tools: { name: string }[] } };
    const names = result.tools.map(({ name }) => name);
    expect(names).toContain('list_prompts');
    expect(names).not.toContain('list_users');
    const denied = (await client.modern()('tools/call', { name: 'list_users', arguments: {} })) as JsonObject;
    expect(denied['error']).toMatchObject({ message: expect.stringContaining('scope calendar:USER') });
    const inside = { name: 'call_tool', arguments: { name: 'list_users' } };
    expect(JSON.stringify(await client.modern()('tools/call', inside))).toContain('scope calendar:USER');
  });

  it('cannot use the session of another token, not even to end it', async () => {
    const session = await httpClient(url, ownerToken).session();
    const { post } = httpClient(url, create('intruder', 'admin'));
    const headers = { authorization: `Bearer ${create('other', 'admin')}`, ...session };
    expect((await post({ method: 'ping' }, session)).status).toBe(404);
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(`${url}/mcp`, { method, headers })).status).toBe(404);
    expect((await httpClient(url, ownerToken).post({ method: 'ping' }, session)).status).toBe(200);
  });

  it.each(['read', 'admin'])(
    'with %s is refused at once when it is revoked, and all that is open ends',
    async (scope) => {
      const name = `short-lived-${scope}`;
      const token = create(name, scope);
      const client = httpClient(url, token);
      const session = await client.session();
      const authorization = `Bearer ${token}`;
      const stream = await fetch(`${url}/mcp`, { headers: { authorization, ...session } });
      const listen = await client.sendModern('subscriptions/listen', {
        notifications: { promptsListChanged: true },
      });
      expect([stream.status, listen.status]).toEqual([200, 200]);
      expect(tokens('revoke', name)).toEqual({ revoked: name });
      const refused = await client.post({ method: 'ping' }, session);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      // Both streams end without waiting for the client.
      await Promise.all([stream, listen].map(async (one) => one.text().catch(() => 'ended')));
      // A new token of the same name does not bring the session back.
      expect((await httpClient(url, create(name, scope)).post({ method: 'ping' }, session)).status).toBe(404);
    },
  );
});

describe('connect_client', () => {
  /** Calls the tool as the page does. */
  const connect = async (at: string, token: string) => {
    const params = { name: 'connect_client', arguments: { client: 'claude', dry_run: true } };
    return JSON.stringify(await httpClient(at, token).modern('/page/mcp')('tools/call', params));
  };

  it('is for the owner and tokens with the scope admin: every other named token is refused', async () => {
    for (const token of [ownerToken, create('admin', 'admin')])
      expect(await connect(url, token)).toContain('"difference"');
    const others = ['read', 'prompts:write', 'calendar:*', 'delegate:workspace-write', 'routines'];
    expect(await connect(url, create('colleague', ...others))).toContain(
      'connect_client is not available: it needs a token with the scope admin',
    );
  });

  it('is refused on a server that other machines can reach', async () => {
    const file = join(program.home, 'public-token');
    const token = 'a'.repeat(64);
    writeFileSync(file, token, { mode: 0o600 });
    await using open = new Program([
      'serve',
      '--http',
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--token-file',
      file,
    ]);
    const [, port] = await open.untilStderr(/MCP: +http:\/\/[^ ]+:(\d+)\/mcp/);
    expect(await connect(`http://127.0.0.1:${port}`, token)).toContain(
      'Clients can be connected on the page of a server that only this machine can reach.',
    );
  });
});
