import type { HttpClient } from './mcp-client.ts';

export const changeKinds = ['prompts', 'resources', 'tools'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Sent by the tab that holds the stream to all other tabs. */
type StreamMessage =
  | { readonly kind: ChangeKind }
  | { readonly uri: string }
  | { readonly connected: boolean };
/** Sent between tabs so that the tab that holds the stream subscribes to the resources of all tabs. */
type SubscriptionMessage = { readonly subscribe: readonly string[] } | { readonly resendSubscriptions: true };

/**
 * One change stream shared by all tabs of a browser. Browsers allow only a few connections per host, so a stream in
 * each tab would leave none for requests. The tab that holds the lock opens the stream and forwards its messages.
 */
export class ChangeStream {
  readonly #client: HttpClient;
  readonly #dispatch: (message: StreamMessage) => void;
  readonly #tabs = 'locks' in navigator ? new BroadcastChannel('adjutant-changes') : undefined;
  readonly #closed = new AbortController();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** URIs watched by any tab. URIs are never removed: an unneeded notification does no harm. */
  readonly #subscribed = new Set<string>();
  #stream: AbortController | undefined;

  constructor(
    client: HttpClient,
    onChange: (kind: ChangeKind) => void,
    onConnectionChange: (connected: boolean) => void,
  ) {
    this.#client = client;
    this.#dispatch = (message) => {
      if ('connected' in message) onConnectionChange(message.connected);
      else if ('kind' in message) onChange(message.kind);
      else for (const listener of this.#watchers.get(message.uri) ?? []) listener();
    };
    if (this.#tabs === undefined) this.#openStream([]);
    else this.#shareStream(this.#tabs);
  }

  /** Calls the listener after every change of one resource. Returns a function that removes the listener. */
  watch(uri: string, listener: () => void): () => void {
    const known = this.#watchers.get(uri);
    this.#watchers.set(uri, (known ?? new Set()).add(listener));
    if (known === undefined) {
      this.#tabs?.postMessage({ subscribe: [uri] } satisfies SubscriptionMessage);
      this.#subscribe([uri]);
    }
    return () => {
      const all = this.#watchers.get(uri);
      if (all?.delete(listener) && all.size === 0) this.#watchers.delete(uri);
    };
  }

  /** Calls every listener. Used after a reconnect, when notifications may have been missed. */
  notifyAll(): void {
    for (const all of this.#watchers.values()) for (const listener of all) listener();
  }

  close(): void {
    this.#closed.abort();
    this.#tabs?.close();
  }

  #shareStream(tabs: BroadcastChannel): void {
    tabs.onmessage = ({ data }: MessageEvent<StreamMessage | SubscriptionMessage>) => {
      if ('resendSubscriptions' in data)
        tabs.postMessage({ subscribe: [...this.#watchers.keys()] } satisfies SubscriptionMessage);
      else if ('subscribe' in data) this.#subscribe(data.subscribe);
      else this.#dispatch(data);
    };
    // Assume that another tab holds a working stream until it reports otherwise.
    this.#dispatch({ connected: true });
    const { signal } = this.#closed;
    const holdStream = () => {
      tabs.postMessage({ resendSubscriptions: true } satisfies SubscriptionMessage);
      this.#openStream([]);
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    navigator.locks.request('adjutant-changes', { signal }, holdStream).catch(() => {});
  }

  #subscribe(uris: readonly string[]): void {
    const added = uris.filter((uri) => !this.#subscribed.has(uri));
    for (const uri of added) this.#subscribed.add(uri);
    if (added.length > 0 && this.#stream !== undefined) this.#openStream(added);
  }

  /** Opens a stream for all subscribed URIs. The previous stream stays open until the new one is acknowledged. */
  #openStream(added: readonly string[]): void {
    const previous = this.#stream;
    const stream = new AbortController();
    this.#stream = stream;
    let reportsConnection = previous === undefined;
    const filter = {
      ...Object.fromEntries(changeKinds.map((kind) => [`${kind}ListChanged`, true])),
      ...(this.#subscribed.size > 0 && { resourceSubscriptions: [...this.#subscribed] }),
    };
    void this.#client.listen(
      filter,
      (method, { uri }) => {
        const kind = changeKinds.find((one) => method === `notifications/${one}/list_changed`);
        if (kind) this.#broadcast({ kind });
        else if (method === 'notifications/resources/updated') this.#broadcast({ uri: String(uri) });
      },
      (connected) => {
        previous?.abort();
        if (reportsConnection || !connected) this.#broadcast({ connected });
        // The resources may have changed between their first load and this subscription.
        else for (const uri of added) this.#broadcast({ uri });
        reportsConnection = true;
      },
      AbortSignal.any([stream.signal, this.#closed.signal]),
    );
  }

  #broadcast(message: StreamMessage): void {
    if (this.#closed.signal.aborted) return;
    this.#dispatch(message);
    this.#tabs?.postMessage(message);
  }
}
