import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** Sends the request, with other headers if given, to the server behind the proxy. */
  forward(more?: Readonly<Record<string, string>>): Promise<Response>;
}

/** A reply, `cut` to break the connection without one, or a reply of which only the first half arrives. */
export type ProxiedReply = Response | 'cut' | { readonly half: Response };

export interface CalDavProxy {
  readonly url: string;
  /** Method and path of every request. */
  readonly requests: string[];
  /** Replaces the replies of the server; undefined to pass on all of them. */
  intercept: ((request: ProxiedRequest) => Promise<ProxiedReply>) | undefined;
  close(): Promise<void>;
}

/** Passes requests on to a real server, and lets a test break the replies. */
export async function startProxy(origin: string): Promise<CalDavProxy> {
  const requests: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    const { method = 'GET', url: path = '/' } = incoming;
    requests.push(`${method} ${path}`);
    const {
      connection,
      'content-length': length,
      'transfer-encoding': coding,
      ...headers
    } = incoming.headers;
    const forward: ProxiedRequest['forward'] = (more = {}) =>
      fetch(new URL(path, origin), {
        method,
        headers: { ...(headers as Record<string, string>), ...more },
        redirect: 'manual',
        ...(pieces.length > 0 && { body }),
      });
    try {
      const request = { method, path, body, headers, forward };
      const reply = await (proxy.intercept?.(request) ?? forward());
      if (reply === 'cut') return void outgoing.destroy();
      const whole = 'half' in reply ? reply.half : reply;
      const text = await whole.text();
      const kept = [...whole.headers].filter(
        ([name]) => !/^(content-length|content-encoding|transfer-encoding|connection)$/.test(name),
      );
      if ('half' in reply) {
        const bytes = Buffer.from(text);
        outgoing.writeHead(whole.status, { ...Object.fromEntries(kept), 'content-length': bytes.length + 1 });
        return void outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.destroy());
      }
      outgoing.writeHead(whole.status, Object.fromEntries(kept)).end(text);
    } catch (error) {
      outgoing.writeHead(502).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: CalDavProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    intercept: undefined,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

/** The reply with another entity tag in its header, or without one. */
export async function withTag(
  reply: Response,
  change: (tag: string) => string | undefined,
): Promise<Response> {
  const headers = new Headers(reply.headers);
  const known = headers.get('etag');
  const tag = known === null ? undefined : change(known);
  if (tag === undefined) headers.delete('etag');
  else headers.set('etag', tag);
  return new Response(reply.status === 204 ? null : await reply.text(), { status: reply.status, headers });
}

/**
 * Makes a proxy demand Digest authentication, and sign in to the server behind it with Basic. It refuses what RFC 7616 tells
 * servers to refuse: another address, a count that does not grow, an unknown nonce.
 */
export function digestGuard(login: string, password: string, kind: string) {
  const counts = kind !== 'without qop';
  const algorithm = counts ? kind : 'MD5';
  const hash = (...parts: readonly string[]) =>
    createHash(algorithm.startsWith('SHA') ? 'sha256' : 'md5')
      .update(parts.join(':'))
      .digest('hex');
  const realm = 'Calendars, "private"';
  /** The highest count of each nonce. */
  const counted = new Map<string, number>();
  const guard = {
    accepted: 0,
    forgetNonces: () => counted.clear(),
    async intercept({ method, path, headers, forward }: ProxiedRequest): Promise<Response> {
      if (isAnswer(method, path, String(headers['authorization'] ?? ''))) {
        guard.accepted += 1;
        const basic = Buffer.from(`${login}:${password}`).toString('base64');
        return forward({ authorization: `Basic ${basic}` });
      }
      const nonce = randomUUID();
      counted.set(nonce, 0);
      const challenge = `Digest realm="${realm.replaceAll('"', '\\"')}", nonce="${nonce}", algorithm=${algorithm}, opaque="x"`;
      return new Response('', {
        status: 401,
        headers: { 'www-authenticate': `${challenge}${counts ? ', qop="auth,auth-int"' : ''}` },
      });
    },
  };
  return guard;

  function isAnswer(method: string, path: string, header: string): boolean {
    const field = (name: string) =>
      new RegExp(`\\b${name}="?((?:[^"\\\\,]|\\\\.)*)`).exec(header)?.[1]?.replaceAll('\\', '') ?? '';
    const nonce = field('nonce');
    const last = counted.get(nonce);
    if (!header.startsWith('Digest ') || last === undefined || field('uri') !== path) return false;
    if (field('username') !== login || field('opaque') !== 'x') return false;
    const plain = hash(login, realm, password);
    const secret = algorithm.endsWith('-sess') ? hash(plain, nonce, field('cnonce')) : plain;
    const target = hash(method, path);
    if (!counts) return field('response') === hash(secret, nonce, target);
    const count = Number.parseInt(field('nc'), 16);
    const isNew = count > last;
    if (isNew) counted.set(nonce, count);
    return isNew && field('response') === hash(secret, nonce, field('nc'), field('cnonce'), 'auth', target);
  }
}
