import { Failure } from '../../failure.ts';
import { decode } from '../icalendar/decode.ts';
import { signIn } from './passwords.ts';
import { configOf, type Read } from './source.ts';

/** A calendar at an address, fetched only when it has changed. */
export const readAddress: Read = async (calendar, options) => {
  const url = addressOf(calendar.location);
  const { signal } = options;
  const fetch = signIn(options.fetch, configOf(calendar).username, options);
  const headers = new Headers({ accept: 'text/calendar, */*;q=0.5' });
  // What was kept is the entity tag, or else the date of the last change.
  if (calendar.etag !== null)
    headers.set(/^(W\/)?"/.test(calendar.etag) ? 'if-none-match' : 'if-modified-since', calendar.etag);
  const response = await fetch(url, { headers, ...(signal && { signal }) });
  if (response.status === 304) return undefined;
  if (!response.ok) {
    await response.body?.cancel();
    throw refusal(url, response);
  }
  const mark = response.headers.get('etag') ?? response.headers.get('last-modified');
  const pieces = decode(
    (response.body ?? new ReadableStream()) as AsyncIterable<Uint8Array> & ReadableStream,
  );
  return { documents: [{ pieces }], marks: () => ({ etag: mark, sync_token: null }) };
};

/** `webcal:` is how programs mark an address to subscribe to; it is fetched like any other. */
export function addressOf(location: string): URL {
  const written = location.replace(/^webcals?:/i, 'https:');
  if (!URL.canParse(written)) throw new Failure('invalid-params', `"${location}" is not an address.`);
  return new URL(written);
}

function refusal(url: URL, { status, headers }: Response): Failure {
  const told: Readonly<Record<number, string>> = {
    401: 'asks for a user name and a password',
    403: 'does not let us in',
    404: 'has no calendar at this address',
    410: 'has no calendar at this address any more',
    429: 'asks for fewer requests',
  };
  const wait = Number(headers.get('retry-after'));
  return new Failure('unavailable', `${url.host} ${told[status] ?? `answers with status ${status}`}.`, {
    ...(wait > 0 && { data: { retry_after_ms: Math.min(wait, 86_400) * 1000 } }),
  });
}
