import { Icon } from '../controls/icon.tsx';
import { ChangeLink } from '../shared/buttons.tsx';
import { useAskingRuns } from '../shared/inbox.tsx';
import { pathTo } from '../shared/route.ts';
import { useConnection, useTool } from '../shared/server-connection.tsx';
import { duration, isOpen } from './run-record.ts';
import { RunState } from './run-state.tsx';

/** The runs that have not ended, with how long they have worked. */
export function RunsInProgress() {
  const { changes } = useConnection();
  const { value } = useTool('list_runs', { limit: 100 }, changes.resources);
  const asking = useAskingRuns();
  const open = value?.runs.filter(({ status }) => isOpen(status)) ?? [];
  return (
    <section aria-labelledby="work">
      <div class="section-head">
        <h2 id="work">Runs in progress</h2>
        {open.length > 0 && <span class="count">{open.length}</span>}
      </div>
      {value && open.length === 0 && (
        <div class="empty">
          <Icon name="runs" />
          <p>No run is in progress.</p>
          <ChangeLink tool="delegate_run" href={pathTo('runs', '+new')}>
            New run
          </ChangeLink>
        </div>
      )}
      <ul class="run-lines">
        {open.map(({ run_id, task, status, duration_ms }) => (
          <li key={run_id}>
            <a class="run-line" href={pathTo('runs', run_id)}>
              <span class="grow">
                <b class="cut">{task || run_id}</b>
                <RunState status={status} asks={asking.has(run_id)} />
              </span>
              <span class="number small">{duration(duration_ms)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
