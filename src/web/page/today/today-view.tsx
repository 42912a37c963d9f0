import { useEffect, useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { Menu } from '../controls/menu.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { ApprovalCard, answerLabels } from '../runs/approval-card.tsx';
import { RunsInProgress } from '../runs/runs-in-progress.tsx';
import { useActions } from '../shared/actions.tsx';
import { type InboxItem, useInbox } from '../shared/inbox.tsx';
import { pathTo } from '../shared/route.ts';
import { useConnection } from '../shared/server-connection.tsx';
import { DismissButton, NeedList } from './need-list.tsx';
import { NextRoutines } from './next-routines.tsx';
import { perform } from './perform.ts';
import { YourDay } from './your-day.tsx';

/** The first view: what needs the person, the day, and what is in progress. `name` is the item that a notification led to. */
export function TodayView({ name }: { name: string | undefined }) {
  const { mayCall } = useConnection();
  const day = new Date().toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
  return (
    <>
      <PageHead
        title="Today"
        actions={
          <>
            <NotifyButton />
            <NewMenu />
          </>
        }
      >
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

/** What a person can begin from here. */
function NewMenu() {
  const { mayCall, readOnly } = useConnection();
  const all = [
    { title: 'New run', tool: 'delegate_run', href: pathTo('runs', '+new') },
    { title: 'New prompt', tool: 'create_prompt', href: pathTo('prompts', '+new') },
    { title: 'New routine', tool: 'create_routine', href: pathTo('routines', '+new') },
  ] as const;
  const offered = all.filter(({ tool }) => mayCall(tool));
  if (readOnly || offered.length === 0) return null;
  return (
    <Menu label="New" icon="plus" labelled>
      {offered.map(({ title, href }) => (
        <a key={title} class="button" href={href}>
          {title}
        </a>
      ))}
    </Menu>
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
        <div class="empty nothing">
          <Icon name="today" />
          <h3>Nothing needs you</h3>
          <p>
            What <dfn>agents</dfn> (programs that work on a task by themselves), routines and calendars ask of
            you appears here.
          </p>
        </div>
      )}
      {approvals.map((item) => (
        <Approval
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

interface ApprovalProps {
  readonly item: InboxItem;
  readonly hasKeys: boolean;
  readonly isWanted: boolean;
  done(): void;
}

function Approval({ item, hasKeys, isWanted, done }: ApprovalProps) {
  const { title, detail = '', since, expires_at, page = '#', actions } = item;
  const request = item.request!;
  const [task, ...where] = detail.split(' · ');
  const { act, client, invalidate } = useActions();
  const answer = (label: string, reason: string) =>
    act(async () => {
      const action = actions.find((one) => one.label === label)!;
      await perform(client, action, reason === '' ? {} : { reason });
      done();
      invalidate('resources');
      return { text: label === answerLabels.refuse ? 'Refused.' : 'Allowed.' };
    });
  return (
    <ApprovalCard
      {...{ title, request, since, hasKeys, isWanted, answer }}
      id={`${request.run_id} ${request.approval_id}`}
      about={
        <>
          <a href={page}>{task}</a>
          {where.map((one) => ` · ${one}`)}
        </>
      }
      until={expires_at}
      answers={actions.map(({ label }) => label)}
    />
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
