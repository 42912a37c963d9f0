import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { ProblemList } from '../prompts/prompt-problems.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { SampleData } from '../shared/sample-data.tsx';
import { useLoaded, useTicks } from '../shared/server-connection.tsx';
import { milliseconds, Sparkline } from '../shared/sparkline.tsx';
import { shortTime } from '../shared/zone-time.ts';

type Status = ToolAnswer<'server_status'>;

/** Connected clients, request statistics, problems and the current settings. */
export function ServerView() {
  const ticks = useTicks(3000);
  const { value, error } = useLoaded(
    (client, signal) => client.tool('server_status', { full: true }, { signal }),
    [ticks],
  );
  if (error && !value) return <p class="problem page">{error.message}</p>;
  if (!value) return <p class="empty">Loading…</p>;
  return (
    <div class="page">
      <h1>Server</h1>
      <p class="quiet">
        {value.name} {value.version}, running since {shortTime(value.started_at)}
        {error && <span class="problem"> {error.message}</span>}
      </p>
      <section>
        <h2>Problems</h2>
        {value.problems.length === 0 ? <p>No problems found.</p> : <ProblemList problems={value.problems} />}
      </section>
      <DataTable
        title="Clients"
        rows={value.clients}
        keyOf={(_, index) => index}
        columns={[
          { title: 'Client', cell: ({ name, version }) => `${name || 'unnamed'} ${version}` },
          { title: 'Protocol', cell: ({ protocol }) => protocol },
          { title: 'Connected since', cell: ({ since }) => shortTime(since) },
        ]}
      />
      <DataTable
        title="Requests"
        rows={value.methods}
        keyOf={({ method }) => method}
        columns={[
          { title: 'Method', cell: ({ method }) => <code>{method}</code> },
          { title: 'Count', number: true, cell: ({ count }) => count.toLocaleString() },
          { title: 'Failed', number: true, cell: ({ failed }) => failed.toLocaleString() },
          { title: 'Median', number: true, cell: (row) => !isStream(row) && milliseconds(row.median_ms) },
          {
            title: '95th percentile',
            number: true,
            cell: (row) => !isStream(row) && milliseconds(row.p95_ms),
          },
          {
            title: 'Recent',
            cell: (row) =>
              isStream(row) ? <span class="quiet">open stream</span> : <Sparkline values={row.recent_ms} />,
          },
        ]}
      />
      <Activity />
      <Settings settings={value.settings} />
      <section>
        <h2>Sample data</h2>
        <p class="quiet">
          A few prompts, a person with a week of events, and two runs. You can remove all of it again.
        </p>
        <p class="buttons">
          <SampleData action="load" /> <SampleData action="remove" />
        </p>
      </section>
    </div>
  );
}

/** A change stream stays open until its client disconnects, so its duration is not a response time. */
function isStream({ method }: Status['methods'][number]): boolean {
  return method === 'subscriptions/listen';
}

/** Who changed what, and what was denied, in the last week. */
function Activity() {
  const ticks = useTicks(10_000);
  const { value, error } = useLoaded(
    (client, signal) => client.tool('list_activity', { limit: 50 }, { signal }),
    [ticks],
  );
  if (error) return <p class="problem">{error.message}</p>;
  if (!value || value.entries.length === 0) return null;
  return (
    <DataTable
      title="Activity"
      rows={value.entries}
      keyOf={({ at, action }, index) => `${at} ${action} ${index}`}
      columns={[
        { title: 'Time', cell: ({ at }) => shortTime(at) },
        { title: 'Actor', cell: ({ actor, client }) => (client ? `${actor} (${client})` : actor) },
        {
          title: 'Action',
          cell: ({ action, target }) => (
            <>
              <code>{action}</code> {target}
            </>
          ),
        },
        {
          title: 'Outcome',
          cell: ({ outcome, count, reason }) => (
            <span class={outcome === 'done' ? undefined : 'problem'} title={reason}>
              {count === undefined ? outcome : `${outcome}, ${count} times`}
            </span>
          ),
        },
        {
          title: 'Change',
          cell: ({ before, after }) => (before || after ? <code>{describeChange(before, after)}</code> : ''),
        },
      ]}
    />
  );
}

function describeChange(before: object = {}, after: object = {}): string {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map(
      (name) =>
        `${name}: ${formatValue(Reflect.get(before, name))} → ${formatValue(Reflect.get(after, name))}`,
    )
    .join(', ');
}

function Settings({ settings }: Pick<Status, 'settings'>) {
  const [showAll, setShowAll] = useState(false);
  const changed = settings.filter(({ origin }) => origin !== 'default');
  return (
    <>
      <DataTable
        title="Settings"
        rows={showAll ? settings : changed}
        keyOf={({ name }) => name}
        columns={[
          {
            title: 'Setting',
            cell: ({ name, description }) => (
              <>
                <code>{name}</code>
                <div class="quiet hint">{description}</div>
              </>
            ),
          },
          { title: 'Value', cell: ({ value }) => <code>{formatValue(value)}</code> },
          { title: 'Source', cell: ({ origin }) => origin },
        ]}
      />
      <p>
        <button type="button" class="small" aria-expanded={showAll} onClick={() => setShowAll(!showAll)}>
          {showAll ? 'Show changed settings only' : `Show all ${settings.length} settings`}
        </button>
      </p>
    </>
  );
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
