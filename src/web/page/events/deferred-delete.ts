import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

type Deletion = ToolArguments<'delete_event'>;

/** As long as the button Undo is shown. */
const undoMs = 15_000;

export interface DeferredDelete {
  /** True if the event is about to be deleted and is no longer shown. */
  isDeleted(event: { readonly id: string; readonly occurrence?: string; readonly start_ts: string }): boolean;
  remove(deletion: Deletion & { readonly title: string; readonly start_ts: string }): void;
}

/**
 * Deletes an event after some seconds, so that it can be undone: the server keeps no deleted events. When the view or the
 * window closes, the event is deleted at once.
 */
export function useDeferredDelete(): DeferredDelete {
  const { client } = useConnection();
  const toast = useToast();
  const [pending, setPending] = useState<readonly (Deletion & { readonly start_ts: string })[]>([]);
  const jobs = useRef(new Map<object, () => Promise<unknown>>());
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
  return {
    isDeleted: ({ id, occurrence, start_ts }) =>
      pending.some(
        (one) =>
          one.event_id === id &&
          (one.occurrence === undefined ||
            one.occurrence === occurrence ||
            (one.following === true && start_ts >= one.start_ts)),
      ),
    remove({ title, start_ts, ...deletion }) {
      const entry = { ...deletion, start_ts };
      setPending((now) => [...now, entry]);
      const forget = () => {
        clearTimeout(timer);
        jobs.current.delete(entry);
      };
      const show = () => setPending((now) => now.filter((one) => one !== entry));
      const job = async () => {
        forget();
        await client
          .tool('delete_event', deletion)
          .catch((failed: unknown) => toast({ text: asError(failed).message }))
          .finally(show);
      };
      const timer = setTimeout(job, undoMs);
      jobs.current.set(entry, job);
      const undo = async () => {
        if (!jobs.current.has(entry)) throw new Error(`“${title}” is already deleted.`);
        forget();
        show();
      };
      toast({ text: `Deleted “${title}”.`, action: { label: 'Undo', run: undo } });
    },
  };
}
