import { useMemo, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { useShortcuts } from '../controls/commands.ts';
import { SearchField, SelectField } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { Split } from '../controls/split.tsx';
import { counted, matches } from '../controls/words.ts';
import { ChangeLink } from '../shared/buttons.tsx';
import { useAskingRuns } from '../shared/inbox.tsx';
import { goTo, pathBeside, pathTo, useAddressed } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { type Loaded, useConnection, useLoaded, useTicks, useTool } from '../shared/server-connection.tsx';
import { WindowedList } from '../shared/windowed-list.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { placeOf, RunDetail } from './run-detail.tsx';
import { duration, isOpen, type RunOverview, tokens } from './run-record.ts';
import { RunStart } from './run-start.tsx';
import { RunState } from './run-state.tsx';

/** All runs on the left, the selected run on the right. */
export function RunsView({ name }: { name: string | undefined }) {
  const [query, setQuery] = useAddressed('find', '', { typed: true });
  const { value, error } = useRuns();
  const runs = value ?? [];
  const shown = useMemo(() => findRuns(runs, query), [runs, query]);
  const asking = useAskingRuns();
  const empty = value !== undefined && runs.length === 0;
  const chosen = runs.find(({ run_id }) => run_id === name);
  const search = useRef<HTMLInputElement>(null);
  useShortcuts({
    '/': () => search.current?.focus(),
    n: () => goTo(pathTo('runs', '+new')),
  });
  const list = (
    <>
      <div class="toolbar">
        <SearchField field={search} label="Search runs" value={query} change={setQuery} />
        <a class="button" href={pathTo('runs', '+statistics')}>
          Statistics
        </a>
      </div>
      <p class="quiet list-count" role="status">
        {error ? error.message : value && counted(shown.length, 'run')}
      </p>
      <WindowedList
        items={shown}
        rowHeight={58}
        label="Runs"
        selected={shown.findIndex(({ run_id }) => run_id === name)}
        keyOf={({ run_id }) => run_id}
        choose={({ run_id }) => goTo(pathBeside('runs', run_id))}
        render={(run) => <RunRow run={run} current={run.run_id === name} asks={asking.has(run.run_id)} />}
      />
    </>
  );
  return (
    <Split
      id="runs"
      listLabel="Runs"
      detailLabel="Run"
      action={
        <ChangeLink class="primary" tool="delegate_run" href={pathTo('runs', '+new')}>
          <Icon name="plus" />
          New run
        </ChangeLink>
      }
      showsDetail={name !== undefined || empty}
      list={list}
    >
      {name?.startsWith('+') && (
        <a class="back" href={pathBeside('runs')}>
          ‹ All runs
        </a>
      )}
      {name === '+new' && <RunStart folders={[...new Set(runs.map(({ cwd }) => cwd))].slice(0, 20)} />}
      {name === '+statistics' && <RunStatistics />}
      {chosen && (
        <RunDetail
          key={chosen.run_id}
          overview={chosen}
          place={<Neighbours runs={shown} current={chosen.run_id} />}
        />
      )}
      {name === undefined && value && <NoSelection empty={empty} />}
      {name !== undefined && !name.startsWith('+') && value && !chosen && (
        <p class="empty late">Run “{name}” not found.</p>
      )}
    </Split>
  );
}

interface RowProps {
  readonly run: RunOverview;
  readonly current: boolean;
  readonly asks: boolean;
}

function RunRow({ run, current, asks }: RowProps) {
  return (
    <a class="list-row" href={pathBeside('runs', run.run_id)} aria-current={current ? 'true' : undefined}>
      <span class="row">
        <span class="grow cut">{run.task || run.summary || run.run_id}</span>
        <RunState status={run.status} asks={asks} />
      </span>
      <span class="row row-text">
        <span>
          {shortTime(run.started_at)} · {placeOf(run)}
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

/** The place of the run in the list, and links to the runs beside it. */
function Neighbours({ runs, current }: { runs: readonly RunOverview[]; current: string }) {
  const at = runs.findIndex(({ run_id }) => run_id === current);
  const link = (run: RunOverview | undefined, title: string, icon: 'up' | 'down') =>
    run && (
      <a
        class="button plain tight only"
        href={pathBeside('runs', run.run_id)}
        aria-label={title}
        title={title}
      >
        <Icon name={icon} />
      </a>
    );
  if (at === -1) return null;
  return (
    <>
      <span class="only-wide">
        {at + 1} of {runs.length}
      </span>
      {link(runs[at - 1], 'Previous run', 'up')}
      {link(runs[at + 1], 'Next run', 'down')}
    </>
  );
}

/** Finds runs whose task, summary, status, tool or folder contain every word of the query. */
function findRuns(runs: readonly RunOverview[], query: string): readonly RunOverview[] {
  return runs.filter(({ task, summary, status, tool, cwd }) =>
    matches([task, summary, status, tool, cwd].join('\n'), query),
  );
}

function NoSelection({ empty }: { empty: boolean }) {
  if (!empty) return <p class="empty">Select a run to see its details, or start a new one.</p>;
  return (
    <div class="empty">
      <Icon name="runs" />
      <h1>Runs</h1>
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

type Statistics = ToolAnswer<'run_statistics'>;
type Group = Statistics['day'][number];

interface Measure {
  readonly title: string;
  value(group: Group): number;
  show(value: number): string;
}

const measures = {
  runs: { title: 'Runs', value: ({ runs }) => runs, show: String },
  success: {
    title: 'Completed',
    value: ({ completed, runs }) => (runs === 0 ? 0 : (100 * completed) / runs),
    show: (value) => `${Math.round(value)} %`,
  },
  tokens: {
    title: 'Tokens',
    value: ({ tokens }) => tokens.input + tokens.output,
    show: (value) => value.toLocaleString(),
  },
  cost: {
    title: 'Cost',
    value: ({ cost_usd }) => cost_usd ?? 0,
    show: (value) => `$${value.toFixed(2)}`,
  },
  duration: { title: 'Time', value: ({ duration_ms }) => duration_ms, show: duration },
} as const satisfies Readonly<Record<string, Measure>>;

const parts = { day: 'By day', agent: 'By agent', model: 'By model', folder: 'By folder' } as const;
const periods = { 7: 'Last 7 days', 30: 'Last 30 days', 365: 'Last 365 days' } as const;

/** Charts of runs, success, tokens, cost and time, by day, agent, model and folder. */
function RunStatistics() {
  const { changes } = useConnection();
  const [asked, setDays] = useAddressed<string>('days', '30');
  const days = (asked in periods ? asked : '30') as `${keyof typeof periods}`;
  const [wanted, setName] = useAddressed<string>('show', 'runs');
  const name = (wanted in measures ? wanted : 'runs') as keyof typeof measures;
  const { value, error } = useTool('run_statistics', { days: Number(days) }, changes.resources);
  return (
    <article>
      <h1>Statistics</h1>
      <div class="fields">
        <SelectField
          label="Show"
          value={name}
          options={Object.fromEntries(Object.entries(measures).map(([id, { title }]) => [id, title]))}
          change={setName}
        />
        <SelectField label="Period" value={days} options={periods} change={setDays} />
      </div>
      {error !== undefined && <p class="problem box">{error.message}</p>}
      {value?.day.length === 0 && <p class="quiet">No runs in this period.</p>}
      {value !== undefined &&
        value.day.length > 0 &&
        Object.entries(parts).map(([part, title]) => (
          <Chart
            key={part}
            title={title}
            groups={value[part as keyof typeof parts]}
            measure={measures[name]}
          />
        ))}
    </article>
  );
}

/** One row per group. The bars are scaled to the largest value. */
function Chart({ title, groups, measure }: { title: string; groups: readonly Group[]; measure: Measure }) {
  const max = Math.max(...groups.map(measure.value), Number.MIN_VALUE);
  return (
    <section>
      <h2>{title}</h2>
      <table class="chart">
        <thead class="hidden">
          <tr>
            <th>{title.replace('By ', '')}</th>
            <th>{measure.title}</th>
            <th>Bar</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.key}>
              <th scope="row">{group.key || 'default'}</th>
              <td class="number">{measure.show(measure.value(group))}</td>
              <td>
                <svg width="100%" height="12" aria-hidden="true">
                  <rect width={`${(100 * measure.value(group)) / max}%`} height="12" rx="2" />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Page = ToolAnswer<'list_runs'>;

/** The newest runs are reloaded after every change; older runs are loaded once. */
const newestRuns = 100;
const olderRuns = 500;

/** All runs, newest first. */
function useRuns(): Loaded<readonly RunOverview[]> {
  const { changes } = useConnection();
  /** True while a run is open, and after a failure, which the server may not announce the end of. */
  const [asksAgain, setAsksAgain] = useState(false);
  const ticks = useTicks(asksAgain ? 3000 : undefined);
  const loaded = useRef(new Map<string, RunOverview>());
  const [loadedCount, setLoadedCount] = useState(0);
  const { value, error } = useLoaded<Page>(
    async (client, signal) => {
      const page = await client.tool('list_runs', { limit: newestRuns }, { signal }).catch((error) => {
        if (!signal.aborted) setAsksAgain(true);
        throw error;
      });
      setAsksAgain(page.runs.some(({ status }) => isOpen(status)));
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
