import type { ServerResponse } from 'node:http';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { sendMessagePage, xml } from '../../message-page.ts';
import type { DecisionRequest } from '../../outreach.ts';
import { textsFor } from '../messages/catalog.ts';
import type { Catalog } from '../messages/en.ts';
import type { DecisionLinks, OpenedLink } from './decision-links.ts';

/**
 * Serves `/decide/<token>`. A GET request only shows the whole request, because mail scanners and previews open every link; the
 * person decides with a button. A POST request without a decision refuses: it is the button of a message.
 */
export async function serveDecision(
  links: DecisionLinks,
  token: string,
  isPost: boolean,
  fields: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const decision = fields.get('decision') === 'allow' ? 'allow' : 'refuse';
  try {
    show(await (isPost ? links.decide(token, decision) : links.open(token)), response);
  } catch (error) {
    const isRefused = error instanceof Failure && error.kind === 'refused';
    if (!isRefused) log('error', 'a request could not be decided with its link', error);
    const { locale } = await links.open(token).catch(() => ({ locale: 'en' }));
    const { decide } = textsFor(locale);
    const [status, text] = isRefused ? [403, decide.notAllowed] : [503, decide.failed];
    sendMessagePage(response, status, text, { locale });
  }
}

/** Long lines of a command must wrap on a phone. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
};

function show({ locale, state }: OpenedLink, response: ServerResponse): void {
  const texts = textsFor(locale);
  const { decide } = texts;
  if (state.kind === 'unknown') return sendMessagePage(response, 404, decide.unknown, { locale });
  if (state.kind === 'open')
    return sendMessagePage(response, 200, decide.title, { locale, more: form(state, texts), headers });
  const { outcome } = state;
  if (outcome === undefined) return sendMessagePage(response, 409, decide.over, { locale });
  sendMessagePage(response, 200, outcome === 'allow' ? decide.allowed : decide.refused, { locale });
}

function form(
  { request, mayAllow }: { readonly request: DecisionRequest; readonly mayAllow: boolean },
  { decide }: Catalog,
): string {
  const { what, details, folder, reason } = request;
  const line = (label: string, value: string | undefined) =>
    value === undefined ? '' : `<p>${xml(label)}: ${xml(value)}</p>`;
  const button = (value: string, label: string) =>
    `<button name="decision" value="${value}">${xml(label)}</button>`;
  return [
    `<pre style="white-space: pre-wrap">${xml(details)}</pre>`,
    line(decide.folder, folder),
    line(decide.reason, reason),
    ...(mayAllow ? [`<p>${xml(decide.gains[what])}</p>`] : []),
    `<form method="post">${mayAllow ? `${button('allow', decide.allow)} ` : ''}${button('refuse', decide.refuse)}</form>`,
  ].join('');
}
