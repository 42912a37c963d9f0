import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../../failure.ts';
import { xml } from './call.ts';

const maxBodyLength = 16_384;

/** What a recipient can do with a notification. The link needs no sign-in: only the recipient has it. */
export interface Responses {
  acknowledge(id: string, by: string): Promise<unknown>;
  snooze(id: string, minutes: number, by: string): Promise<unknown>;
  /** "Less like this", also for the unsubscribe button of mail programs. */
  fewer(id: string): Promise<unknown>;
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
  const wish: Wish = query.has('fewer') ? 'fewer' : minutes > 0 ? minutes : 'acknowledge';
  if (request.method !== 'POST') {
    reply(response, 200, page(questionFor(wish), '<form method="post"><button>Confirm</button></form>'));
    return true;
  }
  const form = new URLSearchParams(await readBody(request));
  const digits = form.get('Digits');
  if (digits !== null && digits !== '1') {
    say(response, 'The notification is not confirmed.');
    return true;
  }
  const { status, text } = await record(responses, id, wish, digits === null ? 'link' : 'call');
  if (digits !== null) say(response, text);
  else reply(response, status, page(text));
  return true;
}

/** A number is the minutes to snooze. */
type Wish = 'acknowledge' | 'fewer' | number;

function questionFor(wish: Wish): string {
  if (wish === 'fewer') return 'Get fewer reminders of events like this one.';
  if (wish === 'acknowledge') return 'Confirm that you know about this event.';
  return `Get this reminder again in ${wish} minutes.`;
}

async function record(
  { acknowledge, snooze, fewer }: Responses,
  written: string,
  wish: Wish,
  by: string,
): Promise<{ status: number; text: string }> {
  try {
    const id = decodeURIComponent(written);
    if (wish === 'fewer') {
      await fewer(id);
      return { status: 200, text: 'Thank you. There will be fewer reminders of events like this one.' };
    }
    if (wish !== 'acknowledge') {
      await snooze(id, wish, by);
      return { status: 200, text: `Thank you. The reminder comes again in ${wish} minutes.` };
    }
    await acknowledge(id, by);
    return { status: 200, text: 'Thank you. There will be no more messages about this.' };
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof URIError)) throw error;
    const notFound = !(error instanceof Failure) || error.kind === 'resource-not-found';
    return notFound
      ? { status: 404, text: 'There is no such notification.' }
      : { status: 409, text: error.message };
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

function page(text: string, more = ''): string {
  return `<!doctype html>\n<html lang="en"><meta name="viewport" content="width=device-width"><title>Adjutant</title><body><p>${xml(text)}</p>${more}</body></html>\n`;
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
