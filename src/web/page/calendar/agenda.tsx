import { WindowedList } from '../shared/windowed-list.tsx';
import { clock, dayTitle, type WallTime, wallTime } from '../shared/zone-time.ts';
import { type CalendarData, type CalendarEvent, keyOf, notificationsOf } from './calendar-data.ts';
import { NotificationMark } from './notification-mark.tsx';

interface Props {
  readonly diary: CalendarData;
  readonly zone: string;
  readonly today: string;
  readonly chosen: string | undefined;
  choose(event: CalendarEvent): void;
}

/** What comes, one line each. */
export function Agenda({ diary, zone, today, chosen, choose }: Props) {
  const coming = diary.events
    .filter((event) => wallTime(event.end_ts, zone).day >= today)
    .toSorted((a, b) => a.start_ts.localeCompare(b.start_ts));
  if (coming.length === 0)
    return <p class="empty">Nothing comes in the next thirty days. Drop an .ics file here to bring it in.</p>;
  return (
    <div class="agenda">
      <WindowedList
        items={coming}
        rowHeight={58}
        label="Agenda"
        keyOf={keyOf}
        render={(event) => {
          const start = wallTime(event.start_ts, zone);
          return (
            <button
              type="button"
              class="row"
              aria-pressed={chosen === keyOf(event)}
              onClick={() => choose(event)}
            >
              <span class="row-line">
                <span class="row-title">{event.title}</span>
                {notificationsOf(diary, event).map((one) => (
                  <NotificationMark key={one.id} notification={one} day={start.day} zone={zone} />
                ))}
              </span>
              <span class="row-text row-title">
                {dayTitle(start.day, 'long')} {endOf(event, start, zone)}
                {event.location && `, ${event.location}`}
              </span>
            </button>
          );
        }}
      />
    </div>
  );
}

/** What is to be said after the day it begins: from when, until when and until which day. */
function endOf({ start_ts, end_ts, all_day }: CalendarEvent, start: WallTime, zone: string): string {
  // The end of a whole day is the beginning of the next one.
  const last = Math.max(Date.parse(start_ts), Date.parse(end_ts) - (all_day ? 1 : 0));
  const end = wallTime(new Date(last).toISOString(), zone);
  const until = end.day === start.day ? '' : dayTitle(end.day, 'short');
  if (all_day) return until === '' ? 'all day' : `– ${until}`;
  return `${clock(start.minutes)} – ${until === '' ? '' : `${until} `}${clock(end.minutes)}`;
}
