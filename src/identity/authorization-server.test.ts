import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { AuthorizationServer } from './authorization-server.ts';

afterEach(() => vi.useRealTimers());

/** An authorization server that answers with its keys at this path, or with this status. */
async function startServer(answer: { keys: string; status: number }) {
  const server = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}${answer.keys}` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return issuer;
}

const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000);

it('an authorization server that moves its keys › is asked again after ten minutes, without a request that waits', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const answer = { keys: '/old', status: 200 };
  const issuer = await startServer(answer);
  const server = new AuthorizationServer(issuer);
  const keys = async () => (await server.metadata()).jwksUrl.slice(issuer.length);
  expect(await keys()).toBe('/old');
  answer.keys = '/new';
  pass(9);
  expect(await keys()).toBe('/old');
  pass(2);
  expect(await keys()).toBe('/old');
  await vi.waitFor(async () => expect(await keys()).toBe('/new'));
});

it('an outage of the metadata › the last known addresses stay in use', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const answer = { keys: '/keys', status: 200 };
  const issuer = await startServer(answer);
  const server = new AuthorizationServer(issuer);
  await server.metadata();
  answer.status = 500;
  pass(60);
  for (let request = 0; request < 3; request++)
    expect((await server.metadata()).jwksUrl).toBe(`${issuer}/keys`);
});
