import { useState } from 'preact/hooks';
import { asError, useConnection } from './server-connection.tsx';
import { useToast } from './toast.tsx';

interface Step {
  readonly action: string;
  readonly title?: string;
  readonly event_id?: string;
  readonly channel?: string;
  readonly plan_time?: string;
  readonly reason?: string;
}

interface Planned {
  readonly notifications_planned: number;
  readonly events_processed: number;
  readonly policies?: readonly { readonly policy: string; readonly reason: string }[];
  readonly changes?: readonly Step[];
}

/** Plans without keeping it, shows the difference, and keeps it when told to. */
export function PlanPreview({ userId }: { userId: string }) {
  const { client, touch } = useConnection();
  const toast = useToast();
  const [plan, setPlan] = useState<Planned | undefined>();
  const [busy, setBusy] = useState(false);
  const run = async (dryRun: boolean) => {
    setBusy(true);
    try {
      const result = await client.tool<Planned>('planNotifications', { user_id: userId, dry_run: dryRun });
      setPlan(dryRun ? result : undefined);
      if (!dryRun) touch('resources');
      if (!dryRun)
        toast({ text: `Planned ${result.notifications_planned} for ${result.events_processed} events.` });
    } catch (error) {
      toast({ text: asError(error).message });
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" disabled={busy} onClick={() => run(true)}>
        {busy ? 'Planning…' : 'Plan notifications'}
      </button>
      {plan && (
        <section class="plan" aria-label="Plan">
          <p>
            {plan.changes?.length ? 'This would change:' : 'Nothing would change.'}{' '}
            {plan.policies?.map(({ policy, reason }) => (
              <span key={policy} class="quiet">
                Decided by {policy}: {reason}{' '}
              </span>
            ))}
          </p>
          <ul>
            {plan.changes?.map((step, index) => (
              <li key={index}>
                <span class={`badge step-${step.action}`}>{step.action}</span> {step.channel}{' '}
                {step.plan_time && new Date(step.plan_time).toLocaleString()} {step.title}{' '}
                <span class="quiet">{step.reason}</span>
              </li>
            ))}
          </ul>
          <button type="button" class="primary" disabled={busy} onClick={() => run(false)}>
            Keep this plan
          </button>{' '}
          <button type="button" onClick={() => setPlan(undefined)}>
            Not now
          </button>
        </section>
      )}
    </>
  );
}
