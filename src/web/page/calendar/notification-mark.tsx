import type { Notification } from '../events/calendar-data.ts';
import { clock, dayTitle, wallTime } from '../shared/zone-time.ts';

const statusIcons: Readonly<Record<string, string>> = {
  sent: '✓',
  delivered: '✓',
  acknowledged: '✓✓',
  failed: '✗',
};

interface Props {
  readonly notification: Notification;
  /** Of its channel. */
  readonly icon: string | undefined;
  /** The day of the event. If the notification is due on another day, its weekday is shown. */
  readonly day: string;
  readonly zone: string;
  readonly locale: string;
}

/** A compact label for one notification. An icon, a colour and a hidden text show its status. */
export function NotificationMark({ notification, icon = '•', day, zone, locale }: Props) {
  const { channel, status, plan_time } = notification;
  const planned = wallTime(plan_time, zone);
  return (
    <span class={`mark ${status}`} title={`${channel}, ${status}`}>
      {statusIcons[status]}
      {icon} {planned.day !== day && `${dayTitle(planned.day, 'weekday')} `}
      {clock(planned.minutes, locale)}
      <span class="hidden">
        {' '}
        {channel} {status}
      </span>
    </span>
  );
}
