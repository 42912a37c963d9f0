import { useCalendarColours } from '../calendar/calendar-colours.tsx';
import { Icon } from '../controls/icon.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  calendarOf,
  keyOf,
  loadCalendar,
  localeOf,
  type Notification,
  notificationsFor,
  resourceUris,
  type User,
} from '../events/calendar-data.ts';
import { timesOf } from '../events/event-times.ts';
import { QuickReminder } from '../events/quick-reminder.tsx';
import { pathTo } from '../shared/route.ts';
import { useConnection, useLoaded, useTicks, useTool, useUpdates } from '../shared/server-connection.tsx';
import { clock, wallTime } from '../shared/zone-time.ts';

const dayMs = 86_400_000;

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
  const zone = user.timezone ?? 'UTC';
  const nowMs = Date.now();
  const [today, tomorrow] = [nowMs, nowMs + dayMs].map(
    (ms) => wallTime(new Date(ms).toISOString(), zone).day,
  );
  return (
    <>
      <div class="section-head">
        <h2 id="day">Your day</h2>
        <span class="grow" />
        <a class="button plain tight" href={pathTo('calendar', user.id)}>
          Calendar <Icon name="right" />
        </a>
      </div>
      {value && <DayList {...{ user, zone, colourOf, calendar: value, day: today!, nowMs }} />}
      {value && (
        <>
          <h3 class="day-title">Tomorrow</h3>
          <DayList {...{ user, zone, colourOf, calendar: value, day: tomorrow! }} />
        </>
      )}
    </>
  );
}

interface DayProps {
  readonly user: User;
  readonly zone: string;
  readonly calendar: CalendarData;
  colourOf(calendar: string | undefined): string;
  readonly day: string;
  /** Shows a line for the present, if the day is today. */
  readonly nowMs?: number | undefined;
}

function DayList({ user, zone, calendar, colourOf, day, nowMs }: DayProps) {
  const events = calendar.events
    .filter((event) => isOn(event, zone, day))
    .toSorted((one, other) => Number(other.all_day ?? false) - Number(one.all_day ?? false));
  if (events.length === 0) return <p class="quiet small">Nothing planned.</p>;
  const next =
    nowMs === undefined ? undefined : events.find((event) => startMs(event) > nowMs && !event.all_day);
  const now = nowMs !== undefined && (
    <li class="day-now" key="now">
      <time>{clock(wallTime(new Date(nowMs).toISOString(), zone).minutes, localeOf(user))}</time>
      <span class="hidden">Now</span>
    </li>
  );
  return (
    <ol class="day-list">
      {events.map((event) => (
        <>
          {event === next && now}
          <DayRow
            key={keyOf(event)}
            {...{ user, zone, calendar, colourOf, day, event, events, nowMs, isNext: event === next }}
          />
        </>
      ))}
      {next === undefined && now}
    </ol>
  );
}

interface RowProps extends DayProps {
  readonly event: CalendarEvent;
  readonly events: readonly CalendarEvent[];
  readonly isNext: boolean;
}

function DayRow({ user, zone, calendar, colourOf, day, event, events, nowMs, isNext }: RowProps) {
  const { all_day, task, title, location } = event;
  const times = timesOf(event, zone);
  const locale = localeOf(user);
  const isOver = nowMs !== undefined && !all_day && endMs(event) <= nowMs;
  const facts = [
    ...(task === undefined && !all_day && endMs(event) > startMs(event)
      ? [lengthText(endMs(event) - startMs(event))]
      : []),
    ...(task === undefined ? [] : [task === 'done' ? 'done' : 'task']),
    ...(location ? [location] : []),
    ...overlapsOf(event, events),
    ...(isNext ? [`in ${lengthText(startMs(event) - nowMs!)}`] : []),
  ];
  const planned = notificationsFor(calendar, event).filter(({ status }) => status === 'planned');
  return (
    <li class={`day-row ${isOver ? 'past' : ''}`}>
      <time>{all_day ? 'all day' : clock(times.startMinutes, locale)}</time>
      <a
        class="day-event tinted"
        href={pathTo('calendar', user.id, 'event', { event: keyOf(event), day })}
        style={{ '--cal': colourOf(calendarOf(event)) }}
      >
        <b>{title}</b>
        {facts.length > 0 && <span class="quiet">{facts.join(' · ')}</span>}
        {planned.length > 0 && (
          <span class="reminders">
            {planned.map((one) => (
              <Reminder
                key={one.id}
                icon={calendar.icons.get(one.channel)}
                {...{ notification: one, zone, locale }}
              />
            ))}
          </span>
        )}
      </a>
    </li>
  );
}

function Reminder({
  notification,
  icon,
  zone,
  locale,
}: {
  notification: Notification;
  /** The icon of its channel. */
  icon: string | undefined;
  zone: string;
  locale: string;
}) {
  const { channel, plan_time } = notification;
  return (
    <span title={`Reminder by ${channel}`}>
      {icon === undefined ? <Icon name="bell" /> : <span aria-hidden="true">{icon}</span>}
      <span class="hidden">Reminder by {channel}</span>
      {clock(wallTime(plan_time, zone).minutes, locale)}
    </span>
  );
}

const startMs = ({ start_ts }: CalendarEvent) => Date.parse(start_ts);
const endMs = ({ end_ts }: CalendarEvent) => Date.parse(end_ts);

function isOn(event: CalendarEvent, zone: string, day: string): boolean {
  const { startDay, endDay, endMinutes } = timesOf(event, zone);
  // What ends at midnight is not on the next day.
  return (
    startDay <= day &&
    (day < endDay || (day === endDay && (startDay === day || event.all_day === true || endMinutes > 0)))
  );
}

function overlapsOf(event: CalendarEvent, events: readonly CalendarEvent[]): readonly string[] {
  const takesTime = (one: CalendarEvent) =>
    !one.all_day && one.task === undefined && endMs(one) > startMs(one);
  const other = events.find(
    (one) =>
      one !== event &&
      takesTime(one) &&
      takesTime(event) &&
      startMs(one) <= startMs(event) &&
      startMs(event) < endMs(one),
  );
  return other === undefined ? [] : [`overlaps ${other.title}`];
}

function lengthText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 || hours === 0 ? [`${rest} min`] : [])].join(
    ' ',
  );
}
