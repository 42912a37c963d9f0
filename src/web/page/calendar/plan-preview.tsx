import { useState } from 'preact/hooks';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { shortMoment } from '../shared/zone-time.ts';
import { farthest } from './calendar-data.ts';

interface Props {
  readonly userId: string;
  readonly zone: string;
  done(): void;
}

/** Plans without keeping it, shows the difference, and keeps it when told to. */
export function PlanPreview({ userId, zone, done }: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const { value, error } = useLoaded(
    async (with_, signal) => {
      const [plan, { events }] = await Promise.all([
        with_.tool('planNotifications', { user_id: userId, dry_run: true }, { signal }),
        with_.tool('listEvents', { user_id: userId, days_forward: farthest.forward }, { signal }),
      ]);
      return { plan, titles: new Map(events.map(({ id, title }) => [id, title])) };
    },
    [userId],
  );
  const keep = async () => {
    setBusy(true);
    try {
      const kept = await client.tool('planNotifications', { user_id: userId });
      toast({
        text: `The plan is kept: ${kept.notifications_planned} new for ${kept.events_processed} events.`,
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
  const same = plan.changes.length - changes.length;
  return (
    <div class="plan">
      <p>
        {changes.length > 0 ? 'This would change:' : 'Nothing would change.'}
        {same > 0 && <span class="quiet"> {same} stay as they are.</span>}
      </p>
      <ul>
        {changes.map((step, index) => (
          <li key={index}>
            <span class={`badge step-${step.action}`}>{step.action}</span>
            <div>
              <strong>{titles.get(step.event_id) ?? 'An event'}</strong>
              <div>
                {step.channel}, {step.previous_time && `${shortMoment(step.previous_time, zone)} → `}
                {shortMoment(step.plan_time, zone)}
              </div>
              <div class="quiet">Why: {step.reason}</div>
            </div>
          </li>
        ))}
        {plan.dropped?.map(({ event_id, channel, reason }, index) => (
          <li key={`dropped ${index}`}>
            <span class="badge warning">left out</span>
            <div>
              <strong>{titles.get(event_id) ?? 'An event'}</strong> {channel}
              <div class="quiet">Why: {reason}</div>
            </div>
          </li>
        ))}
        {plan.errors?.map(({ event_id, error: trouble }) => (
          <li key={event_id} class="problem">
            {titles.get(event_id) ?? 'An event'}: {trouble}
          </li>
        ))}
      </ul>
      {plan.policies.map(({ policy, reason }) => (
        <p key={`${policy} ${reason}`} class="quiet">
          Decided by {policy}: {reason}
        </p>
      ))}
      <p class="buttons">
        {changes.length > 0 && (
          <button type="button" class="primary" disabled={busy} onClick={keep}>
            {busy ? 'Keeping it…' : 'Keep this plan'}
          </button>
        )}
        <button type="button" onClick={done}>
          {changes.length > 0 ? 'Not now' : 'Close'}
        </button>
      </p>
    </div>
  );
}
