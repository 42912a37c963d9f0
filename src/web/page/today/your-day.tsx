import { Icon } from '../controls/icon.tsx';
import { useCalendarColours } from '../events/calendar-colours.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  calendarOf,
  keyOf,
  loadCalendar,
  localeOf,
  notificationsFor,
  resourceUris,
  type User,
} from '../events/calendar-data.ts';
import { factsOf, lengthOf, lengthText } from '../events/event-facts.ts';
import { addDays, isOn, isPast, timeOn } from '../events/event-times.ts';
import { NotificationMark } from '../events/notification-mark.tsx';
import { QuickReminder } from '../events/quick-reminder.tsx';
import { useRoutines } from '../routines/routine.ts';
import { pathTo } from '../shared/route.ts';
import { useConnection, useLoaded, useTicks, useTool, useUpdates } from '../shared/server-connection.tsx';
import { clock, wallTime } from '../shared/zone-time.ts';

/** The events of today and tomorrow with their reminders. */
export function YourDay() {
  const { changes } = useConnection();
  const { value: user, error } = useTool('get_user', {}, changes.resources);
  // If nobody is known yet, the first reminder creates the person.
  const isFirst = error?.failure?.kind === 'resource-not-found';
  return (
    <section aria-labelledby="day">
      {error ? <NoDay /> : user && <Day user={user} />}
      {(isFirst || user) && <QuickReminder />}
    </section>
  );
}

/** Nobody is known yet, or it is not known who of several people reads this. */
function NoDay() {
  return (
    <>
      <div class="section-head">
        <h2 id="day">Your day</h2>
      </div>
      <p class="quiet">
        Your events appear here when the calendar knows you.{' '}
        <a href={pathTo('calendar')}>Open the calendar</a>
      </p>
    </>
  );
}

function Day({ user }: { user: User }) {
  const { changes } = useConnection();
  const minutes = useTicks(60_000);
  const updates = useUpdates(...resourceUris(user));
  const { colourOf } = useCalendarColours(user.id, updates);
  const { value } = useLoaded(
    (client, signal) => loadCalendar(client, user.id, { back: 1, forward: 2 }, signal),
    [user.id, updates, changes.resources, minutes],
  );
  const today = wallTime(new Date().toISOString(), user.timezone ?? 'UTC').day;
  return (
    <>
      <div class="section-head">
        <h2 id="day">Your day</h2>
        <span class="grow" />
        <a class="button plain tight" href={pathTo('calendar', user.id)}>
          Calendar <Icon name="right" />
        </a>
      </div>
      {value && <DayList {...{ user, colourOf, calendar: value, day: today }} isToday />}
      {value && (
        <>
          <h3 class="day-title">Tomorrow</h3>
          <DayList {...{ user, colourOf, calendar: value, day: addDays(today, 1) }} />
        </>
      )}
    </>
  );
}

interface DayProps {
  readonly user: User;
  readonly calendar: CalendarData;
  readonly day: string;
  /** Shows the present, and the routines that start later. */
  readonly isToday?: boolean;
  colourOf(calendar: string | undefined): string;
}

function DayList({ user, calendar, colourOf, day, isToday = false }: DayProps) {
  const zone = user.timezone ?? 'UTC';
  const { value } = useRoutines(0);
  const events = calendar.events
    .filter((event) => isOn(event, day, zone))
    .toSorted((one, other) => Number(other.all_day ?? false) - Number(one.all_day ?? false));
  const routines = (isToday ? (value?.routines ?? []) : []).flatMap(({ id, name, next_due = [] }) =>
    next_due.filter((at) => wallTime(at, zone).day === day).map((at) => ({ at, id, name })),
  );
  if (events.length + routines.length === 0) return <p class="quiet small">Nothing planned.</p>;
  const now = new Date().toISOString();
  const next = isToday
    ? events.find(({ start_ts, all_day }) => !all_day && Date.parse(start_ts) > Date.now())
    : undefined;
  const time = (at: string) => clock(wallTime(at, zone).minutes, localeOf(user));
  const rows = [
    ...events.map((event) => ({
      at: event.all_day ? 0 : Date.parse(event.start_ts),
      row: <DayRow key={keyOf(event)} {...{ user, calendar, colourOf, day, event, events, next }} />,
    })),
    ...routines.map(({ at, id, name }) => ({
      at: Date.parse(at),
      row: (
        <li class="day-row" key={id}>
          <time>{time(at)}</time>
          <a class="day-routine" href={pathTo('routines', id)}>
            <Icon name="routines" />
            <span class="cut">{name}</span>
          </a>
        </li>
      ),
    })),
    ...(isToday
      ? [
          {
            at: Date.now(),
            row: (
              <li class="now-line" key="now">
                <time>{time(now)}</time>
                <span class="hidden">Now</span>
              </li>
            ),
          },
        ]
      : []),
  ];
  return <ol class="day-list">{rows.toSorted((one, other) => one.at - other.at).map(({ row }) => row)}</ol>;
}

interface RowProps extends DayProps {
  readonly event: CalendarEvent;
  readonly events: readonly CalendarEvent[];
  /** The one that begins next, which says how soon. */
  readonly next: CalendarEvent | undefined;
}

function DayRow({ user, calendar, colourOf, day, event, events, next }: RowProps) {
  const facts = [
    lengthOf(event),
    ...factsOf(event, events),
    event === next && `in ${lengthText(Date.parse(event.start_ts) - Date.now())}`,
  ].filter(Boolean);
  const planned = notificationsFor(calendar, event).filter(({ status }) => status === 'planned');
  return (
    <li class={`day-row ${isPast(event) ? 'past' : ''}`}>
      <time>{timeOn(event, day, user.timezone ?? 'UTC', localeOf(user)) || 'all day'}</time>
      <a
        class="day-event tinted"
        href={pathTo('calendar', user.id, 'event', { event: keyOf(event), day })}
        style={{ '--cal': colourOf(calendarOf(event)) }}
      >
        <b>{event.title}</b>
        {facts.length > 0 && <span class="quiet">{facts.join(' · ')}</span>}
        {planned.length > 0 && (
          <span class="reminders">
            {planned.map((one) => (
              <NotificationMark key={one.id} notification={one} {...{ calendar, user, day }} />
            ))}
          </span>
        )}
      </a>
    </li>
  );
}
