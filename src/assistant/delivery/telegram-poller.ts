import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { User } from '../../store/schema.ts';
import type { Responses } from '../channels/acknowledge.ts';
import { callTelegram, isPrivateChat, snoozeMinutes, type TelegramOptions } from '../channels/telegram.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { recipientOf } from './reachable-channels.ts';

/** Telegram answers a second poller with an error, so one process at a time holds this lease. */
const leaseMs = 60_000;
const longPollSeconds = 20;
const retryMs = 5000;
const minPauseMs = 1000;
const record = { kind: 'telegram', key: 'poller' } as const;

export interface TelegramPollerOptions {
  readonly data: AssistantData;
  readonly telegram: TelegramOptions;
  readonly responses: Responses;
  readonly owner: string;
}

interface State {
  readonly owner: string;
  /** The next update to request. */
  readonly offset: number;
  /** Acknowledgements up to this time are shown in the chats. */
  readonly clearedMs: number;
}

interface Update {
  readonly update_id: number;
  readonly message?: { readonly text?: string; readonly chat: { readonly id: number } };
  readonly callback_query?: {
    readonly id: string;
    readonly data?: string;
    /** Who pressed the button. */
    readonly from: { readonly id: number };
    readonly message?: {
      readonly message_id: number;
      readonly text?: string;
      readonly chat: { readonly id: number };
    };
  };
}

/** Receives the buttons that people press in Telegram. Asks for them, so that no public address is needed. */
export class TelegramPoller {
  readonly #options: TelegramPollerOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #holdsLease = false;

  constructor(options: TelegramPollerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops and releases the lease, so that another process need not wait for its end. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (!this.#holdsLease) return;
    const { data, owner } = this.#options;
    await data.store
      .run(sql`update records set position = 0 where kind = ${record.kind} and key = ${record.key}
        and value like ${`%"owner":"${owner}"%`} returning key`)
      .catch((error: unknown) => log('debug', 'the lease on Telegram could not be released', error));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const began = performance.now();
        const polled = await this.pollOnce();
        // Telegram holds the request until there is news; a server that does not must not be asked without a pause.
        const waitMs = polled ? minPauseMs - (performance.now() - began) : retryMs;
        if (waitMs > 0) await pause(waitMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        log('warning', 'Telegram could not be asked for answers; trying again', error);
        await pause(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Handles what has arrived, and waits for news up to this time. Returns false if another process polls. */
  async pollOnce(waitSeconds = longPollSeconds): Promise<boolean> {
    const state = await this.#acquire();
    if (state === undefined) return false;
    this.#holdsLease = true;
    const clearedMs = await this.#showAcknowledged(state.clearedMs);
    const updates = await this.#call<readonly Update[]>('getUpdates', {
      offset: state.offset,
      timeout: waitSeconds,
      allowed_updates: ['message', 'callback_query'],
    });
    let { offset } = state;
    for (const update of updates) {
      await this.#handle(update).catch((error: unknown) =>
        log('warning', 'an answer from Telegram could not be handled', error),
      );
      offset = Math.max(offset, update.update_id + 1);
    }
    await this.#store({ ...state, offset, clearedMs });
    return true;
  }

  async #handle({ callback_query: pressed, message }: Update): Promise<void> {
    if (pressed !== undefined) return this.#handleButton(pressed);
    if (!message?.text?.startsWith('/start')) return;
    const { id } = message.chat;
    const note = isPrivateChat(String(id))
      ? ''
      : ' Here they have no buttons, because everybody in the chat could use them.';
    const text = `This chat is tgram://${id}. Add it to your channels to receive reminders here.${note}`;
    await this.#call('sendMessage', { chat_id: id, text });
  }

