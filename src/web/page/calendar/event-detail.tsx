import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';
import type { CalendarEvent, Notification } from './calendar-data.ts';

interface Props {
  readonly event: CalendarEvent;
  readonly notifications: readonly Notification[];
  readonly zone: string;
  readonly locale: string;
}

/** One event with its past and planned notifications and the reason for each. */
export function EventDetail({ event, notifications, zone, locale }: Props) {
  return (
    <>
      <p class="quiet">{formatTimes(event, zone, locale)}</p>
      {event.location && <p class="quiet">{event.location}</p>}
      {event.status && event.status !== 'confirmed' && <span class="badge warning">{event.status}</span>}
      <h3>Notifications</h3>
      {notifications.length === 0 ? (
        <p>No notifications for this event.</p>
      ) : (
        <ul class="notifications">
          {notifications.map((one) => (
            <NotificationItem key={one.id} notification={one} zone={zone} locale={locale} />
          ))}
        </ul>
      )}
    </>
  );
}

function formatTimes({ start_ts, end_ts, all_day }: CalendarEvent, zone: string, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: zone,
    dateStyle: 'full',
    ...(!all_day && { timeStyle: 'short' }),
  });
  // An all-day event ends at the start of the following day.
  const end = Date.parse(end_ts) - (all_day ? 1 : 0);
  return format.formatRange(Date.parse(start_ts), Math.max(end, Date.parse(start_ts)));
}

type ActionTool = 'cancel_notification' | 'acknowledge_notification';

const actions: Readonly<Record<string, readonly [tool: ActionTool, title: string, done: string]>> = {
  planned: ['cancel_notification', 'Cancel', 'Notification cancelled.'],
  sent: ['acknowledge_notification', 'Acknowledge', 'Notification acknowledged.'],
  delivered: ['acknowledge_notification', 'Acknowledge', 'Notification acknowledged.'],
};

interface ItemProps extends Pick<Props, 'zone' | 'locale'> {
  readonly notification: Notification;
}

function NotificationItem({ notification, zone, locale }: ItemProps) {
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
        {shortTime(sent_time ?? plan_time, zone, locale)}
      </div>
      {subject && <div>{subject}</div>}
      {reason && <div class="quiet">Why: {reason}</div>}
      {error && <div class="problem">{error}</div>}
      {action && (
        <ChangeButton type="button" class="small" onClick={() => act(action)}>
          {action[1]}
        </ChangeButton>
      )}
    </li>
  );
}
