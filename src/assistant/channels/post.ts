import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { singleLine } from '../../single-line.ts';
import { basicAuth } from '../network/fetch.ts';
import type { Outcome } from './channel.ts';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | URLSearchParams;
  readonly signal: AbortSignal;
  /** The other side's name for what it took, read from its answer. */
  readonly reference?: (answer: string) => string | undefined;
  /** Goes to addresses that users wrote; what the settings name needs no other than the usual one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** More of an answer is not read: whoever answers may do so without end. */
const mostCharacters = 65_536;

/** Posts once and reads the answer as an outcome. Redirects are not followed: a recipient is one address. */
export async function post(
  url: string,
  { headers, body, signal, reference, fetch = globalThis.fetch }: Post,
): Promise<Outcome> {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol))
    return { kind: 'permanent', detail: `${JSON.stringify(url)} is not an address to post to` };
  const login = basicAuth(address);
  // In an address they would end up in messages about it.
  address.username = address.password = '';
  let response: Response;
  try {
    response = await fetch(address, {
      method: 'POST',
      headers: { ...login, ...headers },
      body,
      signal,
      redirect: 'manual',
    });
  } catch (error) {
    if (error instanceof Failure && error.kind === 'refused')
      return { kind: 'permanent', detail: error.message };
    return { kind: neverLeft(error) ? 'temporary' : 'unknown', detail: reasonOf(error, signal) };
  }
  const answer = await openingOf(response);
  const detail = singleLine(`${response.status} ${answer}`);
  if (response.ok) {
    const name = reference?.(answer);
    return { kind: 'accepted', detail, ...(name !== undefined && { reference: name }) };
  }
  if (response.status === 408 || response.status === 429 || response.status >= 500) {
    const retryAfterMs = retryAfter(response.headers.get('retry-after'));
    return { kind: 'temporary', detail, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  return { kind: 'permanent', detail };
}

async function openingOf({ body }: Response): Promise<string> {
  let text = '';
  try {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.length > mostCharacters) break;
    }
  } catch {
    // The status has come; it counts, whatever becomes of the rest.
  }
  return text;
}

/** Only a connection that was never made proves that nothing arrived. */
function neverLeft(error: unknown): boolean {
  const code = (error as { cause?: { code?: string } }).cause?.code;
  return [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
  ].includes(code ?? '');
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer in time';
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
}

function retryAfter(header: string | null): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined;
}
