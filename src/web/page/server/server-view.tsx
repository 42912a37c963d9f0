import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { ProblemList } from '../prompts/prompt-problems.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { SampleData } from '../shared/sample-data.tsx';
import { useLoaded, useTicks } from '../shared/server-connection.tsx';
import { milliseconds, Sparkline } from '../shared/sparkline.tsx';
import { shortMoment } from '../shared/zone-time.ts';

type Status = ToolAnswer<'server_status'>;

/** Who is connected, what is asked and how fast, what is wrong, and the configuration in force. */
export function ServerView() {
  const ticks = useTicks(3000);
  const { value, error } = useLoaded(
    (client, signal) => client.tool('server_status', {}, { signal }),
    [ticks],
  );
  if (error && !value) return <p class="problem page">{error.message}</p>;
  if (!value) return <p class="empty">Asking the server…</p>;
  return (
    <div class="page">
      <h1>Server</h1>
      <p class="quiet">
        {value.name} {value.version}, up since {shortMoment(value.started_at)}
        {error && <span class="problem"> {error.message}</span>}
      </p>
      <section>
        <h2>Problems</h2>
        {value.problems.length === 0 ? <p>There are none.</p> : <ProblemList problems={value.problems} />}
      </section>
      <DataTable
        title="Clients"
        rows={value.clients}
        keyOf={(_, index) => index}
        columns={[
          { title: 'Client', cell: ({ name, version }) => `${name || 'unnamed'} ${version}` },
          { title: 'Protocol', cell: ({ protocol }) => protocol },
          { title: 'Since', cell: ({ since }) => shortMoment(since) },
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
          { title: 'Median', number: true, cell: (row) => !stays(row) && milliseconds(row.median_ms) },
          { title: '95 %', number: true, cell: (row) => !stays(row) && milliseconds(row.p95_ms) },
          {
            title: 'Latest',
            cell: (row) =>
              stays(row) ? <span class="quiet">stays open</span> : <Sparkline values={row.recent_ms} />,
          },
        ]}
      />
      <Settings settings={value.settings} />
      <section>
        <h2>Sample data</h2>
        <p class="quiet">
          A few prompts, a person with a week of events, and two runs. It goes without a trace.
        </p>
        <p class="buttons">
          <SampleData action="load" /> <SampleData action="remove" />
        </p>
      </section>
    </div>
  );
}

/** A stream of changes is open as long as its client wants; how long says nothing. */
function stays({ method }: Status['methods'][number]): boolean {
  return method === 'subscriptions/listen';
}

function Settings({ settings }: Pick<Status, 'settings'>) {
  const [all, setAll] = useState(false);
  const given = settings.filter(({ origin }) => origin !== 'default');
  return (
    <>
      <DataTable
        title="Settings"
        rows={all ? settings : given}
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
          { title: 'Value', cell: ({ value }) => <code>{shown(value)}</code> },
          { title: 'From', cell: ({ origin }) => origin },
        ]}
      />
      <p>
        <button type="button" class="small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Only those that were set' : `All ${settings.length} settings, with their defaults`}
        </button>
      </p>
    </>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
