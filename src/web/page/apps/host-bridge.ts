import { type CallOptions, type Json, McpClient, McpError } from '../shared/mcp-client.ts';

/** What the host tells about the call that this view belongs to. */
export interface HostCall {
  readonly arguments?: Json;
  readonly structuredContent?: Json;
  /** Why the call has no result. */
  readonly problem?: string;
}

export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** What the host tells about itself. A change contains only what has changed. */
export interface HostContext {
  readonly theme?: string;
  readonly locale?: string;
  readonly displayMode?: DisplayMode;
  readonly availableDisplayModes?: readonly DisplayMode[];
  /** The size of the frame in pixels, as far as the host sets it. */
  readonly containerDimensions?: {
    readonly height?: number;
    readonly maxHeight?: number;
    readonly width?: number;
    readonly maxWidth?: number;
  };
  readonly styles?: { readonly variables?: Readonly<Record<string, string>> };
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: McpError): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const protocolVersion = '2026-01-26';
const methodNotFound = -32601;
/** Tools that only read. After a call of any other tool, the view reloads. */
const reading = /^(list|show|search|expand|tail|get|find|preview|replay)_/;

/** Answers to requests that hosts do not forward. The views work without them. */
const notForwarded: Readonly<Record<string, Json>> = {
  'server/discover': {},
  'completion/complete': { completion: { values: [] } },
};

/** The connection of a view to the chat that shows it: JSON-RPC messages to the parent window. */
export class HostBridge extends McpClient {
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, (params: Json) => void>();
  #ids = 0;

  constructor() {
    super();
    addEventListener('message', ({ source, data }) => {
      if (source === parent && data?.jsonrpc === '2.0') this.#receive(data);
    });
  }

  /** Calls the listener for every notification of the host with this method. */
  on(method: string, listener: (params: Json) => void): void {
    this.#listeners.set(method, listener);
  }

  async open(): Promise<HostContext> {
    const { hostContext } = await this.#send<{ hostContext?: HostContext }>('ui/initialize', {
      protocolVersion,
      appInfo: { name: 'adjutant', version: '1' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    });
    this.notify('ui/notifications/initialized', {});
    return hostContext ?? {};
  }

  override async request<Result = Json>(method: string, params: Json = {}, { signal }: CallOptions = {}) {
    const fixed = notForwarded[method];
    if (fixed !== undefined) return fixed as Result;
    signal?.throwIfAborted();
    const name = params['name'] ?? params['uri'];
    try {
      return await this.#send<Result>(method, params);
    } catch (error) {
      const { message, code } = error as McpError;
      // Status 0: the request may succeed later, such as after the chat has restarted the server.
      throw new McpError(`The chat could not use ${name}: ${message}`, code, 0);
    } finally {
      if (method === 'tools/call' && !reading.test(String(name))) this.onOwnChange();
    }
  }

  /** Called after the view itself may have changed something. */
  onOwnChange: () => void = () => {};

  /** Writes a message into the chat, as if the user had typed it. */
  async sendMessage(text: string): Promise<void> {
    const content = [{ type: 'text', text }];
    const { isError } = await this.#send('ui/message', { role: 'user', content }).catch((error: McpError) => {
      throw error.code === methodNotFound
        ? new McpError('This chat accepts no messages from views. Copy the text instead.', error.code, 200)
        : new McpError(`The message was not sent: ${error.message}`, error.code, 200);
    });
    if (isError) throw new McpError('The chat did not accept the message.', 0, 200);
  }

  /** Resolves as soon as the host answers anything. */
  ping(): Promise<unknown> {
    return this.#send('ping', {}).catch(() => {});
  }

  /** Asks the host for another size. Resolves to the mode that it chose. */
  async requestDisplayMode(mode: DisplayMode): Promise<DisplayMode> {
    const { mode: chosen } = await this.#send<{ mode: DisplayMode }>('ui/request-display-mode', { mode });
    return chosen;
  }

  openLink(url: string): Promise<unknown> {
    return this.#send('ui/open-link', { url });
  }

  notify(method: string, params: Json): void {
    this.#post({ method, params });
  }

  #send<Result = Json>(method: string, params: Json): Promise<Result> {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.#post({ id, method, params });
    });
  }

  #post(message: Json): void {
    // The origin of the host is unknown. No message holds a secret.
    parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (method !== undefined) {
      this.#listeners.get(method)?.(params ?? {});
      // The only request of a host announces that the view is removed. There is nothing to save.
      if (id !== undefined) this.#post({ id, result: {} });
      return;
    }
    const waiting = this.#pending.get(Number(id));
    this.#pending.delete(Number(id));
    if (error)
      waiting?.reject(new McpError(error.message.replace(/^MCP error -?\d+: /, ''), error.code, 200));
    else waiting?.resolve(result);
  }
}
