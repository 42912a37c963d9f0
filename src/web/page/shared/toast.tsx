import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';
import type { Command } from '../controls/commands.ts';

export interface Toast {
  readonly text: string;
  /** A text that the action returns is shown when it is done. */
  readonly action?: { readonly label: string; run(): Promise<unknown> };
}

const context = createContext<(toast: Toast) => void>(() => {});

/** Returns a function that shows a short message, optionally with a button such as Undo. */
export function useToast(): (toast: Toast) => void {
  return useContext(context);
}

const undoContext = createContext<readonly Command[]>([]);

/** A command that undoes the last change, also after its message has disappeared. Empty if there is nothing to undo. */
export function useLastUndo(): readonly Command[] {
  return useContext(undoContext);
}

export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [toast, setToast] = useState<Toast | undefined>();
  const [last, setLast] = useState<Toast | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const show = useCallback((next: Toast) => {
    clearTimeout(timer.current);
    setToast(next);
    if (next.action) setLast(next);
    timer.current = setTimeout(() => setToast(undefined), next.action ? 15_000 : readingMs(next.text));
  }, []);
  const run = async (action: NonNullable<Toast['action']>) => {
    try {
      const text = await action.run();
      setToast(undefined);
      setLast(undefined);
      if (typeof text === 'string' && text !== '') show({ text });
    } catch (error) {
      show({ text: error instanceof Error ? error.message : String(error) });
    }
  };
  const undo = last?.action && {
    title: `${last.action.label}: ${last.text}`,
    hint: 'Last change',
    run: () => void run(last.action!),
  };
  return (
    <context.Provider value={show}>
      <undoContext.Provider value={undo ? [undo] : []}>{children}</undoContext.Provider>
      <div class={`toast ${toast ? 'shown' : ''}`} role="status" aria-live="polite">
        {toast?.text}{' '}
        {toast?.action && (
          <button type="button" class="small" onClick={() => run(toast.action!)}>
            {toast.action.label}
          </button>
        )}
      </div>
    </context.Provider>
  );
}

/** How long to show a text: proportional to its length. */
function readingMs(text: string): number {
  return Math.max(5_000, Math.min(30_000, text.length * 80));
}
