import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { Failure } from '../../failure.ts';
import { AddressGuard } from './address-guard.ts';

export interface FetchOptions {
  /** The section of the settings that these options are from, for who has to change them. */
  readonly section: 'calendars' | 'delivery';
  /** Hosts with private addresses that may be asked; `*` for all. */
  readonly privateHosts: readonly string[];
  /** The longest answer, unpacked; whoever sets none reads with measure. */
  readonly maxBytes?: number;
  /** How long an answer may keep silent. */
  readonly timeoutMs?: number;
  /** Keeps connections for the next request to the same host. */
  readonly keepAlive?: boolean;
}

interface Line {
  readonly options: Required<FetchOptions>;
  readonly guard: AddressGuard;
  readonly agents?: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
}

const mostRedirects = 5;

/**
 * `fetch` for addresses that strangers may have written: it goes to no private address unless that is wanted, looks
 * again at every redirect, connects to the address it looked at, and reads no more than agreed.
 */
export function createFetch(given: FetchOptions): typeof fetch {
  const options = { maxBytes: Number.POSITIVE_INFINITY, timeoutMs: 30_000, keepAlive: false, ...given };
  const guard = new AddressGuard(options.privateHosts, `${options.section}.private_hosts`);
  const keep = { keepAlive: true };
  const line: Line = {
    options,
    guard,
    ...(options.keepAlive && { agents: { 'http:': new HttpAgent(keep), 'https:': new HttpsAgent(keep) } }),
  };

  async function follow(url: URL, init: RequestInit, hops: number): Promise<Response> {
    if (!/^https?:$/.test(url.protocol))
      throw new Failure(
        'invalid-params',
        `${url.protocol}// cannot be fetched; give an address with https://.`,
      );
    guard.check(url);
    const response = await exchange(url, init, line);
    const location = response.headers.get('location');
    if (
      init.redirect === 'manual' ||
      location === null ||
      ![301, 302, 303, 307, 308].includes(response.status)
    )
      return response;
    await response.body?.cancel();
    if (hops === 0) throw new Failure('unavailable', `${url.host} redirects without end.`);
    const next = new URL(location, url);
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw new Failure('refused', `${url.host} redirects to an address without encryption.`);
    const headers = new Headers(init.headers);
    // What lets us in there is nobody else's business.
    if (next.origin !== url.origin) headers.delete('authorization');
    const { body, ...rest } = init;
    const again = response.status === 303 ? { ...rest, method: 'GET' } : init;
    return follow(
      next,
      { ...again, headers, ...(body !== undefined && again === init && { body }) },
      hops - 1,
    );
  }

  return (input, init = {}) =>
    follow(new URL(input instanceof Request ? input.url : input), init, mostRedirects);
}

function exchange(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit,
  { options: { section, maxBytes, timeoutMs }, guard, agents }: Line,
): Promise<Response> {
  const sent = new Headers({ ...loginOf(url), ...Object.fromEntries(new Headers(headers)) });
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
      outgoing.destroy(new Failure('unavailable', `${url.host} does not answer.`)),
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => reject(unreachable(error, url)));
    outgoing.on('response', (incoming) => {
      const tooLarge = () =>
        new Failure(
          'refused',
          `What ${url.host} sends is larger than ${Math.round(maxBytes / 1e6)} MB; raise ${section}.max_bytes.`,
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
      const limited = Readable.from(limit(unpacked, maxBytes, tooLarge, url));
      // An answer that nobody reads must not hold the process.
      limited.on('close', () => outgoing.destroy());
      resolve(new Response(Readable.toWeb(limited) as ReadableStream, { status, headers: answered }));
    });
    outgoing.end(body ?? undefined);
  });
}

/** The header that takes the place of a name and password in an address. */
export function loginOf({ username, password }: URL): { readonly authorization?: string } {
  if (username === '') return {};
  const login = [username, password].map(unescaped).join(':');
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/** What looks like an escape and is none was meant as it stands. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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

async function* limit(
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
    error.code === 'ENOTFOUND' ? 'is not known' : `cannot be reached (${error.code ?? error.message})`;
  return new Failure('unavailable', `${url.host} ${reason}.`, { cause: error });
}
