import { DataTable } from '../shared/data-table.tsx';
import { useLoaded, useTicks } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { formatValue } from './settings-table.tsx';

/** Who changed what, and what was denied, in the last week. */
export function Activity() {
  const ticks = useTicks(10_000);
  const { value, error } = useLoaded(
    (client, signal) => client.tool('list_activity', { limit: 200 }, { signal }),
    [ticks],
  );
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="empty">Loading…</p>;
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
            <span class={outcome === 'done' ? undefined : 'problem'}>
              {count === undefined ? outcome : `${outcome}, ${count} times`}
              {reason && <div class="quiet hint">{reason}</div>}
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
