import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Introspection } from './introspection.ts';

let answer: (token: string, response: ServerResponse) => void;
const asked: string[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const token = new URLSearchParams(body).get('token')!;
  asked.push(token);
  answer(token, response);
});
let url: string;
let introspection: Introspection;

const reply = (response: ServerResponse, active: boolean) => response.end(JSON.stringify({ active }));

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  asked.length = 0;
  answer = (token, response) => reply(response, token.startsWith('good'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  introspection = new Introspection({ id: 'x', secret: 'y' });
});
afterEach(async () => {
  vi.useRealTimers();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('an outage › an active token stays good for five minutes, and not longer', async () => {
  expect(await introspection.ask(url, 'good', 'a')).toEqual({ active: true });
  answer = (_, response) => response.writeHead(500).end();
  vi.setSystemTime(Date.now() + 290_000);
  expect(await introspection.ask(url, 'good', 'a')).toEqual({ active: true });
  expect(asked).toHaveLength(2);
  vi.setSystemTime(Date.now() + 11_000);
  await expect(introspection.ask(url, 'good', 'a')).rejects.toThrow('status 500');
});

it('a revoked token is refused after ten seconds, also in a later outage', async () => {
  await introspection.ask(url, 'good', 'a');
  answer = (_, response) => reply(response, false);
  vi.setSystemTime(Date.now() + 11_000);
  expect(await introspection.ask(url, 'good', 'a')).toEqual({ active: false });
  answer = (_, response) => response.writeHead(500).end();
  vi.setSystemTime(Date.now() + 11_000);
  await expect(introspection.ask(url, 'good', 'a')).rejects.toThrow('status 500');
});

it('inactive tokens do not displace the answer about an active one', async () => {
  await introspection.ask(url, 'good', 'a');
  for (let number = 0; number < 1_100; number++) await introspection.ask(url, `junk-${number}`, 'a');
  asked.length = 0;
  await introspection.ask(url, 'good', 'a');
  expect(asked).toEqual([]);
});

it('a flood from one address › a token from another address is next', async () => {
  const held: (() => void)[] = [];
  answer = (token, response) => void held.push(() => reply(response, token.startsWith('good')));
  const flood = Array.from({ length: 200 }, (_, number) =>
    introspection.ask(url, `junk-${number}`, 'attacker'),
  );
  await expect.poll(() => held.length).toBe(20);
  const good = introspection.ask(url, 'good', 'person');
  held.shift()!();
  held.shift()!();
  await expect.poll(() => asked).toContain('good');
  answer = (token, response) => reply(response, token.startsWith('good'));
  for (const one of held) one();
  expect(await good).toEqual({ active: true });
  await Promise.all(flood);
});

it('more than 200 waiting tokens of one address › further ones are refused at once', async () => {
  answer = () => {};
  const flood = Array.from({ length: 220 }, (_, number) =>
    introspection.ask(url, `junk-${number}`, 'attacker').catch(() => undefined),
  );
  await expect(introspection.ask(url, 'one more', 'attacker')).rejects.toThrow('wait to be checked');
  server.closeAllConnections();
  answer = (_, response) => reply(response, false);
  await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(220);
  server.closeAllConnections();
  await Promise.all(flood);
});
