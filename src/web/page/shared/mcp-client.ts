import type { ToolAnswer, ToolArguments, ToolName } from '../../../api.ts';
import type { Failure } from '../../../failure.ts';

const version = '2026-07-28';
const meta = 'io.modelcontextprotocol/';

/** Which field of a request the header `Mcp-Name` repeats. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export type Json = Record<string, unknown>;

/** The server said no. `status` is that of HTTP; `kind` is given for failed tools. */
export class McpError extends Error {
  readonly code: number;
  readonly status: number;
  /** Why a tool call failed, where a tool call did. */
  readonly failure: ToolFailure | undefined;
  constructor(message: string, code: number, status: number, failure?: ToolFailure) {
    super(message);
    this.code = code;
    this.status = status;
    this.failure = failure;
  }
}

export type ToolFailure = Pick<Failure, 'kind' | 'issues' | 'data'>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onNotification?: (method: string, params: Json) => void;
  /** Extensions of the protocol that this one call declares. */
  readonly extensions?: Json;
}

/** An MCP client of the current revision: every request stands for itself, changes come on one open stream. */
export class McpClient {
  readonly #token: string;
  readonly #refused: () => void;
  #ids = 0;

  /** `refused` is told whenever the server does not know the token. */
  constructor(token: string, refused: () => void = () => {}) {
    this.#token = token;
    this.#refused = refused;
  }

  async request<Result = Json>(
    method: string,
    params: Json = {},
    options: CallOptions = {},
  ): Promise<Result> {
    const id = ++this.#ids;
    const response = await this.#post(id, method, params, options);
    const reply = response.headers.get('content-type')?.includes('event-stream')
      ? await lastReply(response, id, options.onNotification)
      : await response.json().catch(() => ({}));
    if (reply.error)
      throw new McpError(String(reply.error.message), Number(reply.error.code), response.status);
    if (reply.result === undefined)
      throw new McpError(`The server answered with status ${response.status}.`, 0, response.status);
    return reply.result;
  }

  /** Calls a tool for its structured answer; what it reports as failed is thrown. */
  async tool<Name extends ToolName>(
    name: Name,
    args: ToolArguments<Name>,
    options: CallOptions = {},
  ): Promise<ToolAnswer<Name>> {
    const params = { name, arguments: args };
    const result = await this.request<ToolReply>('tools/call', params, options);
    const text = result.content?.map((part) => part.text ?? '').join('\n') ?? '';
    if (result.isError) throw new McpError(text, 0, 200, result._meta?.['adjutant/failure']);
    return (result.structuredContent ?? { text }) as ToolAnswer<Name>;
  }

  /** Every item of a list, page by page; `seen` gets what there is so far. */
  async all<Item>(
    method: string,
    key: string,
    seen: (items: readonly Item[]) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const page: Json = await this.request(
        method,
        cursor === undefined ? {} : { cursor },
        signal ? { signal } : {},
      );
      items.push(...(page[key] as Item[]));
      seen([...items]);
      cursor = page['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
  }

  /** Stays open and tells of changes; comes back by itself when the server went away. */
  async listen(
    filter: Json,
    heard: (method: string, params: Json) => void,
    state: (live: boolean) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let wait = 500;
    while (!signal.aborted) {
      try {
        const id = ++this.#ids;
        const response = await this.#post(id, 'subscriptions/listen', { notifications: filter }, { signal });
        if (response.status === 401) return;
        await lastReply(response, id, (method, params) => {
          if (method === 'notifications/subscriptions/acknowledged') {
            wait = 500;
            state(true);
          } else heard(method, params);
        });
      } catch {
        // Tried again below.
      }
      if (signal.aborted) return;
      state(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, 10_000);
    }
  }

  async #post(
    id: number,
    method: string,
    params: Json,
    { signal, extensions }: CallOptions,
  ): Promise<Response> {
    const name = named[method] === undefined ? undefined : params[named[method]];
    const response = await fetch('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${this.#token}`,
        'mcp-protocol-version': version,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id,
        method,
        params: {
          ...params,
          _meta: {
            [`${meta}protocolVersion`]: version,
            [`${meta}clientInfo`]: { name: 'adjutant-page', version: '1' },
            [`${meta}clientCapabilities`]: extensions ? { extensions } : {},
            progressToken: id,
          },
        },
      }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      // What the browser says of a connection that failed is worded differently in each of them.
      throw signal?.aborted ? error : new McpError('The server does not answer. Is it running?', 0, 0);
    });
    if (response.status === 401) this.#refused();
    return response;
  }
}

export interface ToolReply {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: { readonly 'adjutant/failure'?: ToolFailure };
}

interface Reply {
  readonly result?: never;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Reads a stream of events to its end and gives the reply that was among them. */
async function lastReply(
  response: Response,
  id: number,
  heard?: (method: string, params: Json) => void,
): Promise<Reply> {
  let reply: Reply = {};
  let rest = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return reply;
    const events = (rest + value).split('\n\n');
    rest = events.pop()!;
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n');
      if (data === '') continue;
      const message = JSON.parse(data);
      if (message.id === id) reply = message;
      else if (message.method) heard?.(message.method, message.params ?? {});
    }
  }
}

function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')) return text;
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}
