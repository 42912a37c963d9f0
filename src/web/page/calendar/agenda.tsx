import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  calendarOf,
  keyOf,
  localeOf,
  notificationsFor,
  type User,
} from '../events/calendar-data.ts';
import { factsOf } from '../events/event-facts.ts';
import { addDays, isPast, timeOn, timesOf } from '../events/event-times.ts';
import { NotificationMark } from '../events/notification-mark.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { clock, dayTitle, wallTime } from '../shared/zone-time.ts';

interface Props {
  readonly calendar: CalendarData;
  readonly user: User;
  readonly today: string;
  readonly chosen: string | undefined;
  colourOf(calendar: string | undefined): string;
  choose(event: CalendarEvent): void;
  create(): void;
}

/** A list of upcoming events. */
export function Agenda({ calendar, user, today, chosen, colourOf, choose, create }: Props) {
  const [zone, locale] = [user.timezone ?? 'UTC', localeOf(user)];
  const upcoming = calendar.events
    .filter((event) => wallTime(event.end_ts, zone).day >= today)
    .toSorted((a, b) => a.start_ts.localeCompare(b.start_ts));
  if (upcoming.length === 0)
    return (
      <div class="empty">
        <Icon name="calendar" />
        <p>No events in the next 30 days. Drop an .ics file here to import it.</p>
        <ChangeButton tool="create_event" onClick={create}>
          New event
        </ChangeButton>
      </div>
    );
  const days = [...Map.groupBy(upcoming, (event) => dayIn(event, today, zone))].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const now = wallTime(new Date().toISOString(), zone);
  const names = { [now.day]: 'Today', [addDays(now.day, 1)]: 'Tomorrow' };
  return (
    <div class="agenda" role="list" aria-label="Agenda" tabIndex={0}>
      {days.map(([day, events]) => {
        const goesOn = (event: CalendarEvent) => timesOf(event, zone).endDay !== day;
        const hasEnd = (event: CalendarEvent) =>
          !event.all_day &&
          !goesOn(event) &&
          timesOf(event, zone).startDay === day &&
          event.end_ts > event.start_ts;
        const next = day === now.day ? events.find((event) => !isPast(event) && !event.all_day) : undefined;
        return (
          <section key={day} role="listitem" aria-labelledby={`day-${day}`}>
            <h2 id={`day-${day}`}>
              {names[day]} <span class={names[day] && 'quiet'}>{dayTitle(day, 'long')}</span>
            </h2>
            {events.map((event) => (
              <>
                {event === next && (
                  <p class="now-line">
                    <time>{clock(now.minutes, locale)}</time>
                  </p>
                )}
                <Button
                  key={keyOf(event)}
                  class={`agenda-row list-row ${isPast(event) ? 'past' : ''}`}
                  style={{ '--cal': colourOf(calendarOf(event)) }}
                  aria-pressed={chosen === keyOf(event)}
                  onClick={() => choose(event)}
                >
                  <time>
                    {timeOn(event, day, zone, locale) || 'all day'}
                    <span>{hasEnd(event) && clock(timesOf(event, zone).endMinutes, locale)}</span>
                  </time>
                  <span class="agenda-event">
                    <b class="cut">{event.title}</b>
                    <span class="quiet small cut">
                      {[
                        goesOn(event) && `until ${dayTitle(timesOf(event, zone).endDay)}`,
                        ...factsOf(event, events),
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                    </span>
                  </span>
                  <span class="agenda-marks">
                    {notificationsFor(calendar, event).map((one) => (
                      <NotificationMark key={one.id} notification={one} {...{ calendar, user, day }} />
                    ))}
                  </span>
                </Button>
              </>
            ))}
          </section>
        );
      })}
    </div>
  );
}

/** The day under which an event is listed: its first one, or the first of the list if it began earlier. */
function dayIn({ start_ts }: CalendarEvent, first: string, zone: string): string {
  const { day } = wallTime(start_ts, zone);
  return day < first ? first : day;
}
