import { useLayoutEffect, useRef } from 'preact/hooks';
import { clock, dayTitle, quietSpans, wallTime } from '../shared/zone-time.ts';
import {
  type CalendarData,
  type CalendarEvent,
  keyOf,
  localeOf,
  notificationsFor,
  type User,
} from './calendar-data.ts';
import { NotificationMark } from './notification-mark.tsx';
import { layOutDay, type Slot } from './week-layout.ts';

const pixelsPerHour = 40;
/** A day with more all-day events scrolls. */
const maxAllDayRows = 4;

interface Props {
  readonly days: readonly string[];
  readonly today: string;
  readonly calendar: CalendarData;
  readonly user: User;
  readonly chosen: string | undefined;
  choose(event: CalendarEvent): void;
  /** Shows events that do not fit into the grid. */
  showOverflow(events: readonly CalendarEvent[]): void;
}

/** Seven days as columns, with quiet hours shaded. */
export function WeekGrid({ days, today, calendar, user, chosen, choose, showOverflow }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  // Scroll to 07:30, or to the first event if it starts earlier.
  useLayoutEffect(() => {
    const starts = calendar.events
      .filter(({ all_day }) => !all_day)
      .map(({ start_ts }) => wallTime(start_ts, zone));
    const first = Math.min(
      8 * 60,
      ...starts.filter(({ day }) => days.includes(day)).map(({ minutes }) => minutes),
    );
    box.current?.scrollTo({ top: ((first - 30) / 60) * pixelsPerHour });
  }, [days[0]]);
  const quiet = quietSpans(user.quiet_start ?? '21:00', user.quiet_end ?? '07:00');
  const entry = (event: CalendarEvent, day: string, minutes = 0) => (
    <button
      type="button"
      class={`event ${event.status ?? ''} ${minutes < 45 ? 'one-line' : minutes < 90 ? 'two-lines' : ''}`}
      aria-pressed={chosen === keyOf(event)}
      onClick={() => choose(event)}
      title={`${event.title} ${eventTime(event, day, zone, locale)}`}
    >
      <strong>
        {!event.all_day && <span class="event-time">{eventTime(event, day, zone, locale)}</span>}{' '}
        {event.title}
      </strong>{' '}
      {notificationsFor(calendar, event).map((one) => (
        <NotificationMark key={one.id} notification={one} day={day} zone={zone} locale={locale} />
      ))}
    </button>
  );
  const wholeDays = calendar.events.filter(
    (event) => event.all_day && days.some((day) => covers(event, day, zone)),
  );
  const rows = Math.max(...days.map((day) => wholeDays.filter((event) => covers(event, day, zone)).length));
  const now = wallTime(new Date().toISOString(), zone);
  const laidOut = new Map(days.map((day) => [day, layOutDay(calendar.events, day, zone)]));
  return (
    <div
      class="week"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Week"
      style={{ '--all-day-rows': Math.min(rows, maxAllDayRows) }}
    >
      <div
        class={`week-hours ${wholeDays.length > 0 ? 'below-all-day' : ''}`}
        style={{ height: `${24 * pixelsPerHour}px` }}
      >
        {Array.from({ length: 12 }, (_, index) => index * 2).map((hour) => (
          <span key={hour} style={{ top: `${hour * pixelsPerHour}px` }}>
            {clock(hour * 60, locale)}
          </span>
        ))}
      </div>
      {days.map((day) => (
        <section key={day} class="week-day" aria-label={dayTitle(day, 'long')}>
          <div class="week-head">
            <h2 class={day === today ? 'today' : ''}>{dayTitle(day)}</h2>
            {wholeDays.length > 0 && (
              <div class="all-day">
                {wholeDays.filter((event) => covers(event, day, zone)).map((event) => entry(event, day))}
              </div>
            )}
          </div>
          <div
            class="week-column"
            style={{ height: `${24 * pixelsPerHour}px`, backgroundSize: `100% ${2 * pixelsPerHour}px` }}
          >
            {quiet.map(([from, to]) => (
              <div
                key={from}
                class="quiet-hours"
                style={{
                  top: `${(from / 60) * pixelsPerHour}px`,
                  height: `${((to - from) / 60) * pixelsPerHour}px`,
                }}
              />
            ))}
            {day === now.day && (
              <div class="now" style={{ top: `${(now.minutes / 60) * pixelsPerHour}px` }} />
            )}
            {laidOut.get(day)!.placed.map(({ event, ...slot }) => (
              <div key={keyOf(event)} class="placed" style={slotStyle(slot)}>
                {entry(event, day, slot.to - slot.from)}
              </div>
            ))}
            {laidOut.get(day)!.overflows.map(({ events, ...slot }) => (
              <div key={slot.from} class="placed" style={slotStyle(slot)}>
                <button
                  type="button"
                  class="event overflow"
                  aria-label={`${events.length} more at this time`}
                  onClick={() => showOverflow(events)}
                >
                  +{events.length}
                </button>
              </div>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function covers(event: CalendarEvent, day: string, zone: string): boolean {
  return wallTime(event.start_ts, zone).day <= day && day < wallTime(event.end_ts, zone).day;
}

/** The start of an event or, on a later day, its end. */
function eventTime(
  { start_ts, end_ts, all_day }: CalendarEvent,
  day: string,
  zone: string,
  locale: string,
): string {
  if (all_day) return '';
  const [start, end] = [wallTime(start_ts, zone), wallTime(end_ts, zone)];
  if (start.day === day) return clock(start.minutes, locale);
  return end.day === day ? `until ${clock(end.minutes, locale)}` : '';
}

function slotStyle({ from, to, lane, lanes }: Slot) {
  return {
    top: `${(from / 60) * pixelsPerHour}px`,
    height: `${Math.max(20, ((to - from) / 60) * pixelsPerHour - 1)}px`,
    left: `${(lane / lanes) * 100}%`,
    width: `${100 / lanes}%`,
  };
}
