import { useState } from 'preact/hooks';
import type { ToolName } from '../../../api.ts';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useAddressed } from '../shared/route.ts';
import { Pending, useConnection, useLoaded, useTool } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { type CalendarEvent, localeOf, type Notification, type User } from './calendar-data.ts';
import {
  Confirmation,
  MessageText,
  questionOf,
  type Scope,
  ScopeChoice,
  scopeArguments,
  useConfirmedChange,
} from './event-change.tsx';
import { EventForm } from './event-form.tsx';
import { formatTimes, timesOf } from './event-times.ts';

interface Props {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly notifications: readonly Notification[];
  done(): void;
}

/** One event with its notifications and the reason for each. It can be changed and deleted. */
export function EventDetail({ user, event, notifications, done }: Props) {
  const [mode, setMode] = useAddressed<'view' | 'edit' | 'delete'>('do', 'view');
  const { client, busy, act } = useActions();
  const times = timesOf(event, user.timezone ?? 'UTC');
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
  if (mode === 'edit' && whole)
    return (
      <EventForm
        {...{ user, times, done }}
        event={{ ...whole, title: event.title, ...(event.location && { location: event.location }) }}
        occurrence={event.occurrence}
      />
    );
  if (mode === 'delete') return <DeleteQuestion {...{ user, event, done }} back={() => setMode('view')} />;
  return (
    <>
      <ul class="event-facts">
        <li>
          <Icon name="clock" />
          {formatTimes(times, localeOf(user))}
        </li>
        {event.location && (
          <li>
            <Icon name="pin" />
            {event.location}
          </li>
        )}
        {whole?.attendees && (
          <li>
            <Icon name="people" />
            With {whole.attendees.join(', ')}
          </li>
        )}
        {whole?.conf_link && (
          <li>
            <Icon name="hook" />
            <a href={whole.conf_link} target="_blank" rel="noreferrer">
              Join
            </a>
          </li>
        )}
      </ul>
      {whole?.description && <p class="description">{whole.description}</p>}
      {event.status !== 'confirmed' && <span class="badge warning">{event.status}</span>}
      {event.task && <span class="badge">Task, {event.task}</span>}
      {error && <p class="problem">{error.message}</p>}
      <p class="buttons">
        {event.task && <TaskButton event={event} />}
        {!event.task && (
          <ChangeButton tool="update_event" disabled={!whole} onClick={() => setMode('edit')}>
            Edit
          </ChangeButton>
        )}
        <ChangeButton class="danger" tool="delete_event" disabled={busy} onClick={remove}>
          Delete
        </ChangeButton>
      </p>
      <h3>Notifications</h3>
      {notifications.length === 0 ? (
        <p>No notifications for this event.</p>
      ) : (
        <ul class="notifications">
          {notifications.map((one) => (
            <NotificationItem key={one.id} notification={one} inOutbox={inOutbox.has(one.id)} user={user} />
          ))}
        </ul>
      )}
    </>
  );
}

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
  readonly user: User;
}

/** One notification with its reason, its text, and what can be done with it. */
function NotificationItem({ notification, inOutbox, user }: NotificationItemProps) {
  const { client, act } = useActions();
  const [shown, setShown] = useState(false);
  const { id, status, channel, sent_time, plan_time, subject, reason, why, error, acknowledged_at, change } =
    notification;
  const named = { notification_id: id };
  const undoable = (
    tool: 'cancel_notification' | 'acknowledge_notification',
    text: string,
    fields: { less_like_this?: boolean } = {},
  ) => act(async () => ({ text, undo: (await client.undoable(tool, { ...named, ...fields })).undo }));
  const snooze = () =>
    act(async () => {
      const { id: again } = await client.tool('snooze_notification', { ...named, minutes: 10 });
      const undo = client.undoBy('cancel_notification', { notification_id: again });
      return { text: 'The reminder comes again in 10 minutes.', undo };
    });
  const isOpen = (status === 'sent' || status === 'delivered') && acknowledged_at === undefined;
  const button = (title: string, tool: ToolName, run: () => unknown) => (
    <ChangeButton class="small" tool={tool} onClick={run}>
      {title}
    </ChangeButton>
  );
  return (
    <li>
      <div class="marks">
        <span class={`badge ${status}`}>{acknowledged_at ? 'acknowledged' : status}</span>{' '}
        <strong>{channel}</strong>
        {shortTime(sent_time ?? plan_time, user.timezone ?? 'UTC', localeOf(user))}
      </div>
      {subject && <div>{subject}</div>}
      {(why ?? reason) && <div class="quiet">Why: {[reason, why].filter(Boolean).join('; ')}</div>}
      {inOutbox && (
        <div class="quiet">
          The message is in the outbox, because the server cannot send by {channel} yet.
        </div>
      )}
      {error && <div class="problem">{error}</div>}
      <div class="buttons">
        <Button class="small" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide message' : 'Read message'}
        </Button>
        {isOpen &&
          button('Acknowledge', 'acknowledge_notification', () =>
            undoable('acknowledge_notification', 'Notification acknowledged.'),
          )}
        {isOpen && change === undefined && button('Snooze 10 minutes', 'snooze_notification', snooze)}
        {status === 'planned' &&
          button('Cancel', 'cancel_notification', () =>
            undoable('cancel_notification', 'Notification cancelled.'),
          )}
        {change === undefined &&
          status !== 'cancelled' &&
          button('Less like this', 'cancel_notification', () =>
            undoable(
              'cancel_notification',
              'There will be fewer reminders of events with this title. The rule is in the settings of the person.',
              { less_like_this: true },
            ),
          )}
      </div>
      {shown && <NotificationText id={id} />}
    </li>
  );
}

function NotificationText({ id }: { id: string }) {
  const { value, error } = useTool('preview_messages', { notification_id: id });
  return value ? <MessageText {...value.messages[0]!} /> : <Pending error={error} />;
}
