import { type CalendarEvent, type Diary, keyOf, notificationsOf } from './diary.ts';
import { NotificationMark } from './notification-mark.tsx';
import { WindowedList } from './windowed-list.tsx';
import { clock, dayTitle, wallTime } from './zone-time.ts';

interface Props {
  readonly diary: Diary;
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
                  <NotificationMark key={one.id} notification={one} zone={zone} />
                ))}
              </span>
              <span class="row-text row-title">
                {dayTitle(start.day, 'long')}{' '}
                {event.all_day
                  ? 'all day'
                  : `${clock(start.minutes)} – ${clock(wallTime(event.end_ts, zone).minutes)}`}
                {event.location && `, ${event.location}`}
              </span>
            </button>
          );
        }}
      />
    </div>
  );
}
