import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { Failure } from '../../failure.ts';
import { decodePercent } from '../../single-line.ts';
import { AddressGuard } from './address-guard.ts';

export interface FetchOptions {
  /** Section of the settings that holds these options, for error messages. */
  readonly section: 'calendars' | 'delivery';
  /** Hosts that may have private addresses; `*` allows all. */
  readonly privateHosts: readonly string[];
  /** Maximum size of a response after decompression. Default: unlimited; the caller must then limit what it reads. */
  readonly maxBytes?: number;
  /** Maximum time without any data from the server. */
  readonly timeoutMs?: number;
  /** Reuses connections for later requests to the same host. */
  readonly keepAlive?: boolean;
}

interface Connection {
  readonly options: Required<FetchOptions>;
  readonly guard: AddressGuard;
  readonly agents?: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
}

const maxRedirects = 5;

/**
 * A `fetch` for untrusted URLs. It blocks private addresses unless they are allowed, checks every redirect, connects only
 * to addresses that passed the check, and limits the size of responses.
 */
export function createFetch(given: FetchOptions): typeof fetch {
  const options = { maxBytes: Number.POSITIVE_INFINITY, timeoutMs: 30_000, keepAlive: false, ...given };
  const guard = new AddressGuard(options.privateHosts, `${options.section}.private_hosts`);
  const agentOptions = { keepAlive: true };
  const connection: Connection = {
    options,
    guard,
    ...(options.keepAlive && {
      agents: { 'http:': new HttpAgent(agentOptions), 'https:': new HttpsAgent(agentOptions) },
    }),
  };

  async function follow(url: URL, init: RequestInit, hops: number): Promise<Response> {
    if (!/^https?:$/.test(url.protocol))
      throw new Failure('invalid-params', `URLs with ${url.protocol}// are not supported; use https://.`);
    guard.check(url);
    const response = await exchange(url, init, connection);
    const location = response.headers.get('location');
    if (
      init.redirect === 'manual' ||
      location === null ||
      ![301, 302, 303, 307, 308].includes(response.status)
    )
      return response;
    await response.body?.cancel();
    if (hops === 0) throw new Failure('unavailable', `${url.host} redirects too many times.`);
    const next = new URL(location, url);
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw new Failure('refused', `${url.host} redirects from https to http, which is not secure.`);
    const headers = new Headers(init.headers);
    // Never send credentials to a different origin.
    if (next.origin !== url.origin) headers.delete('authorization');
    const { body, ...rest } = init;
    const again = response.status === 303 ? { ...rest, method: 'GET' } : init;
    return follow(
      next,
      { ...again, headers, ...(body !== undefined && again === init && { body }) },
      hops - 1,
    );
  }

  return async (input, init = {}) =>
    follow(new URL(input instanceof Request ? input.url : input), init, maxRedirects);
}

function exchange(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit,
  { options: { section, maxBytes, timeoutMs }, guard, agents }: Connection,
): Promise<Response> {
  const sent = new Headers({ ...basicAuth(url), ...Object.fromEntries(new Headers(headers)) });
  sent.set('accept-encoding', 'gzip, deflate, br');
  if (!sent.has('user-agent')) sent.set('user-agent', 'Adjutant');
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = request(url, {
      method,
      headers: Object.fromEntries(sent),
      auth: '',
      agent: agents?.[url.protocol as keyof typeof agents] ?? false,
      lookup: guard.lookup,
      timeout: timeoutMs,
      ...(signal && { signal }),
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Failure('unavailable', `${url.host} does not respond.`)),
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => reject(unreachable(error, url)));
    outgoing.on('response', (incoming) => {
      const tooLarge = () =>
        new Failure(
          'refused',
          `The response of ${url.host} is larger than ${Math.round(maxBytes / 1e6)} MB; raise ${section}.max_bytes.`,
        );
      if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
        outgoing.destroy();
        return reject(tooLarge());
      }
      const status = incoming.statusCode ?? 0;
      const answered = new Headers();
      for (const [name, values] of Object.entries(incoming.headersDistinct))
        for (const value of values ?? []) answered.append(name, value);
      if (status === 204 || status === 304 || method === 'HEAD') {
        incoming.resume();
        return resolve(new Response(null, { status, headers: answered }));
      }
      const unpacked = unpack(incoming, incoming.headers['content-encoding']);
      const limited = Readable.from(limitSize(unpacked, maxBytes, tooLarge, url));
      // A response that is never read must not keep the process alive.
      limited.on('close', () => outgoing.destroy());
      resolve(new Response(Readable.toWeb(limited) as ReadableStream, { status, headers: answered }));
    });
    outgoing.end(body ?? undefined);
  });
}

/** Returns an `authorization` header for the user name and password in a URL. */
export function basicAuth({ username, password }: URL): { readonly authorization?: string } {
  if (username === '') return {};
  const login = [username, password].map(decodePercent).join(':');
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

function unpack(stream: Readable, encoding: string | undefined): Readable {
  const decoder: Transform | undefined =
    encoding === 'br'
      ? createBrotliDecompress()
      : /gzip|deflate/.test(encoding ?? '')
        ? createUnzip()
        : undefined;
  if (decoder === undefined) return stream;
  stream.on('error', (error) => decoder.destroy(error));
  return stream.pipe(decoder);
}

async function* limitSize(
  stream: Readable,
  maxBytes: number,
  tooLarge: () => Failure,
  url: URL,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge();
      yield piece;
    }
  } catch (error) {
    throw unreachable(error as NodeJS.ErrnoException, url);
  }
}

function unreachable(error: NodeJS.ErrnoException, url: URL): Error {
  if (error instanceof Failure || error.name === 'AbortError') return error;
  const reason =
    error.code === 'ENOTFOUND' ? 'cannot be resolved' : `cannot be reached (${error.code ?? error.message})`;
  return new Failure('unavailable', `${url.host} ${reason}.`, { cause: error });
}
