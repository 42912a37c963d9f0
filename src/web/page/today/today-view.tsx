import { useEffect, useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { RunsInProgress } from '../runs/runs-in-progress.tsx';
import { type InboxItem, useInbox } from '../shared/inbox.tsx';
import { useConnection } from '../shared/server-connection.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { DismissButton, NeedList } from './need-list.tsx';
import { NextRoutines } from './next-routines.tsx';
import { YourDay } from './your-day.tsx';

/** The first view: what needs the person, the day, and what is in progress. `name` is the item that a notification led to. */
export function TodayView({ name }: { name: string | undefined }) {
  const { mayCall } = useConnection();
  const day = new Date().toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
  return (
    <>
      <PageHead title="Today" actions={<NotifyButton />}>
        <span class="quiet">{day}</span>
      </PageHead>
      <div class="page-body today-view">
        <div class="today-column">
          <NeedsYou wanted={name} />
          {mayCall('list_runs') && <RunsInProgress />}
        </div>
        <div class="today-column">
          {mayCall('list_events') && <YourDay />}
          {mayCall('list_routines') && <NextRoutines />}
        </div>
      </div>
    </>
  );
}

function NeedsYou({ wanted }: { wanted: string | undefined }) {
  const { value, error } = useInbox();
  // An answered card disappears at once, not only when the server lists the inbox again.
  const [answered, setAnswered] = useState<readonly string[]>([]);
  const items = value?.items.filter(({ id }) => !answered.includes(id)) ?? [];
  const isApproval = ({ request }: InboxItem) => request !== undefined;
  const approvals = items.filter(isApproval);
  const others = items.filter((item) => !isApproval(item));
  const first = approvals.find(({ id }) => id === wanted) ?? approvals[0];
  return (
    <section aria-labelledby="needs">
      <div class="section-head">
        <h2 id="needs">Needs you</h2>
        {items.length > 0 && <span class="count needs">{items.length}</span>}
        <span class="grow" />
        {others.length > 2 && <DismissButton items={others} />}
      </div>
      {error && !value && <p class="problem">{error.message}</p>}
      {value?.problems?.map((problem) => (
        <p key={problem} class="problem box">
          {problem}
        </p>
      ))}
      {value && items.length === 0 && (
        <p class="nothing quiet">
          <Icon name="done" /> Nothing waits for you.
        </p>
      )}
      {approvals.map((item) => (
        <ApprovalCard
          key={item.id}
          item={item}
          hasKeys={item === first}
          isWanted={item.id === wanted}
          done={() => setAnswered((now) => [...now, item.id])}
        />
      ))}
      {others.length > 0 && <NeedList items={others} wanted={wanted} />}
    </section>
  );
}

/** Asks the browser to notify, as long as the person has not decided. */
function NotifyButton() {
  const [state, setState] = useState('Notification' in window ? Notification.permission : 'denied');
  // The person may decide in the settings of the browser.
  useEffect(() => {
    const update = () => 'Notification' in window && setState(Notification.permission);
    addEventListener('focus', update);
    return () => removeEventListener('focus', update);
  }, []);
  if (state !== 'default') return null;
  return (
    <Button
      title="When an agent asks while you are elsewhere"
      onClick={async () => setState(await Notification.requestPermission())}
    >
      <Icon name="bell" /> Notify me in this browser
    </Button>
  );
}
