import { useMemo, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { type Loaded, useConnection, useLoaded, useTicks } from '../shared/server-connection.tsx';
import { isOpen, type RunOverview } from './run-record.ts';

type Page = ToolAnswer<'list_runs'>;

/** The newest runs are reloaded after every change; older runs are loaded once. */
const newestRuns = 100;
const olderRuns = 500;

/** All runs, newest first. */
export function useRuns(): Loaded<readonly RunOverview[]> {
  const { changes } = useConnection();
  const [anyOpen, setAnyOpen] = useState(false);
  const ticks = useTicks(anyOpen ? 3000 : undefined);
  const loaded = useRef(new Map<string, RunOverview>());
  const [loadedCount, setLoadedCount] = useState(0);
  const { value, error } = useLoaded<Page>(
    async (client, signal) => {
      const page = await client.tool('list_runs', { limit: newestRuns }, { signal });
      setAnyOpen(page.runs.some(({ status }) => isOpen(status)));
      return page;
    },
    [changes.resources, ticks],
  );
  useLoaded(
    async (client, signal) => {
      for (let before = value?.next; before !== undefined; ) {
        const page: Page = await client.tool('list_runs', { limit: olderRuns, before }, { signal });
        for (const run of page.runs) loaded.current.set(run.run_id, run);
        setLoadedCount(loaded.current.size);
        before = page.next;
      }
    },
    [value?.next !== undefined],
  );
  const runs = useMemo(() => value && merge(value, loaded.current), [value, loadedCount]);
  return { value: runs, error };
}

/**
 * Combines the newest page with older runs that were loaded before. Runs missing from the range of the page have been
 * deleted; older runs stay in the list.
 */
function merge({ runs, next }: Page, loaded: Map<string, RunOverview>): readonly RunOverview[] {
  for (const run of runs) loaded.set(run.run_id, run);
  if (next === undefined) return runs;
  const older = [...loaded.values()].filter(({ run_id }) => run_id < next);
  return [...runs, ...older.sort((one, other) => (one.run_id > other.run_id ? -1 : 1))];
}
