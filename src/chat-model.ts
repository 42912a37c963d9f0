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
