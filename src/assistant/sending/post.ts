import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { replyText } from '../../request-body.ts';
import { singleLine } from '../../single-line.ts';
import { basicAuth } from '../network/fetch.ts';
import type { Outcome } from './channel.ts';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | URLSearchParams;
  readonly signal: AbortSignal;
  /** Extracts the receiver's id for the message from its answer. */
  readonly reference?: (answer: string) => string | undefined;
  /** A restricted fetch for URLs that users enter. URLs from the settings use the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Limits how much of an answer is read, because a receiver may send an endless one. */
const maxAnswerLength = 65_536;

/** Posts once and turns the answer into an outcome. Redirects are not followed, so that only the given URL is contacted. */
export async function post(
  url: string,
  { headers, body, signal, reference, fetch = globalThis.fetch }: Post,
): Promise<Outcome> {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol))
    return { kind: 'permanent', detail: `${JSON.stringify(url)} is not an http or https URL` };
  const login = basicAuth(address);
  // Credentials in the URL would appear in error messages.
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
    return { kind: neverConnected(error) ? 'temporary' : 'unknown', detail: failureReason(error, signal) };
  }
  const answer = await readAnswer(response);
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

async function readAnswer(response: Response): Promise<string> {
  let text = '';
  try {
    for await (const piece of replyText(response)) {
      text += piece;
      if (text.length > maxAnswerLength) break;
    }
  } catch {
    // The status decides the outcome even if reading the body fails.
  }
  return text;
}

/** True if no connection was made. Only then is it certain that the message did not arrive. */
function neverConnected(error: unknown): boolean {
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

function failureReason(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer in time';
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
}

function retryAfter(header: string | null): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined;
}
