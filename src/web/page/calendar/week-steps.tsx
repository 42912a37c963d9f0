import { maxSpan } from '../events/calendar-data.ts';
import { addDays } from '../events/event-times.ts';
import { dayTitle } from '../shared/zone-time.ts';

interface Props {
  readonly days: readonly string[];
  readonly weeks: number;
  go(weeks: number): void;
}

/** Buttons to switch weeks within the span the server supports. */
export function WeekSteps({ days, weeks, go }: Props) {
  return (
    <Steps
      unit="week"
      position={weeks}
      first={(1 - weeks) * 7 > maxSpan.back}
      last={(weeks + 2) * 7 > maxSpan.forward}
      title={`${dayTitle(days[0]!, 'day')} – ${dayTitle(days.at(-1)!, 'day')}`}
      go={go}
    />
  );
}

interface MonthProps {
  readonly month: string;
  readonly months: number;
  readonly today: string;
  go(months: number): void;
}

/** Buttons to switch months within the span the server supports. */
export function MonthSteps({ month, months, today, go }: MonthProps) {
  const format = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const lastDay = addDays(today, maxSpan.forward);
  return (
    <Steps
      unit="month"
      position={months}
      first={addDays(today, -maxSpan.back) >= `${month}-01`}
      last={addDays(`${month}-01`, 31).slice(0, 7) > lastDay.slice(0, 7)}
      title={format.format(Date.parse(`${month}-01`))}
      go={go}
    />
  );
}

interface StepsProps {
  readonly unit: 'week' | 'month';
  readonly position: number;
  /** Whether there is nothing before and after. */
  readonly first: boolean;
  readonly last: boolean;
  readonly title: string;
  go(position: number): void;
}

function Steps({ unit, position, first, last, title, go }: StepsProps) {
  return (
    <span class="week-steps">
      <button type="button" aria-label={`Previous ${unit}`} disabled={first} onClick={() => go(position - 1)}>
        ‹
      </button>
      <button type="button" disabled={position === 0} onClick={() => go(0)}>
        Today
      </button>
      <button type="button" aria-label={`Next ${unit}`} disabled={last} onClick={() => go(position + 1)}>
        ›
      </button>
      <strong>{title}</strong>
    </span>
  );
}
