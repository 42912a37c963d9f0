import { type CalendarData, localeOf, type Notification, type User } from '../events/calendar-data.ts';
import { clock, dayTitle, wallTime } from '../shared/zone-time.ts';

const statusIcons: Readonly<Record<string, string>> = {
  sent: '✓',
  delivered: '✓',
  acknowledged: '✓✓',
  failed: '✗',
};

interface Props {
  readonly notification: Notification;
  readonly calendar: CalendarData;
  /** The day of the event. If the notification is due on another day, its weekday is shown. */
  readonly day: string;
  readonly user: User;
}

/** A compact label for one notification. An icon, a colour and a hidden text show its status. */
export function NotificationMark({ notification, calendar, day, user }: Props) {
  const { channel, status, plan_time } = notification;
  const planned = wallTime(plan_time, user.timezone ?? 'UTC');
  return (
    <span class={`mark ${status}`} title={`${channel}, ${status}`}>
      {statusIcons[status]}
      {calendar.icons.get(channel) ?? '•'} {planned.day !== day && `${dayTitle(planned.day, 'weekday')} `}
      {clock(planned.minutes, localeOf(user))}
      <span class="hidden">
        {' '}
        {channel} {status}
      </span>
    </span>
  );
}
