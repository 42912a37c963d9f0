import { useMemo, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../controls/shortcuts.ts';
import { Split } from '../controls/split.tsx';
import { ChangeLink } from '../shared/change-button.tsx';
import { pathTo } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { WindowedList } from '../shared/windowed-list.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { RunDetail } from './run-detail.tsx';
import { useRuns } from './run-list.ts';
import { duration, type RunOverview, tokens } from './run-record.ts';
import { RunStart } from './run-start.tsx';
import { RunStatistics } from './run-statistics.tsx';

/** All runs on the left, the selected run on the right. */
export function RunsView({ name }: { name: string | undefined }) {
  const [query, setQuery] = useState('');
  const { value, error } = useRuns();
  const runs = value ?? [];
  const shown = useMemo(() => findRuns(runs, query), [runs, query]);
  const empty = value !== undefined && runs.length === 0;
  const chosen = runs.find(({ run_id }) => run_id === name);
  const search = useRef<HTMLInputElement>(null);
  useShortcuts({
    '/': () => search.current?.focus(),
    n: () => {
      location.hash = pathTo('runs', '+new');
    },
  });
  const list = (
    <>
      <div class="toolbar">
        <input
          ref={search}
          type="search"
          placeholder="Search runs"
          aria-label="Search runs"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <a class="button" href={pathTo('runs', '+statistics')}>
          Statistics
        </a>
        <ChangeLink href={pathTo('runs', '+new')}>New run</ChangeLink>
      </div>
      <p class="quiet count" role="status">
        {error ? error.message : value && `${shown.length} run${shown.length === 1 ? '' : 's'}`}
      </p>
      <WindowedList
        items={shown}
        rowHeight={58}
        label="Runs"
        selected={shown.findIndex(({ run_id }) => run_id === name)}
        keyOf={({ run_id }) => run_id}
        choose={({ run_id }) => (location.hash = pathTo('runs', run_id))}
        render={(run) => <RunRow run={run} current={run.run_id === name} />}
      />
    </>
  );
  return (
    <Split id="runs" listLabel="Runs" detailLabel="Run" showsDetail={name !== undefined || empty} list={list}>
      {name !== undefined && (
        <a class="back" href={pathTo('runs')}>
          ‹ All runs
        </a>
      )}
      {name === '+new' && <RunStart />}
      {name === '+statistics' && <RunStatistics />}
      {chosen && <RunDetail key={chosen.run_id} overview={chosen} />}
      {name === undefined && <h1 class="hidden">Runs</h1>}
      {name === undefined && value && <NoSelection empty={empty} />}
      {name !== undefined && !name.startsWith('+') && value && !chosen && (
        <p class="empty late">Run “{name}” not found.</p>
      )}
    </Split>
  );
}

function RunRow({ run, current }: { run: RunOverview; current: boolean }) {
  return (
    <a class="row" href={pathTo('runs', run.run_id)} aria-current={current ? 'true' : undefined}>
      <span class="row-line">
        <span class="row-title">{run.task || run.summary || run.run_id}</span>
        <span class={`badge ${run.status}`}>{run.status.replaceAll('_', ' ')}</span>
      </span>
      <span class="row-line row-text">
        <span>
          {shortTime(run.started_at)} · {run.tool.replace('delegate_', '')}
          {run.host !== undefined && ` · ${run.host}`}
        </span>
        <span class="number">
          {duration(run.duration_ms)}
          {run.usage && ` · ${tokens(run.usage)}`}
        </span>
      </span>
    </a>
  );
}

/** Finds runs whose task, summary, status, tool or folder contain every word of the query. */
function findRuns(runs: readonly RunOverview[], query: string): readonly RunOverview[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return runs;
  return runs.filter(({ task, summary, status, tool, cwd }) => {
    const text = `${task}\n${summary}\n${status}\n${tool}\n${cwd}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function NoSelection({ empty }: { empty: boolean }) {
  if (!empty) return <p class="empty">Select a run to see its details, or start a new one.</p>;
  return (
    <div class="empty">
      <p>
        No runs yet. A <dfn>run</dfn> is one task that a <dfn>sub-agent</dfn>, such as Codex, works on. You
        see its steps, its changes and its result here.
      </p>
      <p>
        <a class="button primary" href={pathTo('runs', '+new')}>
          Start a run
        </a>{' '}
        <SampleData action="load" />
      </p>
    </div>
  );
}
