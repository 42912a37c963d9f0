import { Failure } from '../../failure.ts';
import { signIn } from './passwords.ts';
import { configOf, decode, type Read } from './source.ts';

/** Reads a calendar from a URL if it changed. */
export const readAddress: Read = async (calendar, options) => {
  const url = addressOf(calendar.location);
  const { signal } = options;
  const { username, anonymous } = configOf(calendar);
  const fetch = anonymous ? options.fetch : signIn(options.fetch, username, options);
  const headers = new Headers({ accept: 'text/calendar, */*;q=0.5' });
  // The stored mark is the entity tag, or else the date of the last change.
  if (calendar.etag !== null)
    headers.set(/^(W\/)?"/.test(calendar.etag) ? 'if-none-match' : 'if-modified-since', calendar.etag);
  const response = await fetch(url, { headers, ...(signal && { signal }) });
  if (response.status === 304) return undefined;
  if (!response.ok) {
    await response.body?.cancel();
    throw httpFailure(url, response);
  }
  const mark = response.headers.get('etag') ?? response.headers.get('last-modified');
  const pieces = decode(
    (response.body ?? new ReadableStream()) as AsyncIterable<Uint8Array> & ReadableStream,
  );
  return { documents: [{ pieces }], marks: () => ({ etag: mark, sync_token: null }) };
};

/** `webcal:` marks a URL to subscribe to; it is fetched over https. */
export function addressOf(location: string): URL {
  const written = location.replace(/^webcals?:/i, 'https:');
  if (!URL.canParse(written)) throw new Failure('invalid-params', `"${location}" is not a valid URL.`);
  return new URL(written);
}

function httpFailure(url: URL, { status, headers }: Response): Failure {
  const reasons: Readonly<Record<number, string>> = {
    401: 'requires a user name and password',
    403: 'denies access',
    404: 'has no calendar at this URL',
    410: 'no longer has a calendar at this URL',
    429: 'limits the number of requests',
  };
  const wait = Number(headers.get('retry-after'));
  return new Failure('unavailable', `${url.host} ${reasons[status] ?? `responds with status ${status}`}.`, {
    ...(wait > 0 && { data: { retry_after_ms: Math.min(wait, 86_400) * 1000 } }),
  });
}
