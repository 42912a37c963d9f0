import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface GuardOptions {
  /** Names, besides the local ones, under which the server may be addressed. */
  readonly allowedHosts: readonly string[];
  /** Absent only where the tests of the protocol itself cannot send one. */
  readonly token?: string;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

const local = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A page of another site must not reach us through the browser of the person who runs us. */
export function checkOrigin(headers: IncomingHttpHeaders, options: GuardOptions): Refusal | undefined {
  const host = hostOf(`http://${headers.host ?? ''}`);
  if (!isAllowed(host, options)) {
    return {
      status: 403,
      message: `The host "${headers.host ?? ''}" is not one this server answers to (setting http.allowed_hosts).`,
    };
  }
  const { origin } = headers;
  if (origin !== undefined && !isAllowed(hostOf(origin), options)) {
    return { status: 403, message: `The origin "${origin}" is not allowed (setting http.allowed_hosts).` };
  }
  return undefined;
}

export function checkToken(headers: IncomingHttpHeaders, options: GuardOptions): Refusal | undefined {
  if (options.token === undefined) return undefined;
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (given !== undefined && timingSafeEqual(digest(given), digest(options.token))) return undefined;
  return {
    status: 401,
    message:
      given === undefined
        ? 'Every call needs the header "Authorization: Bearer TOKEN"; the token is in the address the server printed at its start.'
        : 'The token is not the one of this server; the right one is in the address it printed at its start.',
  };
}

function isAllowed(host: string | undefined, { allowedHosts }: GuardOptions): boolean {
  return host !== undefined && (local.has(host) || allowedHosts.includes(host));
}

function hostOf(address: string): string | undefined {
  try {
    return new URL(address).hostname;
  } catch {
    return undefined;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
