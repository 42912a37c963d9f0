import { wholeList } from '../../../paging.ts';
import { SelectField } from '../controls/fields.tsx';
import { resourceUris, type User } from '../events/calendar-data.ts';
import { AgendaPreview, Outbox, PlanPreview, Replay } from '../people/message-previews.tsx';
import { goTo, pathTo, useAddressed } from '../shared/route.ts';
import { Pending, useTool, useUpdates } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { wallTime } from '../shared/zone-time.ts';

const tabs = {
  outbox: 'Outbox',
  plan: 'Plan notifications',
  agenda: 'Daily agenda',
  replay: 'Replay reminders',
} as const;
type Tab = keyof typeof tabs;

/** What is sent to a person: messages without a provider, the plan of notifications, and what other settings would do. */
export function Messages({ part }: { part: string | undefined }) {
  const { value, error } = useTool('list_users', wholeList);
  const [person, setPerson] = useAddressed('person', '');
  const user = value?.users.find(({ id }) => id === person) ?? value?.users[0];
  const tab = part !== undefined && part in tabs ? (part as Tab) : 'outbox';
  if (!value || error) return <Pending error={error} />;
  if (!user) return <p class="empty">There is nobody to notify. Add a person in the calendar.</p>;
  return (
    <section class="messages" aria-label={tabs[tab]}>
      <div class="toolbar bare">
        <Tabs
          label="Messages"
          tabs={tabs}
          chosen={tab}
          choose={(next) => goTo(pathTo('server', '+messages', next, person === '' ? {} : { person }))}
        />
        {tab !== 'outbox' && value.users.length > 1 && (
          <SelectField
            class="inline"
            label="Person"
            value={user.id}
            options={value.users.map(({ id, name }) => [id, name] as const)}
            change={setPerson}
          />
        )}
      </div>
      <Content key={`${tab} ${user.id}`} {...{ tab, user }} />
    </section>
  );
}

function Content({ tab, user }: { tab: Tab; user: User }) {
  const updates = useUpdates(...resourceUris(user));
  if (tab === 'plan') return <PlanPreview user={user} close={() => goTo(pathTo('calendar', user.id))} />;
  if (tab === 'replay') return <Replay user={user} />;
  if (tab === 'outbox') return <Outbox updates={updates} />;
  const today = wallTime(new Date().toISOString(), user.timezone ?? 'UTC').day;
  return <AgendaPreview {...{ user, today, updates }} />;
}
