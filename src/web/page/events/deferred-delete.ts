import { useCallback, useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { useDeferredChange } from '../shared/deferred-change.ts';
import { useConnection } from '../shared/server-connection.tsx';

type Deletion = ToolArguments<'delete_event'>;

export interface DeferredDelete {
  /** True if the event is about to be deleted and is no longer shown. The same function until that changes. */
  isDeleted(event: { readonly id: string; readonly occurrence?: string; readonly start_ts: string }): boolean;
  remove(deletion: Deletion & { readonly title: string; readonly start_ts: string }): void;
}

/** Deletes events after some seconds: the server keeps no deleted events. */
export function useDeferredDelete(): DeferredDelete {
  const { client } = useConnection();
  const defer = useDeferredChange();
  const [pending, setPending] = useState<readonly (Deletion & { readonly start_ts: string })[]>([]);
  const isDeleted = useCallback<DeferredDelete['isDeleted']>(
    ({ id, occurrence, start_ts }) =>
      pending.some(
        (one) =>
          one.event_id === id &&
          (one.occurrence === undefined ||
            one.occurrence === occurrence ||
            (one.following === true && start_ts >= one.start_ts)),
      ),
    [pending],
  );
  return {
    isDeleted,
    remove({ title, start_ts, ...deletion }) {
      const entry = { ...deletion, start_ts };
      setPending((now) => [...now, entry]);
      defer({
        text: `Deleted “${title}”.`,
        tooLate: `“${title}” is already deleted.`,
        apply: () => client.tool('delete_event', deletion),
        settled: () => setPending((now) => now.filter((one) => one !== entry)),
      });
    },
  };
}
