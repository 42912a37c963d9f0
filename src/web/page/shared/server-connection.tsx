import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { type ChangeKind, ChangeStream, changeKinds as kinds } from './change-stream.ts';
import { McpClient, McpError } from './mcp-client.ts';

export interface Connection {
  readonly client: McpClient;
  readonly stream: ChangeStream | undefined;
  readonly live: boolean;
  /** Counts up with every change of that kind, so that views can depend on it. */
  readonly changes: Readonly<Record<ChangeKind, number>>;
  /** Has the views of that kind ask again, after the page itself changed something. */
  touch(kind: ChangeKind): void;
}

const context = createContext<Connection | undefined>(undefined);

export function useConnection(): Connection {
  const connection = useContext(context);
  if (connection === undefined) throw new Error('there is no connection here');
  return connection;
}

interface ProviderProps {
  readonly token: string;
  readonly children: ComponentChildren;
  /** The server does not know the token, or not any more. */
  refused(): void;
}

/** One client and one stream of changes for the whole page. */
export function ConnectionProvider({ token, children, refused }: ProviderProps) {
  const client = useMemo(() => new McpClient(token, refused), [token]);
  const [stream, setStream] = useState<ChangeStream | undefined>();
  const [live, setLive] = useState(false);
  const [changes, setChanges] = useState<Connection['changes']>({ prompts: 0, resources: 0, tools: 0 });
  const touch = useCallback(
    (kind: ChangeKind) => setChanges((now) => ({ ...now, [kind]: now[kind] + 1 })),
    [],
  );
  useEffect(() => {
    let before = false;
    const opened = new ChangeStream(client, touch, (now) => {
      // Whatever changed while the stream was down was not told.
      if (now && before) {
        for (const kind of kinds) touch(kind);
        opened.tellAll();
      }
      before ||= now;
      setLive(now);
    });
    setStream(opened);
    return () => opened.close();
  }, [client]);
  return <context.Provider value={{ client, stream, live, changes, touch }}>{children}</context.Provider>;
}

/** What comes in a burst is asked for once. */
const settleMs = 150;

/** Counts up when the server tells that one of these resources changed. */
export function useUpdates(...uris: readonly string[]): number {
  const { stream } = useConnection();
  const [count, setCount] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const told = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setCount((now) => now + 1);
      }, settleMs);
    };
    const stops = uris.map((uri) => stream?.watch(uri, told));
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop?.();
    };
  }, [stream, uris.join('\n')]);
  return count;
}

/** Counts up now and then while somebody looks, for what nobody tells of. */
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

/** Asks the server for something and asks again when one of the dependencies changes; the old answer stays until then. */
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
