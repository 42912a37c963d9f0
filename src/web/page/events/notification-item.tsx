import { useState } from 'preact/hooks';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';
import type { Notification } from './calendar-data.ts';
import { MessageText } from './notice-preview.tsx';

interface Props {
  readonly notification: Notification;
  /** Whether it was written to the outbox instead of being sent. */
  readonly inOutbox: boolean;
  readonly zone: string;
  readonly locale: string;
}

/** One notification with its reason, its text, and what can be done with it. */
export function NotificationItem({ notification, inOutbox, zone, locale }: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const [shown, setShown] = useState(false);
  const { id, status, channel, sent_time, plan_time, subject, reason, why, error, acknowledged_at, change } =
    notification;
  const named = { notification_id: id };
  const act = <Result,>(
    request: Promise<Result>,
    text: string,
    undo?: (result: Result) => Promise<unknown>,
  ) =>
    request.then(
      (result) => toast({ text, ...(undo && { action: { label: 'Undo', run: () => undo(result) } }) }),
      (failed) => toast({ text: asError(failed).message }),
    );
  const cancel = (text: string, fields: { less_like_this?: boolean } = {}) =>
    act(client.undoable('cancel_notification', { ...named, ...fields }), text, async ({ undo }) => undo?.());
  const isOpen = (status === 'sent' || status === 'delivered') && acknowledged_at === undefined;
  const button = (title: string, run: () => unknown) => (
    <ChangeButton type="button" class="small" onClick={run}>
      {title}
    </ChangeButton>
  );
  return (
    <li>
      <div class="marks">
        <span class={`badge ${status}`}>{acknowledged_at ? 'acknowledged' : status}</span>{' '}
        <strong>{channel}</strong>
        {shortTime(sent_time ?? plan_time, zone, locale)}
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
        <button type="button" class="small" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide message' : 'Read message'}
        </button>
        {isOpen &&
          button('Acknowledge', () =>
            act(
              client.undoable('acknowledge_notification', named),
              'Notification acknowledged.',
              async ({ undo }) => undo?.(),
            ),
          )}
        {isOpen &&
          change === undefined &&
          button('Snooze 10 minutes', () =>
            act(
              client.tool('snooze_notification', { ...named, minutes: 10 }),
              'The reminder comes again in 10 minutes.',
              ({ id: notification_id }) => client.tool('cancel_notification', { notification_id }),
            ),
          )}
        {status === 'planned' && button('Cancel', () => cancel('Notification cancelled.'))}
        {change === undefined &&
          status !== 'cancelled' &&
          button('Less like this', () =>
            cancel(
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
  const { value, error } = useLoaded(
    (client, signal) => client.tool('preview_messages', { notification_id: id }, { signal }),
    [id],
  );
  if (error) return <p class="problem">{error.message}</p>;
  return value ? <MessageText {...value.messages[0]!} /> : <p class="quiet">Loading…</p>;
}
