import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { Problem } from '../controls/problem.tsx';
import { localeOf, type User } from '../events/calendar-data.ts';
import { DataTable } from '../shared/data-table.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { LeadFields } from './lead-fields.tsx';
import { type Leads, leadKinds, leadsOf, writtenLeads } from './lead-times.ts';

type Result = ToolAnswer<'replay_notifications'>;

const outcomes = { both: 'as before', 'only before': 'no longer', 'only now': 'new' } as const;
const badges = { both: '', 'only before': 'failed', 'only now': 'planned' } as const;

/** Shows which reminders a person would have had in the past days with other settings. */
export function Replay({ user }: { user: User }) {
  const { client } = useConnection();
  const [days, setDays] = useState(30);
  const [leads, setLeads] = useState<Leads>(() => leadsOf(user));
  const [result, setResult] = useState<Result | undefined>();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const [zone, locale] = [user.timezone ?? 'UTC', localeOf(user)];
  const replay = async (submitted: Event) => {
    submitted.preventDefault();
    setBusy(true);
    setProblem('');
    const { digest: _, ...reminders } = writtenLeads(leads);
    await client
      .tool('replay_notifications', { user_id: user.id, days, reminders })
      .then(setResult, (failed) => {
        setProblem(asError(failed).message);
      });
    setBusy(false);
  };
  return (
    <>
      <p class="quiet">
        Which reminders {user.name} would have had with other settings, next to those that were sent. Nothing
        is changed.
      </p>
      <form class="editor" onSubmit={replay}>
        <label>
          Past days
          <select value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
            {[7, 30, 90, 365].map((count) => (
              <option key={count} value={count}>
                {count} days
              </option>
            ))}
          </select>
        </label>
        <fieldset>
          <legend>When to remind</legend>
          <div class="lead-grid">
            <LeadFields
              kinds={leadKinds.filter(({ kind }) => kind !== 'digest')}
              leads={leads}
              change={setLeads}
            />
          </div>
        </fieldset>
        <Problem text={problem} />
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Replaying…' : 'Replay'}
        </button>
      </form>
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
