import { useState } from 'preact/hooks';
import { RunDetail } from '../runs/run-detail.tsx';
import { isOpen, type RunOverview } from '../runs/run-record.ts';
import { useConnection, useLoaded, useTicks } from '../shared/server-connection.tsx';
import { type AppProps, runApp } from './app-frame.tsx';
import { RunCard } from './run-card.tsx';

const pollMs = 2_000;

/** The run of the call, until the user resumes its thread: then the newest run of the thread. */
function RunApp({ call, expanded, expand }: AppProps) {
  const { changes } = useConnection();
  const [open, setOpen] = useState(true);
  const ticks = useTicks(open ? pollMs : undefined);
  const { value: run, error } = useLoaded(
    async (client, signal) => {
      const { runs } = await client.tool('list_runs', { limit: 50 }, { signal });
      const found = newestOfThread(findRun(runs, call), runs);
      setOpen(found === undefined || isOpen(found.status));
      return found;
    },
    [JSON.stringify(call.arguments), call.structuredContent?.['run_id'], changes.resources, ticks],
  );
  const problem = error?.message ?? (run ? undefined : call.problem);
  return (
    <>
      {problem !== undefined && <p class="problem box">{problem}</p>}
      {run !== undefined && expanded && <RunDetail key={run.run_id} overview={run} />}
      {run !== undefined && !expanded && <RunCard key={run.run_id} overview={run} expand={expand} />}
      {run === undefined && problem === undefined && <p class="quiet">Waiting for the run to start…</p>}
    </>
  );
}

/** The arguments or the result name the run. While a call that starts a run is in progress, only the task is known. */
function findRun(runs: readonly RunOverview[], call: AppProps['call']): RunOverview | undefined {
  const id = call.structuredContent?.['run_id'] ?? call.arguments?.['run_id'];
  if (id !== undefined) return runs.find(({ run_id }) => run_id === id);
  return runs.find(({ task, status }) => isOpen(status) && isShortened(task, call.arguments?.['task']));
}

/** A list of runs shows tasks in one line, and only the beginning of long ones. */
function isShortened(shown: string, task: unknown): boolean {
  if (typeof task !== 'string') return false;
  const line = task.replace(/\s+/g, ' ').trim();
  return line === shown || (shown.endsWith('…') && line.startsWith(shown.slice(0, -1)));
}

/** The list begins with the newest run. */
function newestOfThread(run: RunOverview | undefined, runs: readonly RunOverview[]): RunOverview | undefined {
  const thread = run?.subagent_thread_id;
  return (thread && runs.find(({ subagent_thread_id }) => subagent_thread_id === thread)) || run;
}

runApp(RunApp);
