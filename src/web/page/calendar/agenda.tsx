import { Button } from '../controls/fields.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  keyOf,
  localeOf,
  notificationsFor,
  type User,
} from '../events/calendar-data.ts';
import { WindowedList } from '../shared/windowed-list.tsx';
import { clock, dayTitle, type WallTime, wallTime } from '../shared/zone-time.ts';
import { NotificationMark } from './notification-mark.tsx';

interface Props {
  readonly calendar: CalendarData;
  readonly user: User;
  readonly today: string;
  readonly chosen: string | undefined;
  choose(event: CalendarEvent): void;
}

/** A list of upcoming events. */
export function Agenda({ calendar, user, today, chosen, choose }: Props) {
  const [zone, locale] = [user.timezone ?? 'UTC', localeOf(user)];
  const upcoming = calendar.events
    .filter((event) => wallTime(event.end_ts, zone).day >= today)
    .toSorted((a, b) => a.start_ts.localeCompare(b.start_ts));
  if (upcoming.length === 0)
    return <p class="empty">No events in the next 30 days. Drop an .ics file here to import it.</p>;
  return (
    <div class="agenda">
      <WindowedList
        items={upcoming}
        rowHeight={58}
        label="Agenda"
        keyOf={keyOf}
        render={(event) => {
          const start = wallTime(event.start_ts, zone);
          return (
            <Button class="list-row" aria-pressed={chosen === keyOf(event)} onClick={() => choose(event)}>
              <span class="row-line">
                <span class="row-title">{event.title}</span>
                {notificationsFor(calendar, event).map((one) => (
                  <NotificationMark key={one.id} notification={one} {...{ calendar, user }} day={start.day} />
                ))}
              </span>
              <span class="row-text row-title">
                {dayTitle(start.day, 'long')} {formatTimes(event, start, zone, locale)}
                {event.location && `, ${event.location}`}
              </span>
            </Button>
          );
        }}
      />
    </div>
  );
}

/** The times of an event, with the last day if it differs from the first day. */
function formatTimes(
  { start_ts, end_ts, all_day }: CalendarEvent,
  start: WallTime,
  zone: string,
  locale: string,
): string {
  // An all-day event ends at the start of the following day.
  const last = Math.max(Date.parse(start_ts), Date.parse(end_ts) - (all_day ? 1 : 0));
  const end = wallTime(new Date(last).toISOString(), zone);
  const lastDay = end.day === start.day ? '' : dayTitle(end.day, 'short');
  if (all_day) return lastDay === '' ? 'all day' : `– ${lastDay}`;
  return `${clock(start.minutes, locale)} – ${lastDay === '' ? '' : `${lastDay} `}${clock(end.minutes, locale)}`;
}
