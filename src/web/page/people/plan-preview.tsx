import { useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { maxSpan } from '../events/calendar-data.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortTime } from '../shared/zone-time.ts';

interface Props {
  readonly userId: string;
  readonly zone: string;
  readonly locale: string;
  done(): void;
}

/** Shows what a new plan would change and applies it on request. */
export function PlanPreview({ userId, zone, locale, done }: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const { value, error } = useLoaded(
    async (mcp, signal) => {
      const [plan, { events }] = await Promise.all([
        mcp.tool('plan_notifications', { user_id: userId, dry_run: true, full: true }, { signal }),
        mcp.tool('list_events', { user_id: userId, days_forward: maxSpan.forward, ...wholeList }, { signal }),
      ]);
      return { plan, titles: new Map(events.map(({ id, title }) => [id, title])) };
    },
    [userId],
  );
  const apply = async () => {
    setBusy(true);
    try {
      const { answer, undo } = await client.undoable('plan_notifications', { user_id: userId, full: true });
      toast({
        text: `Plan applied. New notifications: ${answer.notifications_planned}.`,
        ...(undo && { action: { label: 'Undo', run: undo } }),
      });
      done();
    } catch (failed) {
      toast({ text: asError(failed).message });
      setBusy(false);
    }
  };
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Planning…</p>;
  const { plan, titles } = value;
  const changes = plan.changes.filter(({ action }) => action !== 'keep');
  const unchanged = plan.changes.length - changes.length;
  return (
    <div class="plan">
      <p>
        {changes.length > 0 ? 'Applying this plan makes these changes:' : 'The plan is up to date.'}
        {unchanged > 0 && <span class="quiet"> Unchanged notifications: {unchanged}.</span>}
      </p>
      <ul>
        {changes.map((step, index) => (
          <li key={index}>
            <span class={`badge step-${step.action}`}>{step.action}</span>
            <div>
              <strong>{titles.get(step.event_id) ?? 'Unknown event'}</strong>
              <div>
                {step.channel}, {step.previous_time && `${shortTime(step.previous_time, zone, locale)} → `}
                {shortTime(step.plan_time, zone, locale)}
              </div>
              <div class="quiet">Why: {step.reason}</div>
            </div>
          </li>
        ))}
        {plan.dropped?.map(({ event_id, channel, reason }, index) => (
          <li key={`dropped ${index}`}>
            <span class="badge warning">skipped</span>
            <div>
              <strong>{titles.get(event_id) ?? 'Unknown event'}</strong> {channel}
              <div class="quiet">Why: {reason}</div>
            </div>
          </li>
        ))}
        {plan.errors?.map(({ event_id, error: message }) => (
          <li key={event_id} class="problem">
            {titles.get(event_id) ?? 'Unknown event'}: {message}
          </li>
        ))}
      </ul>
      {plan.policies.map(({ policy, reason }) => (
        <p key={`${policy} ${reason}`} class="quiet">
          Planned by {policy}: {reason}
        </p>
      ))}
      <p class="buttons">
        {changes.length > 0 && (
          <ChangeButton type="button" class="primary" disabled={busy} onClick={apply}>
            {busy ? 'Applying…' : 'Apply plan'}
          </ChangeButton>
        )}
        <button type="button" onClick={done}>
          {changes.length > 0 ? 'Cancel' : 'Close'}
        </button>
      </p>
    </div>
  );
}
