import { wallTime } from '../shared/zone-time.ts';

const colours = ['slate', 'violet', 'teal', 'pink'];
const colourAt = (index: number) => `var(--cal-${colours[index % colours.length]})`;

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
  span(from: number, to: number): object;
}

/** A strip for each person at the edge of a day, filled while the person is busy. */
export function BusyStrips({ people, day, zone, span }: Props) {
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
              class={`busy ${tentative ? 'tentative' : ''}`}
              style={{ ...span(from, to), '--person': index % colours.length, background: colourAt(index) }}
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
          <span class="busy-key" style={{ background: colourAt(index) }} aria-hidden="true" /> {name}:{' '}
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
