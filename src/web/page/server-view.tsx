import { useEffect, useState } from 'preact/hooks';
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
      <section>
        <h2>Clients</h2>
        <div class="scroll" tabIndex={0} role="region" aria-label="Clients">
          <table>
            <thead>
              <tr>
                <th>Client</th>
                <th>Protocol</th>
                <th>Since</th>
              </tr>
            </thead>
            <tbody>
              {value.clients.map(({ name, version, protocol, since }, index) => (
                <tr key={index}>
                  <td>
                    {name || 'unnamed'} {version}
                  </td>
                  <td>{protocol}</td>
                  <td>{new Date(since).toLocaleTimeString()}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <section>
        <h2>Requests</h2>
        <div class="scroll" tabIndex={0} role="region" aria-label="Requests">
          <table>
            <thead>
              <tr>
                <th>Method</th>
                <th class="number">Count</th>
                <th class="number">Failed</th>
                <th class="number">Median</th>
                <th class="number">95 %</th>
                <th>Latest</th>
              </tr>
            </thead>
            <tbody>
              {value.methods.map((one) => (
                <tr key={one.method}>
                  <td>
                    <code>{one.method}</code>
                  </td>
                  <td class="number">{one.count}</td>
                  <td class="number">{one.failed}</td>
                  <td class="number">{milliseconds(one.median_ms)}</td>
                  <td class="number">{milliseconds(one.p95_ms)}</td>
                  <td>
                    <Sparkline values={one.recent_ms} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <section>
        <h2>Settings</h2>
        <div class="scroll" tabIndex={0} role="region" aria-label="Settings">
          <table>
            <thead>
              <tr>
                <th>Setting</th>
                <th>Value</th>
                <th>From</th>
              </tr>
            </thead>
            <tbody>
              {value.settings.map(({ name, value: given, origin, description }) => (
                <tr key={name} title={description}>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td>
                    <code>
                      {given === undefined || given === null
                        ? ''
                        : typeof given === 'string'
                          ? given
                          : JSON.stringify(given)}
                    </code>
                  </td>
                  <td>{origin}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </div>
  );
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
