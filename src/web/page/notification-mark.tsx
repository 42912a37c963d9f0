import type { Notification } from './diary.ts';
import { clock, wallTime } from './zone-time.ts';

const signs: Readonly<Record<string, string>> = { email: '✉', call: '☎', webhook: '⇢', ntfy: '♪' };

const states: Readonly<Record<string, string>> = {
  sent: '✓',
  delivered: '✓',
  acknowledged: '✓✓',
  failed: '✗',
};

/** One notification in a few characters; its state is told by a sign, by colour and by name. */
export function NotificationMark({ notification, zone }: { notification: Notification; zone: string }) {
  const { channel, status, plan_time } = notification;
  return (
    <span class={`mark ${status}`} title={`${channel}, ${status}`}>
      {states[status]}
      {signs[channel] ?? '•'} {clock(wallTime(plan_time, zone).minutes)}
      <span class="hidden">
        {' '}
        {channel} {status}
      </span>
    </span>
  );
}
