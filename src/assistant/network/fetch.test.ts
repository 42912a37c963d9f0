import dns from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressGuard, isSpecialAddress } from './address-guard.ts';
import { createFetch } from './fetch.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const strictFetch = createFetch({ section: 'calendars', privateHosts: [], maxBytes: 1000 });
const trustingFetch = createFetch({
  section: 'calendars',
  privateHosts: ['127.0.0.1'],
  maxBytes: 1000,
  timeoutMs: 300,
});

describe('the private addresses', () => {
  it.each([
    '127.0.0.1',
    '127.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
  ])('include %s', (address) => {
    expect(isSpecialAddress(address)).toBe(true);
  });

  it.each(['8.8.8.8', '172.32.0.1', '193.168.1.1', '2606:4700::1111', '2a00:1450::1'])(
    'do not include %s',
    (address) => {
      expect(isSpecialAddress(address)).toBe(false);
    },
  );

  it.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://[::1]:1/',
    'http://2130706433:1/',
    'http://0x7f.1:1/',
    'http://0177.0.0.1:1/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://user:secret@10.0.0.1/',
  ])('cannot be fetched: %s', async (address) => {
    await expect(strictFetch(address)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('calendars.private_hosts'),
    });
  });

  it('cannot be reached through a redirect', async () => {
    const seen: string[] = [];
    const inner = await serve((request, response) => {
      seen.push(request.url!);
      response.end('secret');
    });
    const outer = await serve((_, response) => {
      response.writeHead(302, { location: `${inner.replace('127.0.0.1', 'localhost')}/secret` }).end();
    });
    await expect(trustingFetch(outer)).rejects.toMatchObject({ kind: 'refused' });
    expect(seen).toEqual([]);
  });

  it('can be fetched only from hosts listed in the settings', async () => {
    const address = await serve((_, response) => response.end('hello'));
    expect(await (await trustingFetch(address)).text()).toBe('hello');
    await expect(trustingFetch(address.replace('127.0.0.1', '127.0.0.2'))).rejects.toMatchObject({
      kind: 'refused',
    });
  });
});

describe('a host name whose DNS records change', () => {
  const { lookup } = dns;
  afterEach(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  });

  /** Makes DNS return these addresses, one list per lookup. */
  function mockLookups(...each: readonly (readonly string[])[]): void {
    const left = [...each];
    const answer = (_host: string, _options: unknown, done: (error: null, found: unknown[]) => void) =>
      done(
        null,
        left.shift()!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    dns.lookup = answer as unknown as typeof lookup;
    syncBuiltinESMExports();
  }
  const resolve = (host: string, all: boolean) =>
    new Promise((done) =>
      new AddressGuard([], 'calendars.private_hosts').lookup(host, { all }, (error, found) =>
        done(error ?? found),
      ),
    );

  it('is connected to at the addresses that were checked, without the private ones', async () => {
    const mixed = ['127.0.0.1', '8.8.8.8', '::1', 'fe80::1%eth0', '2606:4700::1111'];
    mockLookups(mixed, mixed);
    expect(await resolve('rebind.example.com', true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await resolve('rebind.example.com', false)).toBe('8.8.8.8');
  });

  it('is resolved once per connection and rejected if the address is private', async () => {
    const seen: string[] = [];
    const address = await serve((request, response) => {
      seen.push(request.url!);
      response.end();
    });
    const hostile = address.replace('127.0.0.1', 'rebind.example.com');
    mockLookups(['127.0.0.1'], ['8.8.8.8']);
    await expect(strictFetch(hostile)).rejects.toMatchObject({
      kind: 'refused',
      message:
        'rebind.example.com has the private address 127.0.0.1; list it in calendars.private_hosts to allow it.',
    });
    expect(seen).toEqual([]);
  });
});

describe('createFetch', () => {
  it('rejects URLs other than http and https', async () => {
    await expect(strictFetch('file:///etc/passwd')).rejects.toMatchObject({ kind: 'invalid-params' });
    await expect(strictFetch('ftp://example.com/')).rejects.toMatchObject({ kind: 'invalid-params' });
  });

  it('rejects responses that are too large, with or without content-length and compression', async () => {
    const large = 'x'.repeat(1001);
    const announced = await serve((_, response) => response.end(large));
    const silent = await serve((_, response) => {
      response.write('x'.repeat(600));
      response.end('x'.repeat(600));
    });
    const packed = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(large));
    });
    const refusal = { kind: 'refused', message: expect.stringContaining('calendars.max_bytes') };
    await expect(trustingFetch(announced)).rejects.toMatchObject(refusal);
    await expect(trustingFetch(silent).then((response) => response.text())).rejects.toMatchObject(refusal);
    await expect(trustingFetch(packed).then((response) => response.text())).rejects.toMatchObject(refusal);
  });

  it('decompresses responses', async () => {
    const address = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('calendar'));
    });
    expect(await (await trustingFetch(address)).text()).toBe('calendar');
  });

  it('names the host if a response never arrives or is interrupted', async () => {
    const silent = await serve(() => {});
    const broken = await serve((_, response) => {
      response.write('half');
      setTimeout(() => response.destroy(), 10);
    });
    const closedPort = 'http://127.0.0.1:1/';
    await expect(trustingFetch(silent)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ does not respond\.$/),
    });
    await expect(trustingFetch(broken).then((response) => response.text())).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await expect(trustingFetch(closedPort)).rejects.toMatchObject({
      kind: 'unavailable',
      message: '127.0.0.1:1 cannot be reached (ECONNREFUSED).',
    });
  });

  it('follows redirects with the same method and sends no password to another host', async () => {
    const seen: (string | undefined)[] = [];
    const last = await serve((request, response) => {
      seen.push(request.method, request.headers.authorization);
      response.end('there');
    });
    const first = await serve((request, response) => {
      seen.push(request.method, request.headers.authorization);
      response.writeHead(307, { location: last }).end();
    });
    const response = await trustingFetch(first.replace('//', '//me:pass@'), {
      method: 'PROPFIND',
      body: '<x/>',
    });
    expect(await response.text()).toBe('there');
    expect(seen).toEqual(['PROPFIND', 'Basic bWU6cGFzcw==', 'PROPFIND', undefined]);
  });

  it('gives up on a redirect loop', async () => {
    const address = await serve((_, response) => response.writeHead(301, { location: '/again' }).end());
    await expect(trustingFetch(address)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
