import type { IncomingHttpHeaders } from 'node:http';

export interface GuardOptions {
  /** Host names, besides the local ones, that clients may use. */
  readonly allowedHosts: readonly string[];
}

export interface Refusal {
  readonly status: 403;
  readonly message: string;
}

const local = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Rejects requests that a page of another site sends through the user's browser (DNS rebinding, CSRF). */
export function checkOrigin(headers: IncomingHttpHeaders, options: GuardOptions): Refusal | undefined {
  const host = hostOf(`http://${headers.host ?? ''}`);
  if (!isAllowed(host, options)) {
    return {
      status: 403,
      message: `The host "${headers.host ?? ''}" is not allowed (setting http.allowed_hosts).`,
    };
  }
  const { origin } = headers;
  if (origin !== undefined && !isAllowed(hostOf(origin), options)) {
    return { status: 403, message: `The origin "${origin}" is not allowed (setting http.allowed_hosts).` };
  }
  return undefined;
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
