import { useEffect, useState } from 'preact/hooks';
import { pathTo } from './route.ts';
import { RunDetail } from './run-detail.tsx';
import { duration, isOpen, type RunOverview } from './run-record.ts';
import { RunStart } from './run-start.tsx';
import { useConnection, useLoaded } from './server-connection.tsx';
import { WindowedList } from './windowed-list.tsx';

/** All runs on the left, the chosen one on the right, as it goes. */
export function RunsView({ name }: { name: string | undefined }) {
  const { changes } = useConnection();
  const [tick, setTick] = useState(0);
  const { value, error } = useLoaded<{ runs: readonly RunOverview[] }>(
    (client, signal) => client.tool('list_runs', { limit: 500 }, { signal }),
    [changes.resources, tick],
  );
  const runs = value?.runs ?? [];
  const open = runs.some(({ status }) => isOpen(status));
  useEffect(() => {
    if (!open) return;
    const timer = setInterval(() => setTick((now) => now + 1), 2000);
    return () => clearInterval(timer);
  }, [open]);
  const chosen = runs.find(({ run_id }) => run_id === name);
  return (
    <div class={`split ${name === undefined ? '' : 'has-detail'}`}>
      <section class="side" aria-label="Runs">
        <div class="toolbar">
          <strong class="grow">Runs</strong>
          <a class="button" href={pathTo('runs', '+new')}>
            New run
          </a>
        </div>
        <p class="quiet count" role="status">
          {error ? error.message : `${runs.length} run${runs.length === 1 ? '' : 's'}`}
        </p>
        <WindowedList
          items={runs}
          rowHeight={58}
          label="Runs"
          selected={runs.findIndex(({ run_id }) => run_id === name)}
          keyOf={({ run_id }) => run_id}
          render={(run) => (
            <a
              class="row"
              href={pathTo('runs', run.run_id)}
              aria-current={run.run_id === name ? 'true' : undefined}
            >
              <span class="row-title">
                {run.task || run.summary || run.run_id}
                <span class={`badge ${run.status}`}>{run.status}</span>
              </span>
              <span class="row-text">
                {run.tool.replace('delegate_', '')}, {new Date(run.started_at).toLocaleString()},{' '}
                {duration(run.duration_ms)}
              </span>
            </a>
          )}
        />
      </section>
      <section class="detail" aria-label="Run">
        {name !== undefined && (
          <a class="back" href={pathTo('runs')}>
            ‹ All runs
          </a>
        )}
        {name === '+new' && <RunStart />}
        {chosen && <RunDetail key={chosen.run_id} overview={chosen} />}
        {name === undefined && <p class="empty">Choose a run to watch it, or start one.</p>}
        {name !== undefined && name !== '+new' && value && !chosen && (
          <p class="empty">There is no run {name} (any more).</p>
        )}
      </section>
    </div>
  );
}
