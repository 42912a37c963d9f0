import { wallTime } from '../shared/zone-time.ts';

/** When another person is busy. */
export interface BusyPerson {
  readonly name: string;
  readonly busy: readonly {
    readonly start_ts: string;
    readonly end_ts: string;
    readonly tentative?: boolean;
  }[];
  /** Why there may be more busy times. */
  readonly unknown?: readonly string[];
}

interface Props {
  readonly people: readonly BusyPerson[];
  readonly day: string;
  readonly zone: string;
  spanStyle(from: number, to: number): { readonly top: string; readonly height: string };
}

/** A strip for each person at the edge of a day, filled while the person is busy. */
export function BusyStrips({ people, day, zone, spanStyle }: Props) {
  return (
    <>
      {people.flatMap(({ name, busy }, index) =>
        busy.flatMap(({ start_ts, end_ts, tentative }) => {
          const [start, end] = [wallTime(start_ts, zone), wallTime(end_ts, zone)];
          if (start.day > day || end.day < day || (end.day === day && end.minutes === 0)) return [];
          const from = start.day < day ? 0 : start.minutes;
          const to = end.day > day ? 24 * 60 : end.minutes;
          return [
            <div
              key={`${name} ${start_ts}`}
              class={`busy person-${index % 4} ${tentative ? 'tentative' : ''}`}
              style={{ ...spanStyle(from, to), right: `${(index % 4) * 0.5}rem` }}
              title={`${name} is ${tentative ? 'tentatively ' : ''}busy`}
            />,
          ];
        }),
      )}
    </>
  );
}

/** Explains the strips. */
export function BusyLegend({ people }: { people: readonly BusyPerson[] }) {
  if (people.length === 0) return null;
  return (
    <ul class="busy-legend" aria-label="Busy times">
      {people.map(({ name, busy, unknown = [] }, index) => (
        <li key={name}>
          <span class={`busy-key person-${index % 4}`} aria-hidden="true" /> {name}:{' '}
          {unknown.length > 0
            ? `unknown (${unknown.join(' ')})`
            : busy.length === 0
              ? 'free all week'
              : `busy ${busy.length === 1 ? 'once' : `${busy.length} times`} this week`}
        </li>
      ))}
    </ul>
  );
}
