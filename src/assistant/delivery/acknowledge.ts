import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { sendMessagePage, xml } from '../../message-page.ts';
import type { Calendars } from '../calendar/sync.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { type Catalog, textsFor } from '../messages/catalog.ts';

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

const answerPath = /^\/acknowledge\/([\w%.-]{1,200})$/;

/** True for the links in messages. Their id is secret: whoever knows it may answer. */
export function isAnswerPath(path: string): boolean {
  return answerPath.test(path);
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
  const id = answerPath.exec(path)?.[1];
  if (id === undefined) return false;
  const query = new URLSearchParams(request.url?.split('?')[1] ?? '');
  const minutes = Math.min(Number.parseInt(query.get('snooze') ?? '', 10), 1440);
  const named = (['fewer', 'done'] as const).find((one) => query.has(one));
  const wish: Wish = named ?? (minutes > 0 ? minutes : 'seen');
  const digits =
    request.method === 'POST' ? new URLSearchParams(await readBody(request)).get('Digits') : null;
  let locale = 'en';
  const show = (status: number, text: string, more = '') => {
    if (digits !== null) say(response, text);
    else sendMessagePage(response, status, text, { locale, more, headers: readable });
  };
  const button = ({ pages }: Catalog) => `<form method="post"><button>${xml(pages.confirm)}</button></form>`;
  try {
    locale = (await responses.locale(decode(id))) ?? locale;
    const texts = textsFor(locale);
    if (request.method !== 'POST') show(200, question(texts, wish), button(texts));
    else if (digits !== null && digits !== '1') show(200, texts.pages.notConfirmed);
    else {
      const by = digits === null ? 'link' : 'call';
      const { status, text } = await record(responses, decode(id), wish, by, texts);
      show(status, text);
    }
  } catch (error) {
    log('error', `${request.method} ${path} failed`, error);
    const texts = textsFor(locale);
    show(503, texts.pages.failed, button(texts));
  }
  return true;
}

/** The web app of ntfy shows an error unless it can read the status of the reply. */
const readable = { 'access-control-allow-origin': '*' };

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
  response
    .writeHead(200, { 'content-type': 'text/xml; charset=utf-8', 'cache-control': 'no-store' })
    .end(`<Response><Say>${xml(text)}</Say></Response>`);
}

/** The answers of people, from links, key presses and buttons. */
export function createResponses(calendars: Calendars): Responses {
  const { data } = calendars;
  return {
    async acknowledge(id, by) {
      const { acknowledgeNotification } = await import('../editing/notifications.ts');
      return acknowledgeNotification(data, id, by);
    },
    async done(id, by) {
      const { acknowledgeNotification } = await import('../editing/notifications.ts');
      const row = await acknowledgeNotification(data, id, by);
      const { completeTask } = await import('../writeback/task.ts');
      // The person's answer is recorded. A server that cannot be reached gets it with the next sync.
      await completeTask(calendars, row).catch((error: unknown) =>
        log('warning', 'a task that is done could not be written to its calendar', error),
      );
      return row;
    },
    async snooze(id, minutes, by) {
      const { snoozeNotification } = await import('../editing/snooze.ts');
      return snoozeNotification(data, id, { minutes }, by);
    },
    async fewer(id) {
      const { preferFewer } = await import('../editing/fewer-reminders.ts');
      return preferFewer(data, id);
    },
    async locale(id) {
      const user = await data.store.read((db) =>
        db
          .selectFrom('users')
          .innerJoin('notifications', 'notifications.user_id', 'users.id')
          .selectAll('users')
          .where('notifications.id', '=', id)
          .executeTakeFirst(),
      );
      return user && preferencesOf(user).locale;
    },
  };
}
