import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { type Command, useShortcuts } from '../controls/commands.ts';
import { Button } from '../controls/fields.tsx';
import { readDraft, removeDraft, writeDraft } from './draft-storage.ts';
import type { McpClient, Undo, UndoStep } from './mcp-client.ts';
import { useConnection } from './server-connection.tsx';

export interface Toast {
  readonly text: string;
  /** Undoes the change that the text reports. A text that it returns is shown when it is done. */
  readonly undo?: Undo | undefined;
}

const context = createContext<(toast: Toast) => void>(() => {});

/** Returns a function that shows a short message, with an Undo button if the change can be undone. */
export function useToast(): (toast: Toast) => void {
  return useContext(context);
}

const undoContext = createContext<readonly Command[]>([]);

/** How many changes can be undone, one after the other, the last one first. */
const maxUndos = 20;

/** How long a message offers to undo a change. While it has the focus or the pointer, it stays. */
const undoMs = 8_000;

/** A command that undoes the last change, also after its message has disappeared. Empty if there is nothing to undo. */
export function useLastUndo(): readonly Command[] {
  return useContext(undoContext);
}

export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [toast, setToast] = useState<Toast | undefined>();
  const { client, invalidate } = useConnection();
  const [undos, setUndos] = useState<readonly Toast[]>(() => keptUndos(client));
  useEffect(() => keepUndos(undos), [undos]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const hold = () => clearTimeout(timer.current);
  const hideLater = (shown: Toast) => {
    hold();
    timer.current = setTimeout(() => setToast(undefined), shown.undo ? undoMs : readingMs(shown.text));
  };
  const show = useCallback((next: Toast) => {
    setToast(next);
    if (next.undo) setUndos((now) => [next, ...now].slice(0, maxUndos));
    hideLater(next);
  }, []);
  const running = useRef(false);
  const run = async (one: Toast) => {
    // A second press, while the first one is on its way, would undo the change before as well.
    if (running.current || !one.undo) return;
    running.current = true;
    try {
      const text = await one.undo();
      // Views show the state before the change at once, not only after the server has reported it.
      for (const kind of ['prompts', 'resources'] as const) invalidate(kind);
      setUndos((now) => now.filter((other) => other !== one));
      show({ text: typeof text === 'string' && text !== '' ? text : `Undone: ${one.text}` });
    } catch (error) {
      show({ text: error instanceof Error ? error.message : String(error) });
    } finally {
      running.current = false;
    }
  };
  const [last] = undos;
  useShortcuts(last ? { z: () => void run(last) } : {});
  const lastUndo = last && { title: `Undo: ${last.text}`, hint: 'z', run: () => void run(last) };
  return (
    <context.Provider value={show}>
      <undoContext.Provider value={lastUndo ? [lastUndo] : []}>{children}</undoContext.Provider>
      <div
        class={`toast ${toast ? 'shown' : ''}`}
        role="status"
        aria-live="polite"
        onFocusIn={hold}
        onFocusOut={() => toast && hideLater(toast)}
        onPointerEnter={hold}
        onPointerLeave={() => toast && hideLater(toast)}
      >
        {toast?.text}{' '}
        {toast?.undo && (
          <Button class="small" onClick={() => run(toast)}>
            Undo{' '}
            <span aria-hidden="true">
              <kbd>Z</kbd>
            </span>
          </Button>
        )}
      </div>
    </context.Provider>
  );
}

interface KeptUndo extends UndoStep {
  readonly text: string;
}

const key = 'undo';
/** How long the server keeps what undoes a change. */
const keptMs = 3_600_000;

/** The changes that can still be undone after a reload. They are kept as a draft is: for one person, until the sign-out. */
function keptUndos(client: McpClient): readonly Toast[] {
  const { value = [], at = 0 } = readDraft<readonly KeptUndo[]>(key) ?? {};
  if (Date.now() - at > keptMs) return [];
  return value.map(({ text, tool, arguments: args }) => ({ text, undo: client.undoBy(tool, args as never) }));
}

function keepUndos(undos: readonly Toast[]): void {
  const value = undos.flatMap(({ text, undo }) => (undo?.step ? [{ text, ...undo.step }] : []));
  if (value.length === 0) removeDraft(key);
  else writeDraft<readonly KeptUndo[]>(key, { value, base: [], at: Date.now() });
}

/** How long to show a text: proportional to its length. */
function readingMs(text: string): number {
  return Math.max(5_000, Math.min(30_000, text.length * 80));
}
