import type { Finding } from '../../feature.ts';
import { messageOf, parseJson } from '../../json.ts';
import { readReply } from '../../request-body.ts';
import { basicAuth } from '../network/fetch.ts';

const timeoutMs = 5000;

interface Answer {
  readonly host: string;
  readonly status?: number;
  readonly body?: unknown;
  /** Why there is no answer, as the end of a sentence about the host. */
  readonly problem?: string;
}

/** Asks a provider once, without following redirects. */
export async function ask(
  server: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const base = new URL(server);
  const { host } = base;
  try {
    const response = await fetch(new URL(path, base.origin), {
      headers: { ...basicAuth(base), ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = parseJson(await readReply(response).catch(() => ''));
    return { host, status: response.status, body };
  } catch (error) {
    return { host, problem: describeError(error) };
  }
}

function describeError(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return 'does not answer';
  const cause = (error as { cause?: NodeJS.ErrnoException }).cause;
  switch (cause?.code) {
    case 'ECONNREFUSED':
      return 'refuses the connection';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'is an unknown host';
    default:
      return `cannot be reached: ${messageOf(cause ?? error)}`;
  }
}

interface Remedies {
  readonly unreachable: { readonly state: 'bad' | 'warning'; readonly remedy: string };
  readonly refused: string;
}

/** A provider that answers is good, unless it rejects the credentials or is something else. */
export function findingFor(
  title: string,
  { host, status, problem }: Answer,
  { unreachable, refused }: Remedies,
  other?: { readonly noun: string; readonly remedy: string } | false,
): Finding {
  if (problem !== undefined) return { title, detail: `${host} ${problem}`, ...unreachable };
  if (other) {
    const detail = `${host} answers, but it is not ${other.noun} (${status})`;
    return { title, state: 'warning', detail, remedy: other.remedy };
  }
  if (status === 401 || status === 403)
    return { title, state: 'bad', detail: `${host} rejects the credentials (${status})`, remedy: refused };
  return { title, state: 'good', detail: `${host} answers` };
}
