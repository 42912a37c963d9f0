import type { CalendarEvent } from '../events/calendar-data.ts';
import { Line } from '../events/panel-line.tsx';
import { pathTo } from '../shared/route.ts';
import { shortTime } from '../shared/zone-time.ts';
import { useRoutines } from './routine.ts';

/** The routines that start because this event is near. */
export function RoutinesBefore({ event }: { event: CalendarEvent }) {
  const { value } = useRoutines(0);
  const startMs = Date.parse(event.start_ts);
  const before = (value?.routines ?? []).flatMap(({ id, name, when, next_due = [] }) => {
    if (typeof when === 'string' || when.before === undefined) return [];
    const at = next_due.find((due) => startMs - Date.parse(due) === lengthIn(when.before!));
    return at === undefined ? [] : [{ id, name, at }];
  });
  if (before.length === 0) return null;
  return (
    <section>
      <h2>Before it</h2>
      {before.map(({ id, name, at }) => (
        <Line key={id} icon="routines" more={shortTime(at)}>
          <a class="link" href={pathTo('routines', id)}>
            {name}
          </a>
        </Line>
      ))}
    </section>
  );
}

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as `30 minutes` or `1h`. */
function lengthIn(text: string): number {
  const [, count = '', unit = ''] = /^(\d+) *([mhd])/.exec(text) ?? [];
  return Number(count) * (unitsMs[unit] ?? Number.NaN);
}
