import { useEffect, useState } from 'preact/hooks';
import { DataTable } from './data-table.tsx';
import { SampleData } from './sample-data.tsx';
import { useLoaded } from './server-connection.tsx';

interface Status {
  readonly name: string;
  readonly version: string;
  readonly started_at: string;
  readonly clients: readonly {
    readonly name: string;
    readonly version: string;
    readonly protocol: string;
    readonly since: string;
  }[];
  readonly methods: readonly Method[];
  readonly problems: readonly {
    readonly file: string;
    readonly line?: number;
    readonly severity: string;
    readonly message: string;
  }[];
  readonly settings: readonly {
    readonly name: string;
    readonly value: unknown;
    readonly origin: string;
    readonly description: string;
  }[];
}

interface Method {
  readonly method: string;
  readonly count: number;
  readonly failed: number;
  readonly median_ms: number;
  readonly p95_ms: number;
  readonly recent_ms: readonly number[];
}

/** Who is connected, what is asked and how fast, what is wrong, and the configuration in force. */
export function ServerView() {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(
      () => document.visibilityState === 'visible' && setTick((now) => now + 1),
      3000,
    );
    return () => clearInterval(timer);
  }, []);
  const { value, error } = useLoaded<Status>(
    (client, signal) => client.tool('server_status', {}, { signal }),
    [tick],
  );
  if (error && !value) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="empty">Asking the server…</p>;
  return (
    <div class="page">
      <h1>Server</h1>
      <p class="quiet">
        {value.name} {value.version}, up since {new Date(value.started_at).toLocaleString()}
      </p>
      <p>
        <SampleData action="load" /> <SampleData action="remove" />
      </p>
      <section>
        <h2>Problems</h2>
        {value.problems.length === 0 ? (
          <p>None.</p>
        ) : (
          <ul class="problems">
            {value.problems.map(({ file, line, severity, message }) => (
              <li key={`${file}:${line}:${message}`}>
                <span class={`badge ${severity}`}>{severity}</span>{' '}
                <code>{line === undefined ? file : `${file}:${line}`}</code> {message}
              </li>
            ))}
          </ul>
        )}
      </section>
      <DataTable
        title="Clients"
        rows={value.clients}
        keyOf={(_, index) => index}
        columns={[
          { title: 'Client', cell: ({ name, version }) => `${name || 'unnamed'} ${version}` },
          { title: 'Protocol', cell: ({ protocol }) => protocol },
          { title: 'Since', cell: ({ since }) => new Date(since).toLocaleTimeString() },
        ]}
      />
      <DataTable
        title="Requests"
        rows={value.methods}
        keyOf={({ method }) => method}
        columns={[
          { title: 'Method', cell: ({ method }) => <code>{method}</code> },
          { title: 'Count', number: true, cell: ({ count }) => count },
          { title: 'Failed', number: true, cell: ({ failed }) => failed },
          { title: 'Median', number: true, cell: ({ median_ms }) => milliseconds(median_ms) },
          { title: '95 %', number: true, cell: ({ p95_ms }) => milliseconds(p95_ms) },
          { title: 'Latest', cell: ({ recent_ms }) => <Sparkline values={recent_ms} /> },
        ]}
      />
      <DataTable
        title="Settings"
        rows={value.settings}
        keyOf={({ name }) => name}
        hintOf={({ description }) => description}
        columns={[
          { title: 'Setting', cell: ({ name }) => <code>{name}</code> },
          { title: 'Value', cell: ({ value: given }) => <code>{shown(given)}</code> },
          { title: 'From', cell: ({ origin }) => origin },
        ]}
      />
    </div>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
}

/** The latest durations as a line, the slowest at the top. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(...values, 0.001);
  const points = values
    .map((value, index) => `${(index / Math.max(1, values.length - 1)) * 100},${19 - (value / most) * 18}`)
    .join(' ');
  return (
    <svg
      class="sparkline"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`latest durations, at most ${milliseconds(most)}`}
    >
      <polyline points={points} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />
    </svg>
  );
}
