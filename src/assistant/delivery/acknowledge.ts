import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { sendMessagePage, xml } from '../../message-page.ts';
import type { Decisions } from '../../outreach.ts';
import { readBody } from '../../request-body.ts';
import { decodePercent } from '../../single-line.ts';
import { findAnswerLink } from '../../store/answer-links.ts';
import type { Notification, Tables, User } from '../../store/schema.ts';
import { SharedLease } from '../../store/shared-lease.ts';
import type { Calendars } from '../calendar/sync.ts';
import { type ChannelConfig, channels } from '../entities/channels.ts';
import { type AssistantData, rowOf } from '../entities/entity-access.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import type { Catalog } from '../messages/en.ts';
import { type Answers, type ChannelDefinition, type Listener, snoozeMinutes } from '../sending/channel.ts';
import { DecisionLinks } from './decision-links.ts';
import { withdrawn } from './outreach.ts';
import { recipientOf } from './reachable-channels.ts';

const maxBodyLength = 16_384;

/** What a recipient can do with a notification. */
export interface Responses {
  acknowledge(id: string, by: string): Promise<unknown>;
  /** Completes a task. */
  done(id: string, by: string): Promise<unknown>;
  snooze(id: string, minutes: number, by: string): Promise<unknown>;
  /** "Less like this", also for the unsubscribe button of mail programs. */
  fewer(id: string): Promise<unknown>;
  /** The notification that the link of a message is about; undefined if there is no such link or it has expired. */
  open(token: string): Promise<{ readonly id: string; readonly locale: string } | undefined>;
  /** Decides requests with the links of messages. Absent in a process that has no runs. */
  readonly decide?: DecisionLinks;
}

const answerPath = /^\/acknowledge\/([\w%.-]{1,200})$/;
const decisionPath = /^\/decide\/([\w-]{1,200})$/;

/** True for the links in messages. They need no sign-in: only the recipient knows the token. */
export function isAnswerPath(path: string): boolean {
  return answerPath.test(path) || decisionPath.test(path);
}

/**
 * Handles `/acknowledge/<token>` and returns false for any other path. A GET request changes nothing, because mail scanners
 * open every link: the recipient must press the button on the page or a key on the phone.
 */
