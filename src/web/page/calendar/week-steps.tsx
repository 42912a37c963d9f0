import { dayTitle } from '../shared/zone-time.ts';
import { maxSpan } from './calendar-data.ts';

interface Props {
  readonly days: readonly string[];
  readonly weeks: number;
  go(weeks: number): void;
}

/** Buttons to switch weeks within the span the server supports. */
export function WeekSteps({ days, weeks, go }: Props) {
  return (
    <span class="week-steps">
      <button
        type="button"
        aria-label="Previous week"
        disabled={(1 - weeks) * 7 > maxSpan.back}
        onClick={() => go(weeks - 1)}
      >
        ‹
      </button>
      <button type="button" disabled={weeks === 0} onClick={() => go(0)}>
        Today
      </button>
      <button
        type="button"
        aria-label="Next week"
        disabled={(weeks + 2) * 7 > maxSpan.forward}
        onClick={() => go(weeks + 1)}
      >
        ›
      </button>
      <strong>
        {dayTitle(days[0]!, 'day')} – {dayTitle(days.at(-1)!, 'day')}
      </strong>
    </span>
  );
}
