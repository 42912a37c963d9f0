import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Failure } from '../../failure.ts';

/**
 * Private, reserved and multicast addresses (IANA special-purpose registries). IPv6 addresses that embed an IPv4 address
 * are included, because no public calendar or webhook uses them.
 */
const special = {
  ipv4: blockList(
    'ipv4',
    `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
     192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`,
  ),
  ipv6: blockList(
    'ipv6',
    `::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16
     fc00::/7 fe80::/10 fec0::/10 ff00::/8`,
  ),
};

function blockList(family: 'ipv4' | 'ipv6', ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(/\s+/)) {
    const [network, bits] = range.split('/');
    list.addSubnet(network!, Number(bits), family);
  }
  return list;
}

export function isSpecialAddress(address: string): boolean {
  const family = ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)];
  return family === undefined || special[family].check(address, family);
}

/** Allows public addresses, and private ones only for hosts listed in a setting. */
export class AddressGuard {
  readonly #trusted: ReadonlySet<string>;
  readonly #setting: string;

  constructor(trustedHosts: readonly string[], setting: string) {
    this.#trusted = new Set(trustedHosts.map(plainHost));
    this.#setting = setting;
  }

  /** Rejects URLs with a private IP address. Host names are checked when they are resolved. */
  check(url: URL): void {
    const host = plainHost(url.hostname);
    if (isIP(host) !== 0 && isSpecialAddress(host) && !this.#trusts(host)) throw this.#refusal(host, host);
  }

  /** Resolves a host name to its allowed addresses; the connection uses them without a second lookup. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const usable = this.#trusts(plainHost(host))
        ? found
        : found.filter(({ address }) => !isSpecialAddress(address));
      if (usable.length === 0) return callback(this.#refusal(host, found[0]?.address ?? 'none'), []);
      return options.all ? callback(null, usable) : callback(null, usable[0]!.address, usable[0]!.family);
    });
  };

  #trusts(host: string): boolean {
    return this.#trusted.has(host) || this.#trusted.has('*');
  }

  #refusal(host: string, address: string): Failure {
    const where =
      host === address ? `${host} is a private address` : `${host} has the private address ${address}`;
    return new Failure('refused', `${where}; list it in ${this.#setting} to allow it.`);
  }
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
