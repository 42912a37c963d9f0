import { singleLine } from '../../single-line.ts';
import type { Channel, Message } from './channel.ts';
import { post } from './post.ts';

export interface TelegramOptions {
  /** Base URL of the Bot API. */
  readonly url: string;
  readonly token: string;
}

/** Minutes that the button for snoozing adds. */
export const snoozeMinutes = 10;
const maxTextLength = 4000;

/** Sends messages through a Telegram bot, with buttons to confirm and to snooze. */
export function createTelegramChannel(options: TelegramOptions): Channel {
  return {
    async deliver(message, signal) {
      const { telegram } = message.recipient;
      if (telegram === undefined || telegram === '')
        return { kind: 'permanent', detail: 'the user has no Telegram chat' };
      const outcome = await post(methodUrl(options, 'sendMessage'), {
        signal,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ chat_id: telegram, text: textOf(message), ...keyboard(message) }),
        reference: (answer) => /"message_id":(\d+)/.exec(answer)?.[1],
      });
      return { ...outcome, detail: outcome.detail.replaceAll(options.token, '…') };
    },
  };
}

/** True if the chat is with one person. Its id is the id of that person; groups and channels have negative ids. */
export function isPrivateChat(chat: string): boolean {
  return /^[1-9]\d*$/.test(chat);
}

function methodUrl({ url, token }: TelegramOptions, method: string): string {
  return new URL(`/bot${token}/${method}`, url).href;
}

function textOf({ subject, text }: Message): string {
  return [...`${singleLine(subject)}\n\n${text.trim()}`].slice(0, maxTextLength).join('');
}

/** Telegram returns the data of the pressed button; it may have 64 bytes. */
function keyboard({ id, actions }: Message) {
  if (actions === undefined) return {};
  const buttons = [
    { text: actions.acknowledge, callback_data: `${actions.done ? 'd' : 'a'}:${id}` },
    { text: actions.snooze, callback_data: `s:${id}` },
  ];
  return { reply_markup: { inline_keyboard: [buttons] } };
}

/** Calls a method of the Bot API. Throws without the token if it fails. */
export async function callTelegram<Result>(
  options: TelegramOptions,
  method: string,
  parameters: object,
  signal: AbortSignal,
): Promise<Result> {
  const response = await fetch(methodUrl(options, method), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
    signal,
    redirect: 'error',
  });
  const answer = (await response.json()) as { ok?: boolean; description?: string; result?: Result };
  if (!answer.ok)
    throw new Error(
      `Telegram refused ${method}: ${response.status} ${singleLine(answer.description ?? '', 200)}`,
    );
  return answer.result as Result;
}
