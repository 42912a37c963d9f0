import type { ToolAnswer, ToolArguments, ToolName } from '../../../api.ts';
import type { Failure } from '../../../failure.ts';

const protocolVersion = '2026-07-28';
const meta = 'io.modelcontextprotocol/';
const undoKey = 'adjutant/undo';

/** The parameter of each method that is repeated in the `Mcp-Name` header. */
const nameParameters: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export type Json = Record<string, unknown>;

/** A failed request. `status` is the HTTP status, or 0 if the server could not be reached. */
export class McpError extends Error {
  readonly code: number;
  readonly status: number;
  /** Set only if a tool reported the failure. */
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
  /** Protocol extensions that the client declares for this call only. */
  readonly extensions?: Json;
}

/** Undoes a change. The page keeps a step over a reload, unlike other code. */
export type Undo = (() => Promise<unknown>) & { readonly step?: UndoStep | undefined };
export interface UndoStep {
  readonly tool: ToolName;
  readonly arguments: object;
}

/** An MCP client over any transport. */
export abstract class McpClient {
  abstract request<Result = Json>(method: string, params?: Json, options?: CallOptions): Promise<Result>;

  /** Calls a tool and returns its structured result. Throws an McpError if the tool reports a failure. */
  async tool<Name extends ToolName>(
    name: Name,
    args: ToolArguments<Name>,
    options: CallOptions = {},
  ): Promise<ToolAnswer<Name>> {
    const params = { name, arguments: args };
    return answerOf<Name>(await this.request<ToolReply>('tools/call', params, options));
  }

  /** Calls a tool and returns, with its result, a way to undo the change, if the server has one. */
  async undoable<Name extends ToolName>(
    name: Name,
    args: ToolArguments<Name>,
  ): Promise<{ readonly answer: ToolAnswer<Name>; readonly undo?: Undo }> {
    const params = { name, arguments: args, _meta: { [undoKey]: true } };
    const reply = await this.request<ToolReply>('tools/call', params);
    const answer = answerOf<Name>(reply);
    const undo = reply._meta?.[undoKey];
    return { answer, ...(undo !== undefined && { undo: this.undoBy('undo_change', { undo }) }) };
  }

  /** Undoes a change with the call of a tool. Returns what to say if not everything could be undone. */
  undoBy<Name extends ToolName>(tool: Name, args: ToolArguments<Name>): Undo {
    const run = async () => {
      const { already_sent: sent = 0 } = (await this.tool(tool, args)) as { already_sent?: number };
      if (sent === 0) return '';
      return `Undone, except for ${sent === 1 ? '1 message that was' : `${sent} messages that were`} already sent.`;
    };
    return Object.assign(run, { step: { tool, arguments: args } });
  }

  /** Loads a list page by page. `onPage` receives all items loaded so far. */
  async all<Item>(
    method: string,
    key: string,
    onPage: (items: readonly Item[]) => void,
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
      onPage([...items]);
      cursor = page['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
  }
}

/** A client for protocol revision 2026-07-28: stateless requests, and one open stream for change notifications. */
export class HttpClient extends McpClient {
  readonly #token: string;
  readonly #onUnauthorized: () => void;
  #ids = 0;

  /** `onUnauthorized` runs whenever the server rejects the token. */
  constructor(token: string, onUnauthorized: () => void = () => {}) {
    super();
    this.#token = token;
    this.#onUnauthorized = onUnauthorized;
  }

  override async request<Result = Json>(
    method: string,
    params: Json = {},
    options: CallOptions = {},
  ): Promise<Result> {
    const id = ++this.#ids;
    const response = await this.#post(id, method, params, options);
    const reply = response.headers.get('content-type')?.includes('event-stream')
      ? await readEventStream(response, id, options.onNotification)
      : await response.json().catch(() => ({}));
    if (reply.error)
      throw new McpError(String(reply.error.message), Number(reply.error.code), response.status);
    if (reply.result === undefined)
      throw new McpError(
        `The server returned HTTP status ${response.status} without a result.`,
        0,
        response.status,
      );
    return reply.result;
  }

  /** Opens a stream of change notifications. Reconnects with backoff until the signal is aborted or the token is rejected. */
  async listen(
    filter: Json,
    onChange: (method: string, params: Json) => void,
    onConnectionChange: (connected: boolean) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let delayMs = 500;
    while (!signal.aborted) {
      try {
        const id = ++this.#ids;
        const response = await this.#post(id, 'subscriptions/listen', { notifications: filter }, { signal });
        if (response.status === 401) return;
        await readEventStream(response, id, (method, params) => {
          if (method === 'notifications/subscriptions/acknowledged') {
            delayMs = 500;
            onConnectionChange(true);
          } else onChange(method, params);
        });
      } catch {
        // Reconnect below.
      }
      if (signal.aborted) return;
      onConnectionChange(false);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      delayMs = Math.min(delayMs * 2, 10_000);
    }
  }

  async #post(
    id: number,
    method: string,
    params: Json,
    { signal, extensions }: CallOptions,
  ): Promise<Response> {
    const name = nameParameters[method] === undefined ? undefined : params[nameParameters[method]];
    // Relative, because a proxy may serve the page below a prefix.
    const response = await fetch('page/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${this.#token}`,
        'mcp-protocol-version': protocolVersion,
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
            ...(params['_meta'] as Json | undefined),
            [`${meta}protocolVersion`]: protocolVersion,
            [`${meta}clientInfo`]: { name: 'adjutant-page', version: '1' },
            [`${meta}clientCapabilities`]: extensions ? { extensions } : {},
            progressToken: id,
          },
        },
      }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      // Browsers word connection errors differently, so replace their messages.
      throw signal?.aborted ? error : new McpError('The server is not responding. Is it running?', 0, 0);
    });
    if (response.status === 401) this.#onUnauthorized();
    return response;
  }
}

export interface ToolReply {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: { readonly 'adjutant/failure'?: ToolFailure; readonly [undoKey]?: string };
}

function answerOf<Name extends ToolName>(reply: ToolReply): ToolAnswer<Name> {
  const { content, structuredContent, isError, _meta } = reply;
  const text = content?.map((part) => part.text ?? '').join('\n') ?? '';
  // A failed run is an error with a result.
  if (isError && structuredContent === undefined)
    throw new McpError(text, 0, 200, _meta?.['adjutant/failure']);
  return (structuredContent ?? { text }) as ToolAnswer<Name>;
}

interface Reply {
  readonly result?: never;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Reads an event stream to its end and returns the reply to request `id`. */
async function readEventStream(
  response: Response,
  id: number,
  onNotification?: (method: string, params: Json) => void,
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
      else if (message.method) onNotification?.(message.method, message.params ?? {});
    }
  }
}

function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')) return text;
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}
