import { type ComponentType, render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import type { Json } from '../shared/mcp-client.ts';
import {
  asError,
  type ChangeKind,
  type Connection,
  changeKinds,
  connectionContext,
  useTicks,
} from '../shared/server-connection.tsx';
import { ToastProvider } from '../shared/toast.tsx';
import { setPageLocale } from '../shared/zone-time.ts';
import { HostBridge, type HostCall, type HostContext } from './host-bridge.ts';
import '../style.css';
import './app.css';

export interface AppProps {
  /** The call that the chat shows this view for. */
  readonly call: HostCall;
  readonly bridge: HostBridge;
  /** True for the whole view, false for the card that a chat shows first. */
  readonly expanded: boolean;
  /** Shows the whole view: in a larger frame, if the host has one, and in place otherwise. */
  expand(): void;
}

/** Hosts forward only some notifications of changes, so views also reload at this interval. */
const pollMs = 5_000;
/** A host that does not answer for so long is reported. */
const silenceMs = 4_000;

/** Renders a view inside the chat of a host. */
export function runApp(app: ComponentType<AppProps>): void {
  render(<AppFrame app={app} />, document.getElementById('page')!);
}

function AppFrame({ app: App }: { app: ComponentType<AppProps> }) {
  const bridge = useMemo(() => new HostBridge(), []);
  const [call, setCall] = useState<HostCall>({});
  const [problem, setProblem] = useState<string | undefined>();
  const [open, setOpen] = useState(false);
  const [silent, setSilent] = useState(false);
  const [host, setHost] = useState<HostContext>({});
  const [inPlace, setInPlace] = useState(false);
  const [changes, setChanges] = useState<Connection['changes']>({ prompts: 0, resources: 0, tools: 0 });
  const invalidate = useCallback(
    (...kinds: readonly ChangeKind[]) =>
      setChanges((now) => ({ ...now, ...Object.fromEntries(kinds.map((kind) => [kind, now[kind] + 1])) })),
    [],
  );
  const listeners = useMemo(() => new Set<() => void>(), []);
  const stream = useMemo(() => ({ watch: watchWith(listeners) }), []);
  const ticks = useTicks(pollMs);
  const reload = useCallback(() => {
    invalidate(...changeKinds);
    for (const listener of listeners) listener();
  }, []);
  useEffect(() => {
    if (ticks === 0) return;
    if (open) reload();
    const timer = setTimeout(() => setSilent(true), silenceMs);
    void bridge.ping().then(() => {
      clearTimeout(timer);
      setSilent(false);
    });
  }, [ticks]);
  useEffect(() => {
    bridge.on('ui/notifications/tool-input', ({ arguments: args }) =>
      setCall((now) => ({ ...now, arguments: args as HostCall['arguments'] & {} })),
    );
    bridge.on('ui/notifications/tool-result', (result) =>
      setCall((now) => ({ ...now, ...resultOf(result) })),
    );
    bridge.on('ui/notifications/tool-cancelled', ({ reason }) =>
      setCall((now) => ({ ...now, problem: `The call was cancelled. ${reason ?? ''}` })),
    );
    const learn = (context: HostContext) => {
      applyContext(context);
      setHost((now) => ({ ...now, ...context }));
    };
    bridge.on('ui/notifications/host-context-changed', learn);
    for (const kind of changeKinds) bridge.on(`notifications/${kind}/list_changed`, () => invalidate(kind));
    bridge.open().then(
      (context) => {
        learn(context);
        setOpen(true);
      },
      (error) => setProblem(asError(error).message),
    );
    bridge.onOwnChange = reload;
    const root = document.documentElement;
    const observer = new ResizeObserver(() =>
      bridge.notify('ui/notifications/size-changed', {
        height: Math.ceil(root.getBoundingClientRect().height),
      }),
    );
    observer.observe(root);
    const restore = replaceSandboxed(bridge);
    return () => {
      observer.disconnect();
      restore();
    };
  }, [bridge]);
  const connection: Connection = {
    client: bridge,
    stream,
    live: true,
    readOnly: false,
    mayCall: () => true,
    changes,
    invalidate,
  };
  const isLarge = host.displayMode === 'fullscreen';
  const expand = async () => {
    const offered = host.availableDisplayModes?.includes('fullscreen') ?? false;
    const mode = offered && (await bridge.requestDisplayMode('fullscreen').catch(() => undefined));
    // The host reports the change as well, but need not.
    if (mode === 'fullscreen') setHost((now) => ({ ...now, displayMode: mode }));
    else setInPlace(true);
  };
  const shrink = () => {
    setInPlace(false);
    if (isLarge)
      void bridge
        .requestDisplayMode('inline')
        .then((displayMode) => setHost((now) => ({ ...now, displayMode })))
        .catch(() => {});
  };
  const expanded = isLarge || inPlace;
  return (
    <connectionContext.Provider value={connection}>
      <ToastProvider>
        {problem !== undefined && <p class="problem box">{problem}</p>}
        {silent && (
          <p class="warning box" role="status">
            The chat does not answer. This view may be out of date.
          </p>
        )}
        {/* Views read the arguments when they are created. */}
        {open && expanded && (
          <p class="chat-bar">
            <Button class="plain small" onClick={shrink}>
              Show less
            </Button>
          </p>
        )}
        {open && (
          <App
            key={String(call.arguments !== undefined)}
            {...{ call, bridge, expanded }}
            expand={() => void expand()}
          />
        )}
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

function resultOf({ structuredContent, isError, content }: Json): HostCall {
  // A failed run is an error with a result.
  if (structuredContent !== undefined) return { structuredContent: structuredContent as Json };
  const texts = (content ?? []) as readonly { readonly text?: string }[];
  return isError ? { problem: texts.map(({ text = '' }) => text).join('\n') } : {};
}

/** Our colours, and the variables in which a host defines its own. */
const colours: Readonly<Record<string, string>> = {
  '--back': '--color-background-primary',
  '--surface': '--color-background-primary',
  '--sunken': '--color-background-secondary',
  '--line': '--color-border-secondary',
  '--text': '--color-text-primary',
  '--quiet': '--color-text-secondary',
};

function applyContext({ theme, styles, locale, displayMode, containerDimensions }: HostContext): void {
  const { style, dataset } = document.documentElement;
  if (displayMode !== undefined) dataset['mode'] = displayMode;
  if (locale !== undefined) setPageLocale(locale);
  if (containerDimensions !== undefined) {
    const { height, maxHeight, maxWidth } = containerDimensions;
    const pixels = (value: number | undefined) => (value === undefined ? '' : `${value}px`);
    // The content of a frame of a fixed height scrolls inside of it.
    style.setProperty('--frame-height', pixels(height ?? maxHeight));
    style.setProperty('--frame-width', pixels(maxWidth));
    dataset['sized'] = height === undefined ? 'content' : 'host';
  }
  if (theme === 'light' || theme === 'dark') dataset['theme'] = theme;
  for (const [name, hostName] of Object.entries(colours)) {
    const value = styles?.variables?.[hostName];
    if (value !== undefined) style.setProperty(name, value);
  }
}

/**
 * Does what the sandbox of a host may forbid: the browser then drops submitted forms without an event, and opens no link in a
 * new tab. Returns a function that restores the behaviour of the browser.
 */
function replaceSandboxed(bridge: Pick<HostBridge, 'openLink'>): () => void {
  const replace = (event: MouseEvent) => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return;
    const button = event.target.closest('button');
    const link = event.target.closest<HTMLAnchorElement>('a[target="_blank"]');
    if (button?.type === 'submit' && button.form) {
      event.preventDefault();
      if (button.form.reportValidity())
        button.form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    } else if (link) {
      event.preventDefault();
      void bridge.openLink(link.href).catch(() => {});
    }
  };
  addEventListener('click', replace);
  return () => removeEventListener('click', replace);
}
