import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortMoment } from '../shared/zone-time.ts';
import type { CalendarEvent, Notification } from './calendar-data.ts';

interface Props {
  readonly event: CalendarEvent;
  readonly notifications: readonly Notification[];
  readonly zone: string;
}

/** One event and everything that was, is or will be told about it, with the reason. */
export function EventDetail({ event, notifications, zone }: Props) {
  return (
    <>
      <p class="quiet">{timesOf(event, zone)}</p>
      {event.location && <p class="quiet">{event.location}</p>}
      {event.status && event.status !== 'confirmed' && <span class="badge warning">{event.status}</span>}
      <h3>Notifications</h3>
      {notifications.length === 0 ? (
        <p>Nothing is planned for this event.</p>
      ) : (
        <ul class="notifications">
          {notifications.map((one) => (
            <NotificationItem key={one.id} notification={one} zone={zone} />
          ))}
        </ul>
      )}
    </>
  );
}

function timesOf({ start_ts, end_ts, all_day }: CalendarEvent, zone: string): string {
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone: zone,
    dateStyle: 'full',
    ...(!all_day && { timeStyle: 'short', hourCycle: 'h23' }),
  });
  // The end of a whole day is the beginning of the next one.
  const end = Date.parse(end_ts) - (all_day ? 1 : 0);
  return format.formatRange(Date.parse(start_ts), Math.max(end, Date.parse(start_ts)));
}

type Act = 'cancelNotification' | 'acknowledgeNotification';

const actions: Readonly<Record<string, readonly [tool: Act, title: string, done: string]>> = {
  planned: ['cancelNotification', 'Cancel', 'The notification is cancelled.'],
  sent: ['acknowledgeNotification', 'Acknowledge', 'The notification is acknowledged.'],
  delivered: ['acknowledgeNotification', 'Acknowledge', 'The notification is acknowledged.'],
};

function NotificationItem({ notification, zone }: { notification: Notification; zone: string }) {
  const { client } = useConnection();
  const toast = useToast();
  const { id, status, channel, sent_time, plan_time, subject, reason, error } = notification;
  const action = actions[status];
  const act = ([tool, , done]: NonNullable<typeof action>) =>
    client.tool(tool, { notification_id: id }).then(
      () => toast({ text: done }),
      (failed) => toast({ text: asError(failed).message }),
    );
  return (
    <li>
      <div class="marks">
        <span class={`badge ${status}`}>{status}</span> <strong>{channel}</strong>
        {shortMoment(sent_time ?? plan_time, zone)}
      </div>
      {subject && <div>{subject}</div>}
      {reason && <div class="quiet">Why: {reason}</div>}
      {error && <div class="problem">{error}</div>}
      {action && (
        <button type="button" class="small" onClick={() => act(action)}>
          {action[1]}
        </button>
      )}
    </li>
  );
}