export async function serveAcknowledge(
  responses: Responses,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const decided = decisionPath.exec(path)?.[1];
  if (decided !== undefined && responses.decide !== undefined) {
    const { serveDecision } = await import('./decision-page.ts');
    await serveDecision(
      responses.decide,
      decided,
      request.method === 'POST',
      await readForm(request),
      response,
    );
    return true;
  }
  const token = answerPath.exec(path)?.[1];
  if (token === undefined) return false;
  const query = new URLSearchParams(request.url?.split('?')[1] ?? '');
  const minutes = Math.min(Number.parseInt(query.get('snooze') ?? '', 10), 1440);
  const named = (['fewer', 'done'] as const).find((one) => query.has(one));
  const wish: Wish = named ?? (minutes > 0 ? minutes : 'seen');
  const digits = request.method === 'POST' ? (await readForm(request)).get('Digits') : null;
  let locale = 'en';
  const show = (status: number, text: string, more = '') => {
    if (digits !== null) say(response, text);
    else sendMessagePage(response, status, text, { locale, more, headers: readable });
  };
  const button = ({ pages }: Catalog) => `<form method="post"><button>${xml(pages.confirm)}</button></form>`;
  try {
    const notification = await responses.open(decodePercent(token));
    locale = notification?.locale ?? locale;
    const texts = textsFor(locale);
    if (!notification) show(404, texts.pages.unknown);
    else if (request.method !== 'POST') show(200, question(texts, wish), button(texts));
    else if (digits !== null && digits !== '1') show(200, texts.pages.notConfirmed);
    else {
      const by = digits === null ? 'link' : 'call';
      const { status, text } = await record(responses, notification.id, wish, by, texts);
      show(status, text);
    }
  } catch (error) {
    log('error', `${request.method} of the link in a message failed`, error);
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

/** The fields of a form. A request that is too long has none. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBody(request, maxBodyLength);
  return new URLSearchParams(body?.toString());
}

function say(response: ServerResponse, text: string): void {
  response
    .writeHead(200, { 'content-type': 'text/xml; charset=utf-8', 'cache-control': 'no-store' })
    .end(`<Response><Say>${xml(text)}</Say></Response>`);
}

/** The answers of people, from links, key presses and buttons. */
export function createResponses(calendars: Calendars, decisions?: Decisions): Responses {
  const { data } = calendars;
  const editing = () => import('../editing/notifications.ts');
  return {
    ...(decisions && { decide: new DecisionLinks(data, decisions) }),
    acknowledge: async (id, by) => (await editing()).acknowledgeNotification(data, id, by),
    async done(id, by) {
      const row = await (await editing()).acknowledgeNotification(data, id, by);
      const { completeTask } = await import('../writeback/task.ts');
      // The person's answer is recorded. A server that cannot be reached gets it with the next sync.
      await completeTask(calendars, row).catch((error: unknown) =>
        log('warning', 'a task that is done could not be written to its calendar', error),
      );
      return row;
    },
    snooze: async (id, minutes, by) => (await editing()).snoozeNotification(data, id, { minutes }, by),
    fewer: async (id) => (await editing()).preferFewer(data, id),
    async open(token) {
      const nowMs = data.clock();
      const link = await findAnswerLink(data.store, token, nowMs);
      return data.store.read(async (db) => {
        const row = await rowOf(db, 'notifications', link?.subject ?? token);
        if (!row || (link ? link.userId !== row.user_id : !(await isOldLink(db, row, nowMs))))
          return undefined;
        const user = await rowOf(db, 'users', row.user_id);
        return user && { id: row.id, locale: preferencesOf(user).locale };
      });
    },
  };
}

/** True while the event of a message lasts whose link is the id of its notification, as in earlier versions. */
async function isOldLink(db: Kysely<Tables>, row: Notification, nowMs: number): Promise<boolean> {
  if (row.id_answers === 0) return false;
  const event = await rowOf(db, 'events', row.event_id);
  const lengthMs = event ? event.end_ms - event.start_ms : 0;
  return nowMs < row.event_start_ms + lengthMs;
}

/** The user whom a notification is for; undefined if there is no such notification. */
async function recipientUser({ store }: AssistantData, notificationId: string): Promise<User | undefined> {
  return store.read(async (db) => {
    const row = await rowOf(db, 'notifications', notificationId);
    return row && rowOf(db, 'users', row.user_id);
  });
}

/** A provider may answer a second process with an error, so one process at a time holds this lease. */
const leaseMs = 60_000;
const longPollSeconds = 20;
const retryMs = 5000;
const minPauseMs = 1000;

interface ListenerOptions {
  readonly data: AssistantData;
  readonly responses: Responses;
  readonly owner: string;
}

/** A type, because interfaces are not JSON objects. */
type State = {
  /** Where the next poll starts. */
  readonly offset: number;
  /** Acknowledgements up to this time are shown at the receivers. */
  readonly clearedMs: number;
};

/** The listeners of all channels that are configured and can receive answers. */
export function createListeners(config: ChannelConfig, options: ListenerOptions): ChannelListener[] {
  return channels.flatMap((channel) => {
    const listener = channel.listen?.(config, createAnswers(channel, options));
    return listener ? [new ChannelListener(channel, listener, options)] : [];
  });
}

/** Receives the buttons that people press in the messages of one channel. */
class ChannelListener {
  readonly #channel: ChannelDefinition;
  readonly #listener: Listener;
  readonly #options: ListenerOptions;
  readonly #stopping = new AbortController();
  readonly #lease: SharedLease<State>;
  #running: Promise<void> | undefined;

  constructor(channel: ChannelDefinition, listener: Listener, options: ListenerOptions) {
    this.#channel = channel;
    this.#listener = listener;
    this.#options = options;
    const { data, owner } = options;
    this.#lease = new SharedLease({ ...data, owner, kind: channel.name, key: 'poller', durationMs: leaseMs });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops and releases the lease, so that another process need not wait for its end. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#lease
      .release()
      .catch((error: unknown) =>
        log('debug', `the lease on ${this.#channel.label} could not be released`, error),
      );
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const began = performance.now();
        const polled = await this.pollOnce();
        // The provider holds the request until there is news; one that does not must not be asked without a pause.
        const waitMs = polled ? minPauseMs - (performance.now() - began) : retryMs;
        if (waitMs > 0) await pause(waitMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        log('warning', `${this.#channel.label} could not be asked for answers; trying again`, error);
        await pause(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Handles what has arrived, and waits for news up to this time. Returns false if another process polls. */
  async pollOnce(waitSeconds = longPollSeconds): Promise<boolean> {
    const state = await this.#lease.take({ offset: 0, clearedMs: this.#options.data.clock() });
    if (state === undefined) return false;
    const clearedMs = await this.#showAcknowledged(state.clearedMs);
    const offset = await this.#listener.poll(state.offset, waitSeconds, this.#limit());
    // Another process that polls meanwhile handles the same answers again, which changes nothing.
    return this.#lease.save({ offset, clearedMs });
  }

  /** Removes the buttons of messages that were acknowledged elsewhere. */
  async #showAcknowledged(sinceMs: number): Promise<number> {
    const { name } = this.#channel;
    const rows = await this.#options.data.store.read((db) =>
      db
        .selectFrom('notifications')
        .innerJoin('users', 'users.id', 'notifications.user_id')
        .selectAll('users')
        .select([
          'notifications.result',
          'notifications.acknowledged_ms',
          'notifications.acknowledged_by',
          'notifications.payload',
        ])
        .where('notifications.channel', '=', name)
        .where('notifications.acknowledged_ms', '>', sinceMs)
        .orderBy('notifications.acknowledged_ms')
        .limit(100)
        .execute(),
    );
    for (const { result, payload, acknowledged_by, acknowledged_ms: _, ...user } of rows) {
      const { reference } = JSON.parse(result ?? '{}') as { reference?: string | null };
      const { address } = recipientOf(user, name);
      if (!reference || address === '' || acknowledged_by === name) continue;
      const { subject } = parsePayload(payload);
      const texts = textsFor(preferencesOf(user).locale);
      const text = `${subject}\n\n${acknowledged_by === withdrawn ? texts.withdrawn : texts.acknowledged}`;
      await this.#listener.showAcknowledged({ address, reference, text }, this.#limit());
    }
    return rows.at(-1)?.acknowledged_ms ?? sinceMs;
  }

  #limit(): AbortSignal {
    return AbortSignal.any([this.#stopping.signal, AbortSignal.timeout((longPollSeconds + 15) * 1000)]);
  }
}

function createAnswers(channel: ChannelDefinition, { data, responses }: ListenerOptions): Answers {
  return {
    async answer(id, address, action) {
      const user = await recipientUser(data, id);
      // A button at an address of somebody else has no effect.
      if (user === undefined || recipientOf(user, channel.name).address !== address) return undefined;
      const { locale, timezone } = preferencesOf(user);
      const texts = textsFor(locale);
      try {
        if (action !== 'snooze') {
          await responses[action](id, channel.name);
          return action === 'done' ? texts.actions.done : texts.acknowledged;
        }
        const { plan_ms } = (await responses.snooze(id, snoozeMinutes, channel.name)) as { plan_ms?: number };
        const at = plan_ms ?? data.clock() + snoozeMinutes * 60_000;
        return texts.snoozed(
          new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezone }).format(at),
        );
      } catch (error) {
        if (error instanceof Failure) return texts.pages.refused;
        throw error;
      }
    },
  };
}
