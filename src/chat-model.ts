/** A model on a server with an OpenAI-compatible API. */
export interface ChatModel {
  /** Base URL without `/chat/completions`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** More than any answer has. A server may send an endless reply. */
const maxReplyLength = 1 << 20;

/** Sends messages to a model. A redirect is refused, because it would carry the key and the messages to another server. */
export function postChat(
  { url, model, key }: ChatModel,
  messages: readonly ChatMessage[],
  options: object,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model, messages, ...options }),
  });
}

/** The text of a reply, piece by piece. */
export async function* replyText({ body }: Response): AsyncGenerator<string> {
  yield* body?.pipeThrough(new TextDecoderStream()) ?? [];
}

/** Adds a piece to a part of a reply. Throws if the part becomes too long. */
export function extended(part: string, piece: string): string {
  if (part.length + piece.length > maxReplyLength)
    throw new Error(`the reply is longer than ${maxReplyLength} characters`);
  return part + piece;
}

/** The whole reply. */
export async function readReply(response: Response): Promise<string> {
  let text = '';
  for await (const piece of replyText(response)) text = extended(text, piece);
  return text;
}
