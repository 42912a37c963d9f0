import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Failure } from '../failure.ts';

/** Returns the address of the client of a request. */
export type AddressOf = (request: IncomingMessage) => string | undefined;

/**
 * Proxies add the address from which they got a request to the end of `X-Forwarded-For`, so that the last entry that is not a
 * trusted proxy is the client. Everything before it was written by the client. Throws if a proxy is neither an address nor a range.
 */
export function createAddressOf(trustedProxies: readonly string[]): AddressOf {
  const proxies = new BlockList();
  for (const proxy of trustedProxies) addProxy(proxies, proxy);
  const isProxy = (address: string) => proxies.check(address, familyOf(address));
  return ({ headers, socket }) => {
    let found = socket.remoteAddress;
    if (trustedProxies.length === 0 || found === undefined || !isProxy(found)) return found;
    for (const entry of String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .reverse()) {
      const address = withoutPort(entry.trim());
      if (isIP(address) === 0) return found;
      found = address;
      if (!isProxy(address)) return found;
    }
    return found;
  };
}

function addProxy(proxies: BlockList, proxy: string): void {
  const [address = '', prefix, ...more] = proxy.split('/');
  const bits = Number(prefix ?? 0);
  const isValid =
    isIP(address) !== 0 && (prefix === undefined || /^\d{1,3}$/.test(prefix)) && more.length === 0;
  if (!isValid || bits > (isIP(address) === 4 ? 32 : 128))
    throw new Failure(
      'invalid-params',
      `http.trusted_proxies: "${proxy}" is not an address (127.0.0.1) or a range of addresses (10.0.0.0/8).`,
    );
  if (prefix === undefined) proxies.addAddress(address, familyOf(address));
  else proxies.addSubnet(address, bits, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Some proxies add the port: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}
