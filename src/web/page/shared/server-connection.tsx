import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { type ChangeKind, ChangeStream, changeKinds as kinds } from './change-stream.ts';
import { HttpClient, type McpClient, McpError } from './mcp-client.ts';

export interface Connection {
  readonly client: McpClient;
  readonly stream: Pick<ChangeStream, 'watch'> | undefined;
  readonly live: boolean;
  /** True if the server refuses every change. */
  readonly readOnly: boolean;
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
  const [readOnly, setReadOnly] = useState(false);
  const [changes, setChanges] = useState<Connection['changes']>({ prompts: 0, resources: 0, tools: 0 });
  const invalidate = useCallback(
    (kind: ChangeKind) => setChanges((now) => ({ ...now, [kind]: now[kind] + 1 })),
    [],
  );
  useEffect(() => {
    let wasConnected = false;
    const opened = new ChangeStream(client, invalidate, (connected) => {
      // No notifications arrived while the stream was down, so reload everything.
      if (connected && wasConnected) {
        for (const kind of kinds) invalidate(kind);
        opened.notifyAll();
      }
      wasConnected ||= connected;
      // A restarted server may have other settings.
      if (connected) void isReadOnly(client).then(setReadOnly);
      setLive(connected);
    });
    setStream(opened);
    return () => opened.close();
  }, [client]);
  return (
    <connectionContext.Provider value={{ client, stream, live, readOnly, changes, invalidate }}>
      {children}
    </connectionContext.Provider>
  );
}

/** If the server cannot be asked, it still refuses changes itself. */
function isReadOnly(client: McpClient): Promise<boolean> {
  return client.request<{ _meta?: Record<string, unknown> }>('server/discover').then(
    ({ _meta }) => _meta?.['adjutant/read-only'] === true,
    () => false,
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

export function asError(error: unknown): McpError {
  return error instanceof McpError
    ? error
    : new McpError(error instanceof Error ? error.message : String(error), 0, 0);
}
