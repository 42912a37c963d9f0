import { useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { Menu } from '../controls/menu.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useAddressed } from '../shared/route.ts';
import { Pending, useConnection, useLoaded, useTool } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime, wallTime } from '../shared/zone-time.ts';
import type { CalendarColours } from './calendar-colours.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  calendarOf,
  localeOf,
  type Notification,
  notificationsFor,
  type User,
} from './calendar-data.ts';
import {
  Confirmation,
  MessageText,
  questionOf,
  type Scope,
  ScopeChoice,
  scopeArguments,
  useConfirmedChange,
} from './event-change.tsx';
import { lengthText } from './event-facts.ts';
import { EventForm, repeatTitle } from './event-form.tsx';
import { formatTimes, timesOf } from './event-times.ts';
import { ChannelIcon } from './notification-mark.tsx';
import { Line } from './panel-line.tsx';

interface Props {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly calendar: CalendarData;
  readonly colours: CalendarColours;
  /** Asks when the event should take place instead. */
  move(): void;
  done(): void;
}

/** One event with its notifications and the reason for each. It can be changed, moved and deleted. */
export function EventDetail({ user, event, calendar, colours, move, done }: Props) {
  const notifications = notificationsFor(calendar, event);
  const [mode, setMode] = useAddressed<'view' | 'edit' | 'reminders' | 'delete'>('do', 'view');
  const { client, busy, act } = useActions();
  const zone = user.timezone ?? 'UTC';
  const times = timesOf(event, zone);
  /** Asks only if there is something to choose, if others are told, or if a calendar server makes it final. */
  const remove = () => {
    if (event.occurrence !== undefined || event.calendar_id !== undefined) return setMode('delete');
    return act(async () => {
      const deleted = await client
        .undoable('delete_event', { event_id: event.id })
        .catch((error: unknown) => {
          if (questionOf(error) === undefined) throw error;
        });
      if (deleted === undefined) return setMode('delete');
      done();
      return { text: `Deleted “${event.title}”.`, undo: deleted.undo };
    });
  };
  const { value: whole, error } = useTool('get_event', { event_id: event.id }, event.start_ts, event.title);
  const isSent = notifications.some(({ status }) => status === 'sent');
  const { value: outbox } = useLoaded(
    async (client, signal) => (isSent ? client.tool('list_outbox', { limit: 1000 }, { signal }) : undefined),
    [isSent],
  );
  // Files in the outbox are named after their notification.
  const inOutbox = new Set(outbox?.messages.map(({ file }) => file.replace(/\..*/, '')));
  if ((mode === 'edit' || mode === 'reminders') && whole)
    return (
      <EventForm
        {...{ user, times, done }}
        event={{ ...whole, title: event.title, ...(event.location && { location: event.location }) }}
        occurrence={event.occurrence}
        focusReminders={mode === 'reminders'}
      />
    );
  if (mode === 'delete') return <DeleteQuestion {...{ user, event, done }} back={() => setMode('view')} />;
  const [first] = notifications.filter(
    ({ change, status }) => change === undefined && status !== 'cancelled',
  );
  const fewer = () =>
    act(async () => {
      const more = { notification_id: first!.id, less_like_this: true };
      const { undo } = await client.undoable('cancel_notification', more);
      const text =
        'There will be fewer reminders of events with this title. The rule is in the settings of the person.';
      return { text, undo };
    });
  const of = calendarOf(event) ?? '';
  const home = colours.calendars.find(({ id }) => id === of);
  return (
    <>
      <Line icon="clock" more={whole?.rrule && repeatTitle(whole.rrule, times.startDay)}>
        {formatTimes(times, localeOf(user), wallTime(new Date().toISOString(), zone).day)}
      </Line>
      {event.location && <Line icon="pin">{event.location}</Line>}
      {whole?.attendees && (
        <Line
          icon="people"
          more={whole.answers?.map(({ attendee, answer }) => `${attendee}: ${answer}`).join(', ')}
        >
          {whole.attendees.join(', ')}
        </Line>
      )}
      {whole?.conf_link && (
        <Line icon="hook">
          <a class="link" href={whole.conf_link} target="_blank" rel="noreferrer">
            Join
          </a>
        </Line>
      )}
      {home && (
        <p class="panel-line">
          <span class="dot" style={{ '--cal': home.colour }} />
          <span>{home.name}</span>
        </p>
      )}
      {event.status !== 'confirmed' && <Line icon="ask">{capital(event.status)}</Line>}
      {event.task && <Line icon="check">Task, {event.task}</Line>}
      {whole?.description && <p class="description">{whole.description}</p>}
      {error && <p class="problem">{error.message}</p>}
      <section>
        <h2>Reminders</h2>
        {notifications.length === 0 && <p class="quiet">No notifications for this event.</p>}
        <ul class="reminder-list">
          {notifications.map((one) => (
            <NotificationItem
              key={one.id}
              notification={one}
              inOutbox={inOutbox.has(one.id)}
              {...{ user, calendar }}
            />
          ))}
        </ul>
        <p class="buttons">
          <ChangeButton
            class="tight"
            tool="update_event"
            disabled={!whole}
            onClick={() => setMode('reminders')}
          >
            <Icon name="plus" />
            Add
          </ChangeButton>
          {first && (
            <ChangeButton class="plain tight" tool="cancel_notification" disabled={busy} onClick={fewer}>
              Fewer like these
            </ChangeButton>
          )}
        </p>
      </section>
      <section class="buttons">
        {event.task ? (
          <TaskButton event={event} />
        ) : (
          <>
            <ChangeButton tool="update_event" disabled={!whole} onClick={() => setMode('edit')}>
              <Icon name="edit" />
              Edit
            </ChangeButton>
            <ChangeButton class="plain" tool="update_event" onClick={move}>
              Move…
            </ChangeButton>
          </>
        )}
        <ChangeButton class="plain danger" tool="delete_event" disabled={busy} onClick={remove}>
          Delete
        </ChangeButton>
      </section>
    </>
  );
}