  async #handleButton({
    id,
    data = '',
    from,
    message,
  }: NonNullable<Update['callback_query']>): Promise<void> {
    const [, action, notificationId = ''] = /^([ads]):([\w-]{1,60})$/.exec(data) ?? [];
    // A private chat has the id of its person. In a group, anybody can press a button of an earlier version.
    const isPersonal = message !== undefined && from.id === message.chat.id;
    const user = isPersonal ? await this.#recipient(notificationId, message.chat.id) : undefined;
    if (user === undefined || action === undefined) {
      await this.#call('answerCallbackQuery', { callback_query_id: id });
      return;
    }
    const text = await this.#respond(action, notificationId, user);
    await this.#call('answerCallbackQuery', { callback_query_id: id, text });
    await this.#edit(message!.chat.id, message!.message_id, `${message!.text ?? ''}\n\n${text}`.trim());
  }

  async #respond(action: string, id: string, user: User): Promise<string> {
    const { responses, data } = this.#options;
    const { locale, timezone } = preferencesOf(user);
    const texts = textsFor(locale);
    try {
      if (action !== 's') {
        await (action === 'd' ? responses.done : responses.acknowledge)(id, 'telegram');
        return action === 'd' ? texts.actions.done : texts.acknowledged;
      }
      const { plan_ms } = (await responses.snooze(id, snoozeMinutes, 'telegram')) as { plan_ms?: number };
      const at = plan_ms ?? data.clock() + snoozeMinutes * 60_000;
      return texts.snoozed(
        new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezone }).format(at),
      );
    } catch (error) {
      if (error instanceof Failure) return texts.pages.refused;
      throw error;
    }
  }

  /** The user of a notification, if this chat is the user's. A button of another chat has no effect. */
  async #recipient(notificationId: string, chat: number): Promise<User | undefined> {
    const user = await this.#options.data.store.read((db) =>
      db
        .selectFrom('users')
        .innerJoin('notifications', 'notifications.user_id', 'users.id')
        .selectAll('users')
        .where('notifications.id', '=', notificationId)
        .executeTakeFirst(),
    );
    return user !== undefined && recipientOf(user).telegram === String(chat) ? user : undefined;
  }

  /** Removes the buttons of messages that were acknowledged elsewhere. */
  async #showAcknowledged(sinceMs: number): Promise<number> {
    const { store } = this.#options.data;
    const rows = await store.read((db) =>
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
        .where('notifications.channel', '=', 'telegram')
        .where('notifications.acknowledged_ms', '>', sinceMs)
        .orderBy('notifications.acknowledged_ms')
        .limit(100)
        .execute(),
    );
    for (const { result, payload, acknowledged_by, acknowledged_ms: _, ...user } of rows) {
      const { reference } = JSON.parse(result ?? '{}') as { reference?: string | null };
      const chat = recipientOf(user).telegram;
      if (!reference || chat === undefined || acknowledged_by === 'telegram') continue;
      const { subject } = JSON.parse(payload) as { subject: string };
      const text = `${subject}\n\n${textsFor(preferencesOf(user).locale).acknowledged}`;
      await this.#edit(Number(chat), Number(reference), text);
    }
    return rows.at(-1)?.acknowledged_ms ?? sinceMs;
  }

  async #edit(chat: number, messageId: number, text: string): Promise<void> {
    await this.#call('editMessageText', { chat_id: chat, message_id: messageId, text }).catch(
      (error: unknown) => log('debug', 'a Telegram message could not be changed', error),
    );
  }

  #call<Result>(method: string, parameters: object): Promise<Result> {
    const limit = AbortSignal.timeout((longPollSeconds + 15) * 1000);
    const signal = AbortSignal.any([this.#stopping.signal, limit]);
    return callTelegram<Result>(this.#options.telegram, method, parameters, signal);
  }

  /** Takes or renews the lease. Returns undefined if another process holds it. */
  async #acquire(): Promise<State | undefined> {
    const { data, owner } = this.#options;
    const now = data.clock();
    const fresh = JSON.stringify({ owner, offset: 0, clearedMs: now } satisfies State);
    const [row] = await data.store.run(sql<{ value: string }>`insert into records (kind, key, value, position)
      values (${record.kind}, ${record.key}, ${fresh}, ${now + leaseMs})
      on conflict (kind, key) do update set position = excluded.position
      where records.position <= ${now} or records.value like ${`%"owner":"${owner}"%`}
      returning value`);
    if (row === undefined) return undefined;
    const state = { ...(JSON.parse(row.value) as State), owner };
    await this.#store(state);
    return state;
  }

  async #store(state: State): Promise<void> {
    const { store, clock } = this.#options.data;
    const position = clock() + leaseMs;
    await store.run(sql`update records set value = ${JSON.stringify(state)}, position = ${position}
      where kind = ${record.kind} and key = ${record.key} returning key`);
  }
}
