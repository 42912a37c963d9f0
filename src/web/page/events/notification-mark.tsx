import { Icon, type IconName } from '../controls/icon.tsx';
import { clock, dayTitle, wallTime } from '../shared/zone-time.ts';
import { type CalendarData, localeOf, type Notification, type User } from './calendar-data.ts';

/** The signs of channels that have a drawing. Others are shown as they are. */
const drawings: Readonly<Record<string, IconName>> = {
  ...{ '✉': 'mail', '✈': 'plane', '⇢': 'hook', '♪': 'push', '⌁': 'push', '▭': 'push', '✆': 'push' },
};
/** What became of a notification, instead of its channel. */
const results: Readonly<Record<string, IconName>> = {
  ...{ sent: 'check', delivered: 'check', acknowledged: 'done', failed: 'failed' },
};

interface Props {
  readonly notification: Notification;
  readonly calendar: CalendarData;
  /** The day of the event. If the notification is due on another day, its weekday is shown. */
  readonly day: string;
  readonly user: User;
  /** True where there is no room for the time of another day. */
  readonly isShort?: boolean;
}

/** A compact label for one notification: an icon, its time, and a hidden text with its channel and status. */
export function NotificationMark({ notification, calendar, day, user, isShort = false }: Props) {
  const { channel, status, plan_time } = notification;
  const planned = wallTime(plan_time, user.timezone ?? 'UTC');
  return (
    <span class={`mark ${status}`} title={`${channel}, ${status}`}>
      <ChannelIcon {...{ calendar, channel, status }} />
      {planned.day !== day && !isShort && `${dayTitle(planned.day, 'weekday')} `}
      {(planned.day === day || !isShort) && clock(planned.minutes, localeOf(user))}
      <span class="hidden">
        {' '}
        {channel} {status}
      </span>
    </span>
  );
}

interface IconProps {
  readonly calendar: CalendarData;
  readonly channel: string;
  readonly status: string;
}

export function ChannelIcon({ calendar, channel, status }: IconProps) {
  const sign = calendar.icons.get(channel) ?? channel;
  const name = results[status] ?? drawings[sign] ?? (sign === channel ? 'bell' : undefined);
  return name === undefined ? <span aria-hidden="true">{sign}</span> : <Icon name={name} />;
}
