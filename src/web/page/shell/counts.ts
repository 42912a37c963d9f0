import { isOpen } from '../runs/run-record.ts';
import { useInbox } from '../shared/inbox.tsx';
import { useConnection, useTool } from '../shared/server-connection.tsx';

/** A number beside the name of a view. */
export interface Count {
  readonly value: number;
  /** What it counts, such as `in progress`. */
  readonly label: string;
  /** True if these things wait for the person. Only they are amber. */
  readonly needs?: boolean;
}

/** The counts by view. A view without one shows none. */
export function useCounts(): Readonly<Record<string, Count>> {
  const { changes } = useConnection();
  const waiting = useInbox().value?.count ?? 0;
  const { value } = useTool('list_runs', { limit: 100 }, changes.resources);
  const running = value?.runs.filter(({ status }) => isOpen(status)).length ?? 0;
  return {
    ...(waiting > 0 && {
      today: { value: waiting, label: waiting === 1 ? 'needs you' : 'need you', needs: true },
    }),
    ...(running > 0 && { runs: { value: running, label: 'in progress' } }),
  };
}
