import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { SidePanel } from '../controls/dialog.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  keyOf,
  localeOf,
  notificationsFor,
  type User,
} from '../events/calendar-data.ts';
import type { EventTimes } from '../events/event-times.ts';
import type { EarlierSearch } from '../people/find-time.tsx';
import { lazy } from '../shared/lazy.tsx';
import { pathTo } from '../shared/route.ts';
import { useLoaded } from '../shared/server-connection.tsx';

/** What the panel beside the calendar shows. */
export type Panel =
  | { readonly event: string }
  | { readonly create: EventTimes }
  | { readonly move: CalendarEvent; readonly times: EventTimes }
  | { readonly overflow: readonly CalendarEvent[] }
  | PanelName;

export const panelTitles = {
  find: 'Find a time',
  tasks: 'Tasks',
  calendars: 'Calendars',
  plan: 'Plan notifications',
  agenda: 'Daily agenda',
  replay: 'Replay reminders',
  outbox: 'Outbox',
  settings: 'Settings',
  person: 'Add person',
} as const;
export type PanelName = keyof typeof panelTitles;

const EventDetail = lazy(() => import('../events/event-detail.tsx'), 'EventDetail');
const EventForm = lazy(() => import('../events/event-form.tsx'), 'EventForm');
const EventMove = lazy(() => import('../events/event-form.tsx'), 'EventMove');
const FindTime = lazy(() => import('../people/find-time.tsx'), 'FindTime');
const TaskList = lazy(() => import('../people/task-list.tsx'), 'TaskList');
const CalendarList = lazy(() => import('../people/calendar-list.tsx'), 'CalendarList');
const PlanPreview = lazy(() => import('../people/message-previews.tsx'), 'PlanPreview');
const AgendaPreview = lazy(() => import('../people/message-previews.tsx'), 'AgendaPreview');
const Replay = lazy(() => import('../people/message-previews.tsx'), 'Replay');
const Outbox = lazy(() => import('../people/message-previews.tsx'), 'Outbox');
const PersonSettings = lazy(() => import('../people/person-settings.tsx'), 'PersonSettings');
const PersonForm = lazy(() => import('../people/person-form.tsx'), 'PersonForm');

interface Props {
  readonly panel: Panel;
  readonly user: User;
  readonly users: readonly User[];
  readonly calendar: CalendarData | undefined;
  readonly today: string;
  readonly days: readonly string[];
  readonly updates: number;
  readonly people: readonly string[];
  readonly earlier: EarlierSearch | undefined;
  choosePeople(people: readonly string[]): void;
  choose(event: CalendarEvent): void;
  close(): void;
}

/** The panel beside the calendar. Its content is loaded when it is first opened. */
export function CalendarPanel(props: Props) {
  const { panel, close } = props;
  const { title, content, key } = contentOf(panel, props);
  if (content === undefined) return null;
  return (
    <SidePanel key={key} title={title} close={close}>
      {content}
    </SidePanel>
  );
}

function contentOf(panel: Panel, props: Props) {
  const { user, calendar, choose, close } = props;
  if (typeof panel === 'string')
    return { title: panelTitles[panel], content: namedContent(panel, props), key: `${panel} ${user.id}` };
  if ('create' in panel)
    return {
      title: 'New event',
      content: <NewEvent {...{ user, times: panel.create, close }} />,
      key: JSON.stringify(panel),
    };
  if ('move' in panel)
    return {
      title: `Move ${panel.move.title}`,
      content: <EventMove {...{ user, event: panel.move, times: panel.times }} done={close} />,
      key: `${keyOf(panel.move)} ${JSON.stringify(panel.times)}`,
    };
  if ('overflow' in panel)
    return {
      title: `${panel.overflow.length} more`,
      key: 'overflow',
      content: (
        <ul class="overflow-list">
          {panel.overflow.map((one) => (
            <li key={keyOf(one)}>
              <button type="button" class="plain" onClick={() => choose(one)}>
                {one.title}
              </button>
            </li>
          ))}
        </ul>
      ),
    };
  const event = calendar?.events.find((one) => keyOf(one) === panel.event);
  return {
    title: event?.title ?? '',
    key: panel.event,
    content: event && calendar && (
      <EventDetail {...{ user, event }} notifications={notificationsFor(calendar, event)} done={close} />
    ),
  };
}

function namedContent(
  panel: PanelName,
  { user, users, today, days, updates, people, earlier, choosePeople, close }: Props,
) {
  const [zone, locale] = [user.timezone ?? 'UTC', localeOf(user)];
  switch (panel) {
    case 'find':
      return (
        <FindTime
          {...{ user, users, people, earlier }}
          choose={choosePeople}
          from={days[0]! < today ? today : days[0]!}
          to={days.at(-1)!}
        />
      );
    case 'tasks':
      return <TaskList {...{ user, updates }} />;
    case 'calendars':
      return <CalendarList {...{ user, updates }} />;
    case 'plan':
      return <PlanPreview {...{ userId: user.id, zone, locale }} done={close} />;
    case 'agenda':
      return <AgendaPreview {...{ user, today, updates }} />;
    case 'replay':
      return <Replay user={user} />;
    case 'outbox':
      return <Outbox updates={updates} />;
    case 'settings':
      return <PersonSettings {...{ user, updates }} />;
    default:
      return (
        <PersonForm
          added={(id) => {
            location.hash = pathTo('calendar', id);
            close();
          }}
        />
      );
  }
}

type Calendars = ToolAnswer<'list_calendars'>['calendars'];

function NewEvent({ user, times, close }: { user: User; times: EventTimes; close(): void }) {
  const { value } = useLoaded(
    (client, signal) => client.tool('list_calendars', { user_id: user.id, ...wholeList }, { signal }),
    [user.id],
  );
  const writable = (value?.calendars ?? ([] as Calendars)).filter(
    ({ kind, tasks_only }) => kind === 'caldav' && !tasks_only,
  );
  return <EventForm {...{ user, times }} calendars={writable} done={close} />;
}
