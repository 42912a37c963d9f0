import { clock, dayTitle, wallTime } from '../shared/zone-time.ts';
import type { Notification } from './calendar-data.ts';

const signs: Readonly<Record<string, string>> = { email: '✉', call: '☎', webhook: '⇢', ntfy: '♪' };

const states: Readonly<Record<string, string>> = {
  sent: '✓',
  delivered: '✓',
  acknowledged: '✓✓',
  failed: '✗',
};

interface Props {
  readonly notification: Notification;
  /** The day it is shown on; of another one the name is told. */
  readonly day: string;
  readonly zone: string;
}

/** One notification in a few characters; its state is told by a sign, by colour and by name. */
export function NotificationMark({ notification, day, zone }: Props) {
  const { channel, status, plan_time } = notification;
  const planned = wallTime(plan_time, zone);
  return (
    <span class={`mark ${status}`} title={`${channel}, ${status}`}>
      {states[status]}
      {signs[channel] ?? '•'} {planned.day !== day && `${dayTitle(planned.day, 'weekday')} `}
      {clock(planned.minutes)}
      <span class="hidden">
        {' '}
        {channel} {status}
      </span>
    </span>
  );
}
