import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';

interface Toast {
  readonly text: string;
  readonly action?: { readonly label: string; run(): Promise<unknown> };
}

const context = createContext<(toast: Toast) => void>(() => {});

/** Returns a function that shows a short message, optionally with a button such as Undo. */
export function useToast(): (toast: Toast) => void {
  return useContext(context);
}

export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [toast, setToast] = useState<Toast | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const show = useCallback((next: Toast) => {
    clearTimeout(timer.current);
    setToast(next);
    timer.current = setTimeout(() => setToast(undefined), next.action ? 15_000 : readingMs(next.text));
  }, []);
  const run = async (action: NonNullable<Toast['action']>) => {
    try {
      await action.run();
      setToast(undefined);
    } catch (error) {
      show({ text: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <context.Provider value={show}>
      {children}
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
