import { counted } from '../controls/words.ts';
import type { CalendarEvent } from '../events/calendar-data.ts';
import { timesOf } from '../events/event-times.ts';
import { dayTitle } from '../shared/zone-time.ts';

interface Props {
  /** The days of a week. */
  readonly days: readonly string[];
  readonly chosen: string;
  readonly events: readonly CalendarEvent[];
  readonly zone: string;
  choose(day: string): void;
}

/** A week in one line, for phones: which days have events, and where the agenda begins. */
export function DayStrip({ days, chosen, events, zone, choose }: Props) {
  const spans = events.map((event) => timesOf(event, zone));
  return (
    <div class="day-strip" role="group" aria-label="Days">
      {days.map((day) => {
        const count = spans.filter(({ startDay, endDay }) => startDay <= day && day <= endDay).length;
        return (
          <button key={day} type="button" aria-pressed={day === chosen} onClick={() => choose(day)}>
            <span>{dayTitle(day, 'weekday')}</span> <b>{Number(day.slice(8))}</b>
            <span class="hidden">, {counted(count, 'event')}</span>
            <i class={count > 1 ? 'many' : count > 0 ? 'one' : ''} />
          </button>
        );
      })}
    </div>
  );
}