const capital = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

/** Completes a task, in its calendar as well if that can be written. */
export function TaskButton({ event }: { event: CalendarEvent }) {
  const { client, act } = useActions();
  const task = event.task === 'done' ? 'open' : 'done';
  const { id: event_id, occurrence } = event;
  const set = (state: 'open' | 'done') =>
    client.tool('update_event', { event_id, task: state, ...(occurrence && { occurrence }) });
  const complete = () =>
    act(async () => {
      await set(task);
      const text = `${task === 'done' ? 'Done' : 'Open again'}: ${event.title}`;
      return { text, undo: () => set(event.task!) };
    });
  return (
    <ChangeButton tool="update_event" onClick={complete}>
      {task === 'done' ? 'Done' : 'Open again'}
    </ChangeButton>
  );
}

interface DeleteProps extends Pick<Props, 'user' | 'event' | 'done'> {
  back(): void;
}

/** Asks which dates are deleted. Only an event that is not on a calendar server can be brought back. */
function DeleteQuestion({ user, event, done, back }: DeleteProps) {
  const { client } = useConnection();
  const toast = useToast();
  const change = useConfirmedChange();
  const [scope, setScope] = useState<Scope>('one');
  const scoped = scopeArguments(event.occurrence, scope);
  const deletion = { event_id: event.id, ...scoped };
  const remove = async () => {
    const made = await change.run((confirm) => client.undoable('delete_event', { ...deletion, ...confirm }));
    if (made === undefined) return;
    const { undo } = made.result;
    toast({ text: `Deleted “${event.title}”${undo === undefined ? ' in its calendar' : ''}.`, undo });
    done();
  };
  return (
    <>
      {event.occurrence !== undefined && <ScopeChoice label="Delete" chosen={scope} choose={setScope} />}
      <Confirmation
        {...{ change, user }}
        notice={deletion}
        tool="delete_event"
        action="Delete event"
        verb="delete"
        danger
        keep="Keep"
        cancel={back}
        run={remove}
      />
    </>
  );
}

interface NotificationItemProps {
  readonly notification: Notification;
  /** Whether it was written to the outbox instead of being sent. */
  readonly inOutbox: boolean;
  readonly calendar: CalendarData;
  readonly user: User;
}

/** One notification with its reason, its text, and what can be done with it. */
function NotificationItem({ notification, calendar, inOutbox, user }: NotificationItemProps) {
  const { client, act } = useActions();
  const [shown, setShown] = useState(false);
  const { id, status, channel, sent_time, plan_time, reason, why, error, acknowledged_at, change } =
    notification;
  const named = { notification_id: id };
  const undoable = (tool: 'cancel_notification' | 'acknowledge_notification', text: string) =>
    act(async () => ({ text, undo: (await client.undoable(tool, named)).undo }));
  const snooze = () =>
    act(async () => {
      const { id: again } = await client.tool('snooze_notification', { ...named, minutes: 10 });
      const undo = client.undoBy('cancel_notification', { notification_id: again });
      return { text: 'The reminder comes again in 10 minutes.', undo };
    });
  const isOpen = (status === 'sent' || status === 'delivered') && acknowledged_at === undefined;
  const state = acknowledged_at ? 'acknowledged' : status;
  const time = sent_time ?? plan_time;
  return (
    <li class={`panel-line notification ${state}`}>
      <ChannelIcon {...{ calendar, channel, status: state }} />
      <span>
        <b>{shortTime(time, user.timezone ?? 'UTC', localeOf(user))}</b> by {channel},{' '}
        {state === 'planned' ? `in ${lengthText(Date.parse(time) - Date.now())}` : state}
      </span>
      <Menu label={`More about this reminder by ${channel}`}>
        <Button onClick={() => setShown(!shown)}>{shown ? 'Hide message' : 'Read message'}</Button>
        {isOpen && change === undefined && (
          <ChangeButton tool="snooze_notification" onClick={snooze}>
            Snooze 10 minutes
          </ChangeButton>
        )}
        {status === 'planned' && (
          <ChangeButton
            tool="cancel_notification"
            onClick={() => undoable('cancel_notification', 'Notification cancelled.')}
          >
            Cancel
          </ChangeButton>
        )}
      </Menu>
      {(why ?? reason) && <span class="quiet">{[reason, why].filter(Boolean).join(': ')}</span>}
      {inOutbox && (
        <span class="quiet">
          The message is in the outbox, because the server cannot send by {channel} yet.
        </span>
      )}
      {error && <span class="problem">{error}</span>}
      {isOpen && (
        <span class="buttons">
          <ChangeButton
            class="tight"
            tool="acknowledge_notification"
            onClick={() => undoable('acknowledge_notification', 'Notification acknowledged.')}
          >
            Acknowledge
          </ChangeButton>
        </span>
      )}
      {shown && <NotificationText id={id} />}
    </li>
  );
}

function NotificationText({ id }: { id: string }) {
  const { value, error } = useTool('preview_messages', { notification_id: id });
  return value ? <MessageText {...value.messages[0]!} /> : <Pending error={error} />;
}
