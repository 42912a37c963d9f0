import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { duration } from './run-record.ts';

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
const periods = [7, 30, 365] as const;

/** Charts of runs, success, tokens, cost and time, by day, agent, model and folder. */
export function RunStatistics() {
  const { changes } = useConnection();
  const [days, setDays] = useState<number>(30);
  const [name, setName] = useState<keyof typeof measures>('runs');
  const { value, error } = useLoaded(
    (client, signal) => client.tool('run_statistics', { days }, { signal }),
    [days, changes.resources],
  );
  return (
    <article>
      <h1>Statistics</h1>
      <div class="fields">
        <label>
          Show
          <select value={name} onChange={(event) => setName(event.currentTarget.value as typeof name)}>
            {Object.entries(measures).map(([id, { title }]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Period
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {periods.map((period) => (
              <option key={period} value={period}>
                Last {period} days
              </option>
            ))}
          </select>
        </label>
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

interface ChartProps {
  readonly title: string;
  readonly groups: readonly Group[];
  readonly measure: Measure;
}

/** One row per group. The bars are scaled to the largest value. */
function Chart({ title, groups, measure }: ChartProps) {
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
