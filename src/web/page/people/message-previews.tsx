import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { Button, DateField, SelectField } from '../controls/fields.tsx';
import { localeOf, maxSpan, type User } from '../events/calendar-data.ts';
import { MessageText } from '../events/event-change.tsx';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { useAddressed } from '../shared/route.ts';
import { Pending, useConnection, useLoaded, useTool } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { LeadFields, leadKinds, leadsOf, writtenLeads } from './lead-fields.tsx';

/** Shows what a new plan would change and applies it on request. */
export function PlanPreview({ user, close: done }: { user: User; close(): void }) {
  const { client, busy, act } = useActions();
  const user_id = user.id;
  const time = (at: string) => shortTime(at, user.timezone ?? 'UTC', localeOf(user));
  const { value, error } = useLoaded(
    async (mcp, signal) => {
      const [plan, { events }] = await Promise.all([
        mcp.tool('plan_notifications', { user_id, dry_run: true, full: true }, { signal }),
        mcp.tool('list_events', { user_id, days_forward: maxSpan.forward, ...wholeList }, { signal }),
      ]);
      return { plan, titles: new Map(events.map(({ id, title }) => [id, title])) };
    },
    [user_id],
  );
  const apply = () =>
    act(async () => {
      const { answer, undo } = await client.undoable('plan_notifications', { user_id, full: true });
      done();
      return { text: `Plan applied. New notifications: ${answer.notifications_planned}.`, undo };
    });
  if (!value || error) return <Pending error={error} />;
  const { plan, titles } = value;
  const changes = plan.changes.filter(({ action }) => action !== 'keep');
  const unchanged = plan.changes.length - changes.length;
  return (
    <div class="plan">
      <p>
        {changes.length > 0 ? 'Applying this plan makes these changes:' : 'The plan is up to date.'}
        {unchanged > 0 && <span class="quiet"> Unchanged notifications: {unchanged}.</span>}
      </p>
      <ul class="plain-list">
        {[...changes, ...(plan.dropped ?? []).map((one) => ({ ...one, action: 'skipped' as const }))].map(
          (step, index) => (
            <li key={index}>
              <span class={`badge step-${step.action}`}>{step.action}</span>
              <div>
                <strong>{titles.get(step.event_id) ?? 'Unknown event'}</strong>
                <div>
                  {step.channel}
                  {'plan_time' in step &&
                    `, ${[step.previous_time, step.plan_time].flatMap((at) => (at ? [time(at)] : [])).join(' → ')}`}
                </div>
                <div class="quiet">Why: {step.reason}</div>
              </div>
            </li>
          ),
        )}
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
          <ChangeButton class="primary" tool="plan_notifications" disabled={busy} onClick={apply}>
            {busy ? 'Applying…' : 'Apply plan'}
          </ChangeButton>
        )}
        <Button onClick={done}>{changes.length > 0 ? 'Cancel' : 'Close'}</Button>
      </p>
    </div>
  );
}

/** The daily agenda as the person would get it. */
export function AgendaPreview({ user, today, updates }: { user: User; today: string; updates: number }) {
  const [day, setDay] = useAddressed<string>('day', today);
  const { value, error } = useTool('preview_messages', { user_id: user.id, day }, updates);
  const [at] = (user.reminders as Record<string, readonly string[]> | undefined)?.['digest'] ?? [];
  return (
    <>
      <p class="quiet">
        {at === undefined
          ? `${user.name} gets no daily agenda. Set its time in the settings of the person.`
          : `${user.name} gets this message every day at ${at}.`}
      </p>
      <DateField label="Day" value={day} change={setDay} />
      {error && <p class="problem">{error.message}</p>}
      {value?.messages.map((message) => (
        <MessageText key={message.subject} {...message} />
      ))}
      {value?.none_because && <p>{value.none_because}</p>}
    </>
  );
}

type Result = ToolAnswer<'replay_notifications'>;

