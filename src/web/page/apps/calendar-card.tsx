import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { Loading } from '../controls/loading.tsx';
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
import { formatTimes, timesOf } from '../events/event-times.ts';
import { NotificationMark } from '../events/notification-mark.tsx';
import { useConnection, useLoaded, useTool, useUpdates } from '../shared/server-connection.tsx';
import { clock, dayTitle, wallTime } from '../shared/zone-time.ts';
import { ChatCard } from './chat-card.tsx';

const shownEvents = 5;
/** How far ahead the card looks for them, in days. */
const ahead = 60;

interface Props {
  readonly person: string | undefined;
  /** What find_time has proposed. */
  readonly slots: ToolAnswer<'find_time'>['slots'] | undefined;
  expand(): void;
}

/** The next five events of a person with their reminders, or the times that were proposed. */
export function CalendarCard({ person, slots, expand }: Props) {
  const { changes } = useConnection();
  const { value, error } = useTool('list_users', wholeList, changes.resources);
  if (error && !value) return <p class="problem box">{error.message}</p>;
  if (!value) return <Loading />;
  const user = value.users.find(({ id, email }) => person && [id, email].includes(person)) ?? value.users[0];
  if (user === undefined)
    return (
      <ChatCard title="Calendar" expand={expand}>
        <p class="quiet">Nobody is in the calendar yet.</p>
      </ChatCard>
    );
  return slots ? <Proposals {...{ user, slots, expand }} /> : <NextEvents {...{ user, expand }} />;
}

interface NextProps {
  readonly user: User;
  expand(): void;
}

function NextEvents({ user, expand }: NextProps) {
  const updates = useUpdates(...resourceUris(user));
  const { colourOf } = useCalendarColours(user.id, updates);
  const { value: calendar, error } = useLoaded(
    (client, signal) => loadCalendar(client, user.id, { back: 1, forward: ahead }, signal),
    [user.id, updates],
  );
  const next = (calendar?.events ?? [])
    .filter(({ end_ts }) => Date.parse(end_ts) > Date.now())
    .toSorted((one, other) => (one.start_ts < other.start_ts ? -1 : 1))
    .slice(0, shownEvents);
  return (
    <ChatCard title={next.length === 1 ? 'Next event' : 'Next events'} expand={expand}>
      {error && <p class="problem">{error.message}</p>}
      {calendar && next.length === 0 && <p class="quiet">Nothing is planned in the next {ahead} days.</p>}
      <ul class="chat-rows">
        {calendar &&
          next.map((event) => (
            <EventRow
              key={keyOf(event)}
              {...{ event, user, calendar }}
              colour={colourOf(calendarOf(event))}
            />
          ))}
      </ul>
    </ChatCard>
  );
}

interface RowProps {
  readonly event: CalendarEvent;
  readonly user: User;
  readonly calendar: CalendarData;
  readonly colour: string;
}

function EventRow({ event, user, calendar, colour }: RowProps) {
  const [zone, locale] = [user.timezone ?? 'UTC', localeOf(user)];
  const { day, minutes } = wallTime(event.start_ts, zone);
  const isToday = day === wallTime(new Date().toISOString(), zone).day;
  const time = event.all_day ? 'all day' : clock(minutes, locale);
  const [reminder] = notificationsFor(calendar, event).filter(({ status }) => status === 'planned');
  return (
    <li class="row chat-row" style={{ '--cal': colour }}>
      <time>{isToday ? time : `${dayTitle(day)}${event.all_day ? '' : `, ${time}`}`}</time>
      <i />
      <span class="cut grow">{event.title}</span>
      {reminder && <NotificationMark notification={reminder} {...{ calendar, user }} day={day} />}
    </li>
  );
}

function Proposals({ user, slots, expand }: NextProps & { readonly slots: NonNullable<Props['slots']> }) {
  const zone = user.timezone ?? 'UTC';
  return (
    <ChatCard title="Times that suit everybody" expand={expand}>
      {slots.length === 0 && <p class="quiet">No common time was found.</p>}
      <ul class="chat-rows">
        {slots.slice(0, shownEvents).map((slot) => (
          <li key={slot.start_ts} class="row chat-row">
            <Icon name="clock" />
            <span class="grow">{formatTimes(timesOf(slot, zone), localeOf(user))}</span>
          </li>
        ))}
      </ul>
      {slots.length > 0 && (
        <p>
          <Button class="primary" onClick={expand}>
            Choose a time
          </Button>
        </p>
      )}
    </ChatCard>
  );
}
