import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createAddressOf } from './client-address.ts';

const trusted = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'];
const requestFrom = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

it.each([
  ['no proxy is trusted', [], '127.0.0.1', '192.0.2.1', '127.0.0.1'],
  ['the request comes from a client that is not a proxy', trusted, '192.0.2.7', '192.0.2.1', '192.0.2.7'],
  ['a trusted proxy forwards a request', trusted, '127.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['the connection is an IPv4 one on an IPv6 socket', trusted, '::ffff:127.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['the client wrote the header as well', trusted, '127.0.0.1', '203.0.113.5, 192.0.2.1', '192.0.2.1'],
  ['several trusted proxies forward it', trusted, '127.0.0.1', '192.0.2.1, fd00::7, 10.1.2.3', '192.0.2.1'],
  ['the proxy adds the port', trusted, '10.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
  ['the proxy adds the port to an IPv6 address', trusted, '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ['the header has an invalid entry', trusted, '127.0.0.1', '192.0.2.1, unknown, 10.0.0.2', '10.0.0.2'],
  ['the proxy sends no header', trusted, '127.0.0.1', undefined, '127.0.0.1'],
  ['a trusted proxy is itself the client', trusted, '127.0.0.1', '10.0.0.9', '10.0.0.9'],
  ['the connection is closed', trusted, undefined, '192.0.2.1', undefined],
])('address of a client › %s', (_, proxies, from, forwarded, address) => {
  expect(createAddressOf(proxies)(requestFrom(from, forwarded))).toBe(address);
});

it.each(['nginx', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0.0/8/8', ''])(
  'address of a client › trusted proxy "%s" is refused',
  (proxy) => {
    expect(() => createAddressOf([proxy])).toThrow(`http.trusted_proxies: "${proxy}" is not an address`);
  },
);
