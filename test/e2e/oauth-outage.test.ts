import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { httpClient } from '../identity/http-client.ts';
import { type OAuthProgram, startOAuthProgram } from '../identity/oauth-program.ts';

type Fault = (request: IncomingMessage, response: ServerResponse, pass: () => void) => void;

/** What the proxy in front of the authorization server does with requests to a path. */
const faults = new Map<string, Fault>();
const asked: string[] = [];
let started: OAuthProgram;
beforeAll(async () => {
  started = await startOAuthProgram(['read'], undefined, [], '', (request, response, pass) => {
    const path = request.url ?? '';
    asked.push(path);
    const fault = [...faults].find(([part]) => path.includes(part))?.[1];
    if (fault === undefined) pass();
    else fault(request, response, pass);
  });
});
afterEach(() => {
  faults.clear();
  asked.length = 0;
});
afterAll(() => started[Symbol.asyncDispose]());

const answer =
  (status: number, body: string): Fault =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
const slowly: Fault = (_, __, pass) => void setTimeout(pass, 300);

async function ping(token: string): Promise<Response> {
  return httpClient(started.url, token).post({ method: 'ping' });
}

it.each([
  ['the metadata', '/.well-known/', answer(500, 'broken')],
  ['keys with status 500', '/jwks', answer(500, 'broken')],
  ['keys that are HTML', '/jwks', answer(200, '<html>Maintenance</html>')],
  ['keys that are no keys', '/jwks', answer(200, '{"keys":"none"}')],
  ['keys by a broken connection', '/jwks', ((request) => request.socket.destroy()) as Fault],
])('outage of %s › answers 503 with Retry-After, and works afterwards', async (_, path, fault) => {
  await using other = await startOAuthProgram(['read'], undefined, [], '', (request, response, pass) =>
    faults.size > 0 && request.url?.includes(path) ? fault(request, response, pass) : pass(),
  );
  const token = await other.server.sign({});
  faults.set('any', fault);
  const refused = await httpClient(other.url, token).post({ method: 'ping' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  faults.clear();
  await expect
    .poll(async () => (await httpClient(other.url, token).post({ method: 'ping' })).status, {
      timeout: 30_000,
      interval: 500,
    })
    .toBe(200);
});

it('an outage of the keys › tokens signed with a known key stay good', async () => {
  expect((await ping(await started.server.sign({}))).status).toBe(200);
  faults.set('/jwks', answer(500, 'broken'));
  expect((await ping(await started.server.sign({ sub: 'new' }))).status).toBe(200);
});

it('a new signing key › its tokens are accepted at once, and those of the old key still', async () => {
  const old = await started.server.sign({});
  expect((await ping(old)).status).toBe(200);
  for (let round = 0; round < 2; round++) {
    await started.server.rotateKey();
    const tokens = await Promise.all(['ada', 'bob', 'cy'].map((sub) => started.server.sign({ sub })));
    const statuses = await Promise.all(tokens.map(async (token) => (await ping(token)).status));
    expect(statuses).toEqual([200, 200, 200]);
    expect((await ping(old)).status).toBe(200);
  }
});

it('tokens with keys that nobody knows › are refused with few requests for keys', async () => {
  const forged = (kid: string) =>
    [{ alg: 'RS256', kid }, { iss: started.server.issuer }, 'x']
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
  const responses = await Promise.all(
    Array.from({ length: 60 }, (_, number) => ping(forged(`forged-${number}`))),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
  expect(asked.filter((path) => path.includes('/jwks')).length).toBeLessThan(10);
});

it('an outage of the introspection › a token that was active stays good, a new one gets 503', async () => {
  const [seen, unseen] = [
    await started.server.machineToken('read', 'opaque'),
    await started.server.machineToken('read', 'opaque'),
  ];
  expect((await ping(seen)).status).toBe(200);
  faults.set('/introspection', answer(500, 'broken'));
  const refused = await ping(unseen);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await ping(seen)).status).toBe(200);
});

it('junk on 40 connections with a slow introspection › no good token is refused', async () => {
  const good = await Promise.all(
    Array.from({ length: 20 }, () => started.server.machineToken('read', 'opaque')),
  );
  faults.set('/introspection', slowly);
  let isOver = false;
  let junk = 0;
  const flood = Promise.all(
    Array.from({ length: 40 }, async (_, connection) => {
      for (let number = 0; !isOver && number < 1_000; number++) {
        expect((await ping(`junk-${connection}-${number}`)).status).toBe(401);
        junk += 1;
      }
    }),
  );
  await expect.poll(() => junk, { timeout: 30_000 }).toBeGreaterThan(20);
  const statuses = await Promise.all(good.map(async (token) => (await ping(token)).status));
  isOver = true;
  await flood;
  expect(statuses).toEqual(good.map(() => 200));
});
