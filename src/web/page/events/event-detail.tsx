import { useState } from 'preact/hooks';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { type CalendarEvent, localeOf, type Notification, type User } from './calendar-data.ts';
import { ChangeOutcome, useConfirmedChange } from './confirmed-change.tsx';
import { EventForm } from './event-form.tsx';
import { formatTimes, timesOf } from './event-times.ts';
import { NoticePreview } from './notice-preview.tsx';
import { NotificationItem } from './notification-item.tsx';
import { type Scope, ScopeChoice, scopeArguments } from './scope-choice.tsx';

interface Props {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly notifications: readonly Notification[];
  done(): void;
}

/** One event with its notifications and the reason for each. It can be changed and deleted. */
export function EventDetail({ user, event, notifications, done }: Props) {
  const [mode, setMode] = useState<'view' | 'edit' | 'delete'>('view');
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const times = timesOf(event, zone);
  const { value: whole, error } = useLoaded(
    (client, signal) => client.tool('get_event', { event_id: event.id }, { signal }),
    [event.id, event.start_ts, event.title],
  );
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
      <p class="quiet">{formatTimes(times, locale)}</p>
      {event.location && <p class="quiet">{event.location}</p>}
      {whole?.conf_link && (
        <p>
          <a href={whole.conf_link} target="_blank" rel="noreferrer">
            Join
          </a>
        </p>
      )}
      {whole?.attendees && <p class="quiet">With {whole.attendees.join(', ')}</p>}
      {whole?.description && <p class="description">{whole.description}</p>}
      {event.status !== 'confirmed' && <span class="badge warning">{event.status}</span>}
      {event.task && <span class="badge">Task, {event.task}</span>}
      {error && <p class="problem">{error.message}</p>}
      <p class="buttons">
        {event.task && <TaskButton event={event} />}
        {!event.task && (
          <ChangeButton type="button" disabled={!whole} onClick={() => setMode('edit')}>
            Edit
          </ChangeButton>
        )}
        <ChangeButton type="button" class="danger" onClick={() => setMode('delete')}>
          Delete
        </ChangeButton>
      </p>
      <h3>Notifications</h3>
      {notifications.length === 0 ? (
        <p>No notifications for this event.</p>
      ) : (
        <ul class="notifications">
          {notifications.map((one) => (
            <NotificationItem
              key={one.id}
              notification={one}
              inOutbox={inOutbox.has(one.id)}
              {...{ zone, locale }}
            />
          ))}
        </ul>
      )}
    </>
  );
}

/** Completes a task, in its calendar as well if that can be written. */
export function TaskButton({ event }: { event: CalendarEvent }) {
  const { client } = useConnection();
  const toast = useToast();
  const task = event.task === 'done' ? 'open' : 'done';
  const { id: event_id, occurrence } = event;
  const set = (state: 'open' | 'done') =>
    client.tool('update_event', { event_id, task: state, ...(occurrence && { occurrence }) });
  const complete = () =>
    set(task).then(
      () =>
        toast({
          text: task === 'done' ? `Done: ${event.title}` : `Open again: ${event.title}`,
          action: { label: 'Undo', run: () => set(event.task!) },
        }),
      (failed) => toast({ text: asError(failed).message }),
    );
  return (
    <ChangeButton type="button" onClick={complete}>
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
    toast(
      undo === undefined
        ? { text: `Deleted “${event.title}” in its calendar.` }
        : { text: `Deleted “${event.title}”.`, action: { label: 'Undo', run: undo } },
    );
    done();
  };
  return (
    <>
      {event.occurrence !== undefined && <ScopeChoice label="Delete" chosen={scope} choose={setScope} />}
      <NoticePreview
        name={user.name}
        zone={user.timezone ?? 'UTC'}
        locale={localeOf(user)}
        change={deletion}
      />
      <ChangeOutcome change={change} />
      <p class="buttons">
        <ChangeButton type="button" class="danger" disabled={change.busy} onClick={remove}>
          {change.question ? 'Send and delete' : 'Delete event'}
        </ChangeButton>
        <button type="button" onClick={back}>
          Keep
        </button>
      </p>
    </>
  );
}
