import { Button } from '../controls/fields.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  calendarOf,
  keyOf,
  localeOf,
  type User,
} from '../events/calendar-data.ts';
import { addDays, type EventTimes, isOn, isPast, timeOn } from '../events/event-times.ts';
import { useConnection } from '../shared/server-connection.tsx';
import { dayTitle } from '../shared/zone-time.ts';

/** More events of a day are behind a button. */
const maxChips = 3;

interface Props {
  /** Six weeks from a Monday on. */
  readonly days: readonly string[];
  readonly month: string;
  readonly today: string;
  readonly calendar: CalendarData;
  readonly user: User;
  readonly chosen: string | undefined;
  colourOf(calendar: string | undefined): string;
  choose(event: CalendarEvent): void;
  create(times: EventTimes): void;
  showOverflow(events: readonly CalendarEvent[]): void;
}

/** A month as a table. The number of a day creates an event on it. */
export function MonthGrid({
  days,
  month,
  today,
  calendar,
  user,
  chosen,
  colourOf,
  choose,
  create,
  showOverflow,
}: Props) {
  const { readOnly } = useConnection();
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const weeks = Array.from({ length: days.length / 7 }, (_, index) => days.slice(index * 7, index * 7 + 7));
  const byDay = new Map(days.map((day) => [day, calendar.events.filter((one) => isOn(one, day, zone))]));
  const chip = (event: CalendarEvent, day: string) => {
    const time = timeOn(event, day, zone, locale);
    return (
      <button
        key={keyOf(event)}
        type="button"
        style={{ '--cal': colourOf(calendarOf(event)) }}
        class={`event tinted short ${event.status} ${event.task ?? ''} ${isPast(event) ? 'past' : ''}`}
        aria-pressed={chosen === keyOf(event)}
        title={`${time} ${event.title}`.trim()}
        onClick={() => choose(event)}
      >
        <b>{event.title}</b> <span>{time}</span>
      </button>
    );
  };
  return (
    <div class="month" tabIndex={0} role="region" aria-label="Month">
      <table>
        <thead>
          <tr>
            {days.slice(0, 7).map((day) => (
              <th key={day} scope="col">
                {dayTitle(day, 'weekday')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => {
                const events = byDay.get(day)!;
                const shown = events.length > maxChips ? events.slice(0, maxChips - 1) : events;
                const rest = events.slice(shown.length);
                return (
                  <td
                    key={day}
                    class={`${day === today ? 'today' : ''} ${day.startsWith(month) ? '' : 'other-month'}`}
                  >
                    <Button
                      class="plain day-number"
                      disabled={readOnly}
                      aria-label={`New event on ${dayTitle(day, 'long')}`}
                      onClick={() => create(morning(day))}
                    >
                      {Number(day.slice(8))}
                    </Button>
                    {shown.map((event) => chip(event, day))}
                    {rest.length > 0 && (
                      <Button
                        class="plain more"
                        aria-label={`${rest.length} more on ${dayTitle(day, 'long')}`}
                        onClick={() => showOverflow(rest)}
                      >
                        +{rest.length} more
                      </Button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The six weeks that contain a month. */
export function monthDays(month: string): readonly string[] {
  const first = `${month}-01`;
  const weekday = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: 42 }, (_, index) => addDays(first, index - weekday));
}

function morning(day: string): EventTimes {
  return { allDay: false, startDay: day, startMinutes: 9 * 60, endDay: day, endMinutes: 10 * 60 };
}
