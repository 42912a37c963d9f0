import {
  type CalendarData,
  type CalendarEvent,
  keyOf,
  localeOf,
  notificationsFor,
  type User,
} from '../events/calendar-data.ts';
import { clock, wallTime } from '../shared/zone-time.ts';
import { NotificationMark } from './notification-mark.tsx';

interface Props {
  readonly event: CalendarEvent;
  readonly day: string;
  readonly minutes: number;
  readonly calendar: CalendarData;
  readonly user: User;
  readonly chosen: string | undefined;
}

/**
 * An event in the week. A full week has a thousand of them, so each has few elements, and the grid handles their clicks
 * and keys.
 */
export function weekEvent({ event, day, minutes, calendar, user, chosen }: Props) {
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const time = eventTime(event, day, zone, locale);
  return (
    <button
      type="button"
      class={`event ${event.status} ${event.task ? `task ${event.task}` : ''} ${minutes < 45 ? 'one-line' : minutes < 90 ? 'two-lines' : ''}`}
      aria-pressed={chosen === keyOf(event)}
      title={`${time} ${event.title}`.trim()}
    >
      <strong>{event.title}</strong>
      {` ${time} `}
      {notificationsFor(calendar, event).map((one) => (
        <NotificationMark
          key={one.id}
          notification={one}
          icon={calendar.icons.get(one.channel)}
          {...{ day, zone, locale }}
        />
      ))}
    </button>
  );
}

/** True if the lower edge of the event on this day is its end, and can be dragged. */
export function isResizable({ all_day, task, end_ts }: CalendarEvent, day: string, zone: string): boolean {
  return !all_day && !task && wallTime(end_ts, zone).day === day;
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
