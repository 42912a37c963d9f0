import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../../failure.ts';
import { type Catalog, textsFor } from '../messages/catalog.ts';
import { xml } from './call.ts';

const maxBodyLength = 16_384;

/** What a recipient can do with a notification. The link needs no sign-in: only the recipient has it. */
export interface Responses {
  acknowledge(id: string, by: string): Promise<unknown>;
  /** Completes a task. */
  done(id: string, by: string): Promise<unknown>;
  snooze(id: string, minutes: number, by: string): Promise<unknown>;
  /** "Less like this", also for the unsubscribe button of mail programs. */
  fewer(id: string): Promise<unknown>;
  /** The language of the recipient; undefined if there is no such notification. */
  locale(id: string): Promise<string | undefined>;
}

/**
 * Handles `/acknowledge/<id>` and returns false for any other path. A GET request changes nothing, because mail scanners
 * open every link: the recipient must press the button on the page or a key on the phone.
 */
export async function serveAcknowledge(
  responses: Responses,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const id = /^\/acknowledge\/([\w%.-]{1,200})$/.exec(path)?.[1];
  if (id === undefined) return false;
  const query = new URLSearchParams(request.url?.split('?')[1] ?? '');
  const minutes = Math.min(Number.parseInt(query.get('snooze') ?? '', 10), 1440);
  const named = (['fewer', 'done'] as const).find((one) => query.has(one));
  const wish: Wish = named ?? (minutes > 0 ? minutes : 'seen');
  const locale = (await responses.locale(decode(id))) ?? 'en';
  const texts = textsFor(locale);
  const show = (status: number, text: string, more = '') => reply(response, status, page(locale, text, more));
  if (request.method !== 'POST') {
    const button = `<form method="post"><button>${xml(texts.pages.confirm)}</button></form>`;
    show(200, question(texts, wish), button);
    return true;
  }
  const digits = new URLSearchParams(await readBody(request)).get('Digits');
  if (digits !== null && digits !== '1') {
    say(response, texts.pages.notConfirmed);
    return true;
  }
  const { status, text } = await record(
    responses,
    decode(id),
    wish,
    digits === null ? 'link' : 'call',
    texts,
  );
  if (digits !== null) say(response, text);
  else show(status, text);
  return true;
}

/** A number is the minutes to snooze. */
type Wish = 'seen' | 'done' | 'fewer' | number;

function question({ pages }: Catalog, wish: Wish): string {
  return typeof wish === 'number' ? pages.ask.again(wish) : pages.ask[wish];
}

async function record(
  responses: Responses,
  id: string,
  wish: Wish,
  by: string,
  { pages }: Catalog,
): Promise<{ status: number; text: string }> {
  try {
    if (wish === 'fewer') await responses.fewer(id);
    else if (wish === 'done') await responses.done(id, by);
    else if (wish === 'seen') await responses.acknowledge(id, by);
    else await responses.snooze(id, wish, by);
    return { status: 200, text: typeof wish === 'number' ? pages.thanks.again(wish) : pages.thanks[wish] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.kind === 'resource-not-found'
      ? { status: 404, text: pages.unknown }
      : { status: 409, text: pages.refused };
  }
}

/** An id with an invalid escape does not exist. */
function decode(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return '';
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > maxBodyLength) break;
  }
  return body;
}

function say(response: ServerResponse, text: string): void {
  reply(response, 200, `<Response><Say>${xml(text)}</Say></Response>`, 'text/xml; charset=utf-8');
}

function page(locale: string, text: string, more: string): string {
  return `<!doctype html>\n<html lang="${xml(locale)}"><meta name="viewport" content="width=device-width"><title>Adjutant</title><body><p>${xml(text)}</p>${more}</body></html>\n`;
}

function reply(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/html; charset=utf-8',
): void {
  response
    .writeHead(status, {
      'content-type': type,
      'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    .end(body);
}
