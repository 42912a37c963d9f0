import { type ComponentType, render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { type ChangeKind, changeKinds } from '../shared/change-stream.ts';
import { asError, type Connection, connectionContext, useTicks } from '../shared/server-connection.tsx';
import { ToastProvider } from '../shared/toast.tsx';
import { HostBridge, type HostCall, type HostContext } from './host-bridge.ts';
import '../style.css';
import './app.css';

export interface AppProps {
  /** The call that the chat shows this view for. */
  readonly call: HostCall;
  readonly bridge: HostBridge;
}

/** Hosts forward only some notifications of changes, so views also reload at this interval. */
const pollMs = 5_000;

/** Renders a view inside the chat of a host. */
export function runApp(app: ComponentType<AppProps>): void {
  render(<AppFrame app={app} />, document.getElementById('page')!);
}

function AppFrame({ app: App }: { app: ComponentType<AppProps> }) {
  const bridge = useMemo(() => new HostBridge(), []);
  const [call, setCall] = useState<HostCall>({});
  const [problem, setProblem] = useState<string | undefined>();
  const [open, setOpen] = useState(false);
  const [changes, setChanges] = useState<Connection['changes']>({ prompts: 0, resources: 0, tools: 0 });
  const invalidate = useCallback(
    (...kinds: readonly ChangeKind[]) =>
      setChanges((now) => ({ ...now, ...Object.fromEntries(kinds.map((kind) => [kind, now[kind] + 1])) })),
    [],
  );
  const listeners = useMemo(() => new Set<() => void>(), []);
  const stream = useMemo(() => ({ watch: watchWith(listeners) }), []);
  const ticks = useTicks(pollMs);
  useEffect(() => {
    if (ticks === 0) return;
    invalidate(...changeKinds);
    for (const listener of listeners) listener();
  }, [ticks]);
  useEffect(() => {
    bridge.on('ui/notifications/tool-input', ({ arguments: args }) =>
      setCall((now) => ({ ...now, arguments: args as HostCall['arguments'] & {} })),
    );
    bridge.on('ui/notifications/tool-result', (result) =>
      setCall((now) => ({ ...now, structuredContent: result['structuredContent'] as never })),
    );
    bridge.on('ui/notifications/host-context-changed', applyContext);
    for (const kind of changeKinds) bridge.on(`notifications/${kind}/list_changed`, () => invalidate(kind));
    bridge.open().then(
      (context) => {
        applyContext(context);
        setOpen(true);
      },
      (error) => setProblem(asError(error).message),
    );
    const observer = new ResizeObserver(([entry]) =>
      bridge.notify('ui/notifications/size-changed', { height: Math.ceil(entry!.contentRect.height) }),
    );
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [bridge]);
  const connection: Connection = {
    client: bridge,
    stream,
    live: true,
    readOnly: false,
    changes,
    invalidate,
  };
  return (
    <connectionContext.Provider value={connection}>
      <ToastProvider>
        {problem !== undefined && <p class="problem box">{problem}</p>}
        {open && <App call={call} bridge={bridge} />}
      </ToastProvider>
    </connectionContext.Provider>
  );
}

/** Hosts forward no updates of resources, so every poll counts as one. */
function watchWith(listeners: Set<() => void>): (uri: string, listener: () => void) => () => void {
  return (_, listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}

/** Our colours, and the variables in which a host defines its own. */
const colours: Readonly<Record<string, string>> = {
  '--back': '--color-background-primary',
  '--panel': '--color-background-primary',
  '--raised': '--color-background-secondary',
  '--line': '--color-border-secondary',
  '--text': '--color-text-primary',
  '--quiet': '--color-text-secondary',
};

function applyContext({ theme, styles }: HostContext): void {
  const { style, dataset } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset['theme'] = theme;
  for (const [name, hostName] of Object.entries(colours)) {
    const value = styles?.variables?.[hostName];
    if (value !== undefined) style.setProperty(name, value);
  }
}
