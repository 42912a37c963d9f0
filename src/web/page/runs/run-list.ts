import { useMemo, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { type Loaded, useConnection, useLoaded, useTicks } from '../shared/server-connection.tsx';
import { isOpen, type RunOverview } from './run-record.ts';

type Page = ToolAnswer<'list_runs'>;

/** The newest are asked for whenever something changes, all others once. */
const newestRuns = 100;
const olderRuns = 500;

/** All runs, the newest first. */
export function useRuns(): Loaded<readonly RunOverview[]> {
  const { changes } = useConnection();
  const [anyOpen, setAnyOpen] = useState(false);
  const ticks = useTicks(anyOpen ? 3000 : undefined);
  const seen = useRef(new Map<string, RunOverview>());
  const [read, setRead] = useState(0);
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
        for (const run of page.runs) seen.current.set(run.run_id, run);
        setRead(seen.current.size);
        before = page.next;
      }
    },
    [value?.next !== undefined],
  );
  const runs = useMemo(() => value && merge(value, seen.current), [value, read]);
  return { value: runs, error };
}

/** As far as the page goes, what it does not have is gone; what it loses at its end is kept. */
function merge({ runs, next }: Page, seen: Map<string, RunOverview>): readonly RunOverview[] {
  for (const run of runs) seen.set(run.run_id, run);
  if (next === undefined) return runs;
  const older = [...seen.values()].filter(({ run_id }) => run_id < next);
  return [...runs, ...older.sort((one, other) => (one.run_id > other.run_id ? -1 : 1))];
}
