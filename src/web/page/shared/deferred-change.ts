import { useEffect, useRef } from 'preact/hooks';
import { asError } from './server-connection.tsx';
import { useToast } from './toast.tsx';

/** As long as the button Undo is shown. */
export const undoMs = 15_000;

interface Change {
  /** Shown with the button Undo. */
  readonly text: string;
  /** Shown if it is too late to undo the change. */
  readonly tooLate: string;
  apply(): Promise<unknown>;
  /** Called when the change was made, has failed or was undone. */
  settled(): void;
}

/**
 * Makes changes that the server cannot take back after some seconds, so that they can be undone. When the view or the window
 * closes, they are made at once.
 */
export function useDeferredChange(): (change: Change) => void {
  const toast = useToast();
  const jobs = useRef(new Map<Change, () => Promise<unknown>>());
  useEffect(() => {
    const flush = () => {
      for (const job of [...jobs.current.values()]) void job();
    };
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, []);
  return (change) => {
    const forget = () => {
      clearTimeout(timer);
      jobs.current.delete(change);
    };
    const job = async () => {
      forget();
      await change
        .apply()
        .catch((failed: unknown) => toast({ text: asError(failed).message }))
        .finally(() => change.settled());
    };
    const timer = setTimeout(job, undoMs);
    jobs.current.set(change, job);
    const undo = async () => {
      if (!jobs.current.has(change)) throw new Error(change.tooLate);
      forget();
      change.settled();
    };
    toast({ text: change.text, action: { label: 'Undo', run: undo } });
  };
}
