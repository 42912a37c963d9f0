import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { ToolAnswer, ToolArguments, ToolName } from '../../../api.ts';
import { Loading } from '../controls/loading.tsx';
import { draftOwner, hasAnyDraft, setDraftOwner } from './draft-storage.ts';
import { HttpClient, type McpClient, McpError } from './mcp-client.ts';

export interface Connection {
  readonly client: McpClient;
  readonly stream: Pick<ChangeStream, 'watch'> | undefined;
  readonly live: boolean;
  /** True if the server refuses every change. */
  readonly readOnly: boolean;
  /** False if the token may not call a tool. True until the server has answered. */
  mayCall(tool: ToolName): boolean;
  /** A counter for each kind of change. Views use the counters as dependencies, so that they reload after a change. */
  readonly changes: Readonly<Record<ChangeKind, number>>;
  /** Makes the views of that kind reload after the page itself changed something. */
  invalidate(kind: ChangeKind): void;
}

export const connectionContext = createContext<Connection | undefined>(undefined);

export function useConnection(): Connection {
  const connection = useContext(connectionContext);
  if (connection === undefined) throw new Error('useConnection must be used inside a ConnectionProvider');
  return connection;
}

interface ProviderProps {
  readonly token: string;
  readonly children: ComponentChildren;
  /** Called when the server rejects the token. */
  onUnauthorized(): void;
}

/** Provides one client and one change stream to the whole page. */
export function ConnectionProvider({ token, children, onUnauthorized }: ProviderProps) {
  const client = useMemo(() => new HttpClient(token, onUnauthorized), [token]);
  const [stream, setStream] = useState<ChangeStream | undefined>();
  const [live, setLive] = useState(false);
  const [rights, setRights] = useState<Rights>({ readOnly: false });
  const [changes, setChanges] = useState<Connection['changes']>({ prompts: 0, resources: 0, tools: 0 });
  const invalidate = useCallback(
    (kind: ChangeKind) => setChanges((now) => ({ ...now, [kind]: now[kind] + 1 })),
    [],
  );
  // Drafts belong to a person: if there are any, nothing is shown before the first answer tells who this is. A reload knows it.
  const [isKnown, setKnown] = useState(draftOwner() !== undefined || !hasAnyDraft());
  const learn = async () => {
    const { actor, ...found } = await discover(client);
    setRights(found);
    if (actor !== undefined) setDraftOwner(actor);
    setKnown(true);
  };
  useEffect(() => void (isKnown || learn()), [client]);
  useEffect(() => {
    let wasConnected = false;
    const opened = new ChangeStream(client, invalidate, (connected) => {
      // No notifications arrived while the stream was down, so reload everything.
      if (connected && wasConnected) {
        for (const kind of changeKinds) invalidate(kind);
        opened.notifyAll();
      }
      wasConnected ||= connected;
      // A restarted server may have other settings.
      if (connected) void learn();
      setLive(connected);
    });
    setStream(opened);
    return () => opened.close();
  }, [client]);
  return (
    <connectionContext.Provider
      value={{
        ...{ client, stream, live, changes, invalidate },
        readOnly: rights.readOnly,
        mayCall: (tool) => rights.tools?.has(tool) ?? true,
      }}
    >
      {isKnown && children}
    </connectionContext.Provider>
  );
}

interface Rights {
  readonly readOnly: boolean;
  /** Absent if the caller may call every tool. */
  readonly tools?: ReadonlySet<string>;
}

/** Who the caller is and what it may do. If the server cannot be asked, it still refuses changes itself. */
function discover(client: McpClient): Promise<Rights & { readonly actor?: string }> {
  return client.request<{ _meta?: Record<string, unknown> }>('server/discover').then(
    ({ _meta }) => {
      const tools = _meta?.['adjutant/tools'];
      return {
        readOnly: _meta?.['adjutant/read-only'] === true,
        actor: String(_meta?.['adjutant/actor'] ?? 'owner'),
        ...(Array.isArray(tools) && { tools: new Set(tools.map(String)) }),
      };
    },
    () => ({ readOnly: false }),
  );
}

/** Combines a burst of notifications into one reload. */
const debounceMs = 150;

/** A counter that increases when the server reports a change of one of these resources. */
export function useUpdates(...uris: readonly string[]): number {
  const { stream } = useConnection();
  const [count, setCount] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChange = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setCount((now) => now + 1);
      }, debounceMs);
    };
    const unwatchers = uris.map((uri) => stream?.watch(uri, onChange));
    return () => {
      clearTimeout(timer);
      for (const unwatch of unwatchers) unwatch?.();
    };
  }, [stream, uris.join('\n')]);
  return count;
}

/** A counter that increases at a fixed interval while the page is visible. For polling where no notifications exist. */
export function useTicks(milliseconds: number | undefined): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (milliseconds === undefined) return;
    const timer = setInterval(
      () => document.visibilityState === 'visible' && setCount((now) => now + 1),
      milliseconds,
    );
    return () => clearInterval(timer);
  }, [milliseconds]);
  return count;
}

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: McpError | undefined;
}

/** Loads a value from the server and reloads it when a dependency changes. The old value stays until the new one arrives. */
export function useLoaded<Value>(
  load: (client: McpClient, signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const { client } = useConnection();
  const [loaded, setLoaded] = useState<Loaded<Value>>({ value: undefined, error: undefined });
  useEffect(() => {
    const ended = new AbortController();
    load(client, ended.signal).then(
      (value) => !ended.signal.aborted && setLoaded({ value, error: undefined }),
      (error) => {
        if (!ended.signal.aborted) setLoaded((old) => ({ value: old.value, error: asError(error) }));
      },
    );
    return () => ended.abort();
  }, [client, ...dependencies]);
  return loaded;
}

/** The answer of a tool. It is called again when its arguments or a dependency change. */
export function useTool<Name extends ToolName>(
  tool: Name,
  args: ToolArguments<Name>,
  ...dependencies: readonly unknown[]
): Loaded<ToolAnswer<Name>> {
  return useLoaded(
    (client, signal) => client.tool(tool, args, { signal }),
    [tool, JSON.stringify(args), ...dependencies],
  );
}

/** Shown instead of a value that could not be loaded, or not yet. */
export const Pending = ({ error }: Pick<Loaded<unknown>, 'error'>) =>
  error ? <p class="problem">{error.message}</p> : <Loading />;

export function asError(error: unknown): McpError {
  return error instanceof McpError
    ? error
    : new McpError(error instanceof Error ? error.message : String(error), 0, 0);
}

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
class ChangeStream {
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
