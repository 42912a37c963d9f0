import { parseObject } from '../../json.ts';
import { log } from '../../log.ts';
import { readReply } from '../../request-body.ts';
import { singleLine } from '../../single-line.ts';
import {
  type Answers,
  decisionLines,
  defineChannel,
  type Listener,
  type Message,
} from '../sending/channel.ts';

interface Bot {
  /** Base URL of the Bot API. */
  readonly url: string;
  readonly token: string;
}

const maxTextLength = 4000;
/** A hundred updates, each with the message that it answers. */
const maxReplyLength = 1 << 24;

/** Messages through a Telegram bot, with buttons to confirm and to snooze. */
export const telegram = defineChannel({
  name: 'telegram',
  rank: 50,
  canBeSilent: true,
  label: 'Telegram',
  words: ['push', 'chat', 'popup'],
  icon: '✈',
  help: 'A chat with the Telegram bot: send /start to the bot, and it answers with the address.',
  settings: {
    'delivery.telegram_token': {
      type: 'string',
      description: 'Token of the Telegram bot. Without it, Telegram messages go to the outbox.',
    },
    'delivery.telegram_url': {
      type: 'address',
      schemes: ['http', 'https'],
      default: 'https://api.telegram.org',
      description: 'Base URL of the Telegram Bot API.',
    },
  },
  needs: 'delivery.telegram_token',
  address: {
    noun: 'Telegram chat',
    schemes: ['tgram'],
    example: 'tgram://CHAT',
    sample: 'tgram://123456',
    parse: (rest) => (/^-?\d{1,20}$/.test(rest) ? rest : undefined),
    isPrivate: isPrivateChat,
    mayAllow: isPrivateChat,
  },
  advice: {
    notConfigured: 'delivery.telegram_token is not set, so no Telegram message was sent',
    unreachable: 'check delivery.telegram_url and the network',
    refused: 'check delivery.telegram_token, and that the user has started a chat with the bot',
  },
  connect({ 'delivery.telegram_token': token, 'delivery.telegram_url': url }) {
    if (!token) return undefined;
    return {
      async deliver(message, signal) {
        const { post } = await import('../sending/post.ts');
        const { address } = message.recipient;
        const outcome = await post(methodUrl({ url, token }, 'sendMessage'), {
          signal,
          headers: { 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify({
            chat_id: address,
            text: textOf(message),
            ...(message.urgency === 'low' && { disable_notification: true }),
            ...(message.decision && { link_preview_options: { is_disabled: true } }),
            ...keyboard(message),
          }),
          reference: (answer) => /"message_id":(\d+)/.exec(answer)?.[1],
        });
        return { ...outcome, detail: outcome.detail.replaceAll(token, '…') };
      },
    };
  },
  async check({ 'delivery.telegram_token': token, 'delivery.telegram_url': url }) {
    if (!token) return [];
    const { ask, findingFor } = await import('../sending/probe.ts');
    return [
      findingFor('Telegram', await ask(url, `/bot${token}/getMe`), {
        unreachable: { state: 'bad', remedy: 'check delivery.telegram_url and the network' },
        refused: 'correct delivery.telegram_token',
      }),
    ];
  },
  listen({ 'delivery.telegram_token': token, 'delivery.telegram_url': url }, answers) {
    return token ? createListener({ url, token }, answers) : undefined;
  },
});

/** True if the chat is with one person. Its id is the id of that person; groups and channels have negative ids. */
function isPrivateChat(chat: string): boolean {
  return /^[1-9]\d*$/.test(chat);
}

function methodUrl({ url, token }: Bot, method: string): string {
  return new URL(`/bot${token}/${method}`, url).href;
}

/** Buttons with an address must be public, so the links to decide are part of the text. */
function textOf(message: Message): string {
  const { title, text } = message.short;
  const end = decisionLines(message)
    .map((line) => `\n\n${line}`)
    .join('');
  return `${[...`${title}\n\n${text}`].slice(0, maxTextLength - end.length).join('')}${end}`;
}

/** Telegram returns the data of the pressed button; it may have 64 bytes. */
function keyboard({ id, actions }: Message) {
  if (actions === undefined) return {};
  const buttons = [
    { text: actions.acknowledge, callback_data: `${actions.done ? 'd' : 'a'}:${id}` },
    ...(actions.snooze === undefined ? [] : [{ text: actions.snooze, callback_data: `s:${id}` }]),
  ];
  return { reply_markup: { inline_keyboard: [buttons] } };
}

const actionOf = { a: 'acknowledge', d: 'done', s: 'snooze' } as const;

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

/** Receives the buttons that people press, and answers `/start` with the address of the chat. */
function createListener(bot: Bot, answers: Answers): Listener {
  const handleButton = async (
    { id, data = '', from, message }: NonNullable<Update['callback_query']>,
    signal: AbortSignal,
  ) => {
    const [, action, notificationId = ''] = /^([ads]):([\w-]{1,60})$/.exec(data) ?? [];
    // A private chat has the id of its person. In a group, anybody can press a button of an earlier version.
    const isPersonal = message !== undefined && from.id === message.chat.id;
    const text =
      isPersonal && action !== undefined
        ? await answers.answer(
            notificationId,
            String(message.chat.id),
            actionOf[action as keyof typeof actionOf],
          )
        : undefined;
    await call(bot, 'answerCallbackQuery', { callback_query_id: id, text }, signal);
    if (text === undefined) return;
    const { message_id, text: shown = '', chat } = message!;
    await edit(bot, chat.id, message_id, `${shown}\n\n${text}`.trim(), signal);
  };
  const handle = async ({ callback_query: pressed, message }: Update, signal: AbortSignal) => {
    if (pressed !== undefined) return handleButton(pressed, signal);
    if (!message?.text?.startsWith('/start')) return;
    const { id } = message.chat;
    const note = isPrivateChat(String(id))
      ? ''
      : ' Here they have no buttons, because everybody in the chat could use them.';
    const text = `This chat is tgram://${id}. Add it to your channels to receive reminders here.${note}`;
    await call(bot, 'sendMessage', { chat_id: id, text }, signal);
  };
  return {
    async poll(position, waitSeconds, signal) {
      const updates = await call<readonly Update[]>(
        bot,
        'getUpdates',
        { offset: position, timeout: waitSeconds, allowed_updates: ['message', 'callback_query'] },
        signal,
      );
      let next = position;
      for (const update of updates) {
        await handle(update, signal).catch((error: unknown) =>
          log('warning', 'an answer from Telegram could not be handled', error),
        );
        next = Math.max(next, update.update_id + 1);
      }
      return next;
    },
    showAcknowledged: ({ address, reference, text }, signal) =>
      edit(bot, Number(address), Number(reference), text, signal),
  };
}

async function edit(
  bot: Bot,
  chat: number,
  messageId: number,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const parameters = { chat_id: chat, message_id: messageId, text };
  await call(bot, 'editMessageText', parameters, signal).catch((error: unknown) =>
    log('debug', 'a Telegram message could not be changed', error),
  );
}

/** Calls a method of the Bot API. Throws without the token if it fails. */
async function call<Result>(
  bot: Bot,
  method: string,
  parameters: object,
  signal: AbortSignal,
): Promise<Result> {
  const response = await fetch(methodUrl(bot, method), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
    signal,
    redirect: 'error',
  });
  const { ok, description, result } = parseObject(await readReply(response, maxReplyLength)) ?? {};
  if (ok !== true)
    throw new Error(
      `Telegram refused ${method}: ${response.status} ${singleLine(String(description ?? ''))}`,
    );
  return result as Result;
}
