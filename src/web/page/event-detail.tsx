import type { CalendarEvent, Notification } from './diary.ts';
import { asError, useConnection } from './server-connection.tsx';
import { useToast } from './toast.tsx';

interface Props {
  readonly event: CalendarEvent;
  readonly notifications: readonly Notification[];
  readonly zone: string;
  close(): void;
}

/** One event and everything that was, is or will be told about it, with the reason. */
export function EventDetail({ event, notifications, zone, close }: Props) {
  const { client, touch } = useConnection();
  const toast = useToast();
  const time = (iso: string) =>
    new Date(iso).toLocaleString(undefined, { timeZone: zone, dateStyle: 'medium', timeStyle: 'short' });
  const act = (tool: string, id: string, done: string) =>
    client.tool(tool, { notification_id: id }).then(
      () => {
        touch('resources');
        toast({ text: done });
      },
      (error) => toast({ text: asError(error).message }),
    );
  return (
    <aside class="event-detail" aria-label="Event">
      <button type="button" class="plain close" onClick={close} aria-label="Close">
        ✕
      </button>
      <h2>{event.title}</h2>
      <p class="quiet">
        {time(event.start_ts)} – {time(event.end_ts)}
        {event.location && `, ${event.location}`}
        {event.status && event.status !== 'confirmed' && <span class="badge warning">{event.status}</span>}
      </p>
      {notifications.length === 0 ? (
        <p>Nothing is planned for this event.</p>
      ) : (
        <ul class="notifications">
          {notifications.map((one) => (
            <li key={one.id}>
              <span class={`mark ${one.status}`}>{one.status}</span> <strong>{one.channel}</strong>{' '}
              {time(one.sent_time ?? one.plan_time)}
              {one.subject && <div>{one.subject}</div>}
              {one.reason && <div class="quiet">Why: {one.reason}</div>}
              {one.error && <div class="problem">{one.error}</div>}
              {one.status === 'planned' && (
                <button
                  type="button"
                  class="small"
                  onClick={() => act('cancelNotification', one.id, 'Cancelled.')}
                >
                  Cancel
                </button>
              )}
              {(one.status === 'sent' || one.status === 'delivered') && (
                <button
                  type="button"
                  class="small"
                  onClick={() => act('acknowledgeNotification', one.id, 'Acknowledged.')}
                >
                  Acknowledge
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </aside>
  );
}
