import type { IncomingMessage } from 'node:http';
import { singleLine } from '../single-line.ts';

export interface GuardOptions {
  /** Host names, besides the local ones, that clients may use. */
  readonly allowedHosts: readonly string[];
}

/** What a request may do without an allowed origin. */
interface PathOptions {
  /** The address contains a secret that permits the request, so it does not matter which page sends it. */
  readonly anyOrigin?: boolean;
}

export interface Refusal {
  readonly status: 403;
  readonly message: string;
}

const local = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Rejects requests that a page of another site sends through the user's browser (DNS rebinding, CSRF). */
export function checkOrigin(
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  options: Pick<GuardOptions, 'allowedHosts'> & PathOptions,
): Refusal | undefined {
  const refusal = (what: string, value: string): Refusal => ({
    status: 403,
    message: `The ${what} "${singleLine(value)}" is not allowed (setting http.allowed_hosts).`,
  });
  const { host = '', origin } = headers;
  // Of two Host headers, Node keeps the first. A proxy in front of this server may have checked the second.
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (/^host$/i.test(rawHeaders[index]!)) hosts++;
  if (hosts > 1) return { status: 403, message: 'The request has more than one Host header.' };
  if (!isAllowed(host, options)) return refusal('host', host);
  if (options.anyOrigin) return undefined;
  if (origin !== undefined && !isAllowed(/^https?:\/\/(.*)$/is.exec(origin)?.[1], options))
    return refusal('origin', origin);
  return undefined;
}

/**
 * Compares the name with the allowed ones. A URL parser would accept more: it drops user names and paths, decodes characters,
 * and reads 0x7f.1 as an address.
 */
function isAllowed(
  authority: string | undefined,
  { allowedHosts }: Pick<GuardOptions, 'allowedHosts'>,
): boolean {
  const name = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::\d{1,5})?$/i.exec(authority ?? '')?.[1]?.toLowerCase();
  // IPv6 addresses are in brackets here, but not in the settings.
  const matches = (allowed: string) => [allowed.toLowerCase(), `[${allowed.toLowerCase()}]`].includes(name!);
  return name !== undefined && (local.has(name) || allowedHosts.some(matches));
}