const pastDays = { 7: '7 days', 30: '30 days', 90: '90 days', 365: '365 days' } as const;
const outcomes = { both: 'as before', 'only before': 'no longer', 'only now': 'new' } as const;
const badges = { both: '', 'only before': 'failed', 'only now': 'planned' } as const;

/** Shows which reminders a person would have had in the past days with other settings. */
export function Replay({ user }: { user: User }) {
  const { client } = useConnection();
  const draft = useDraft('replay', user.id, () => ({
    days: '30' as `${keyof typeof pastDays}`,
    leads: leadsOf(user),
  }));
  const { days, leads } = draft.fields;
  const [result, setResult] = useState<Result | undefined>();
  const [zone, locale] = [user.timezone ?? 'UTC', localeOf(user)];
  const replay = async () => {
    const { digest: _, ...reminders } = writtenLeads(leads);
    setResult(await client.tool('replay_notifications', { user_id: user.id, days: Number(days), reminders }));
  };
  return (
    <>
      <p class="quiet">
        Which reminders {user.name} would have had with other settings, next to those that were sent. Nothing
        is changed.
      </p>
      <ActionForm
        tool="replay_notifications"
        action="Replay"
        doing="Replaying…"
        reads
        draft={draft}
        submit={replay}
      >
        <SelectField label="Past days" options={pastDays} {...draft.field('days')} />
        <fieldset>
          <legend>When to remind</legend>
          <div class="lead-grid">
            <LeadFields
              kinds={leadKinds.filter(({ kind }) => kind !== 'digest')}
              leads={leads}
              change={(next) => draft.set({ leads: next })}
            />
          </div>
        </fieldset>
      </ActionForm>
      {result && (
        <>
          <p role="status">
            Sent: {result.before}. With these settings: {result.now}.
            {result.dropped > 0 && ` Refused because of quiet hours or limits: ${result.dropped}.`}
            {result.truncated && ' Only the first 200 are listed.'}
          </p>
          <DataTable
            title="Reminders"
            rows={result.reminders}
            keyOf={({ event_id, plan_time, channel, outcome }) =>
              `${event_id} ${plan_time} ${channel} ${outcome}`
            }
            columns={[
              {
                title: 'Change',
                cell: ({ outcome }) => <span class={`badge ${badges[outcome]}`}>{outcomes[outcome]}</span>,
              },
              { title: 'Time', cell: ({ plan_time }) => shortTime(plan_time, zone, locale) },
              { title: 'Event', cell: ({ title }) => title },
              { title: 'Channel', cell: ({ channel }) => channel },
              { title: 'Why', cell: ({ reason }) => reason },
            ]}
          />
        </>
      )}
    </>
  );
}

/** Messages that were written to the outbox folder instead of being sent. */
export function Outbox({ updates }: { updates: number }) {
  const { value, error } = useTool('list_outbox', { limit: 100 }, updates);
  if (!value || error) return <Pending error={error} />;
  return (
    <div class="outbox">
      <p class="quiet">
        {value.count === 0 ? 'No messages yet. ' : ''}Messages on channels without a configured provider are
        written to <code>{value.folder}</code> instead of being sent.
      </p>
      <ul class="plain-list">
        {value.messages.map(({ file, written_at, subject, to, preview }) => (
          <li key={file}>
            <details>
              <summary>
                {shortTime(written_at)} {subject ?? 'Message'}
                <span class="quiet">
                  {' '}
                  by {channelOf(file)}
                  {to && ` to ${to}`}
                </span>
              </summary>
              {preview && <pre class="template message-text">{preview}</pre>}
              <p class="quiet file">{file}</p>
            </details>
          </li>
        ))}
      </ul>
      {value.count > value.messages.length && (
        <p class="quiet">{value.count - value.messages.length} older messages are not shown.</p>
      )}
    </div>
  );
}

/** The channel of a message, from the name of its file. */
function channelOf(file: string): string {
  if (file.endsWith('.eml')) return 'email';
  if (file.endsWith('.wav')) return 'phone call (recording)';
  return /\.(\w+)\.json$/.exec(file)?.[1] ?? 'phone call';
}
