import type { FunctionComponent } from 'preact';
import type { ToolName } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { SidePanel } from '../controls/dialog.tsx';
import { Button } from '../controls/fields.tsx';
import type { IconName } from '../controls/icon.tsx';
import type { CalendarColours } from '../events/calendar-colours.tsx';
import { type CalendarData, type CalendarEvent, keyOf, type User } from '../events/calendar-data.ts';
import { addressOf, type EventTimes, timesFromAddress, timesOf } from '../events/event-times.ts';
import type { EarlierSearch } from '../people/find-time.tsx';
import { PersonForm } from '../people/person-form.tsx';
import { lazy } from '../shared/lazy.tsx';
import { goTo, pathTo, type Route } from '../shared/route.ts';
import { useTool } from '../shared/server-connection.tsx';

/** What the panel beside the calendar shows. The address holds it: its kind is the part, and the rest is in the query. */
export type Panel =
  | { readonly event: string }
  | { readonly create: EventTimes }
  | { readonly move: string; readonly times: EventTimes }
  | { readonly overflow: readonly string[] }
  | PanelName;

/** The values of the query that belong to a panel. */
const panelKeys = ['event', 'times', 'events', 'do'];

/** The panel in an address. */
export function panelFrom({ part, query }: Pick<Route, 'part' | 'query'>): Panel | undefined {
  const { event = '', events = '' } = query;
  const times = timesFromAddress(query['times'] ?? '');
  if (part === 'event') return { event };
  if (part === 'more') return { overflow: events.split(' ') };
  if (part === 'new' && times) return { create: times };
  if (part === 'move' && times) return { move: event, times };
  return part !== undefined && part in panels ? (part as PanelName) : undefined;
}

/** The address of the calendar with another panel, or with none. */
export function pathToPanel(
  person: string,
  panel: Panel | undefined,
  { query }: Pick<Route, 'query'>,
): string {
  const others = Object.entries(query).filter(([key]) => !panelKeys.includes(key));
  const path = (part: string | undefined, values: Readonly<Record<string, string>> = {}) =>
    pathTo('calendar', person, part, { ...Object.fromEntries(others), ...values });
  if (panel === undefined || typeof panel === 'string') return path(panel);
  if ('create' in panel) return path('new', { times: addressOf(panel.create) });
  if ('move' in panel) return path('move', { event: panel.move, times: addressOf(panel.times) });
  if ('overflow' in panel) return path('more', { events: panel.overflow.join(' ') });
  return path('event', { event: panel.event });
}

interface NamedPanel {
  readonly title: string;
  readonly icon: IconName;
  /** The tool that the panel cannot do without. */
  readonly tool: ToolName;
  /** True if the panel also shows something, so that it opens on a read-only server. */
  readonly reads: boolean;
  readonly content: FunctionComponent<Props>;
}

const panel = (
  title: string,
  icon: IconName,
  tool: ToolName,
  content: NamedPanel['content'],
  reads = true,
): NamedPanel => ({ title, icon, tool, reads, content });

/** The panels that a button opens. Their content is loaded when they are first opened. */
export const panels = {
  find: panel(
    'Find a time',
    'people',
    'find_time',
    lazy(() => import('../people/find-time.tsx'), 'FindTime'),
  ),
  tasks: panel(
    'Tasks',
    'plan',
    'list_events',
    lazy(() => import('../people/task-list.tsx'), 'TaskList'),
  ),
  calendars: panel(
    'Calendars',
    'calendar',
    'list_calendars',
    lazy(() => import('../people/calendar-list.tsx'), 'CalendarList'),
  ),
  settings: panel(
    'Settings',
    'bell',
    'list_users',
    lazy(() => import('../people/person-settings.tsx'), 'PersonSettings'),
  ),
  person: panel('Add person', 'person', 'create_user', NewPerson, false),
} as const;
export type PanelName = keyof typeof panels;

const eventForm = () => import('../events/event-form.tsx');
const EventDetail = lazy(() => import('../events/event-detail.tsx'), 'EventDetail');
const EventForm = lazy(eventForm, 'EventForm');
const EventMove = lazy(eventForm, 'EventMove');

interface Props {
  readonly panel: Panel;
  readonly user: User;
  readonly users: readonly User[];
  readonly calendar: CalendarData | undefined;
  readonly colours: CalendarColours;
  readonly today: string;
  readonly days: readonly string[];
  readonly updates: number;
  readonly people: readonly string[];
  readonly earlier: EarlierSearch | undefined;
  choosePeople(people: readonly string[]): void;
  choose(event: CalendarEvent): void;
  /** Opens another panel instead. */
  open(panel: Panel): void;
  close(): void;
}

/** The panel beside the calendar. */
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
  const { user, calendar, colours, choose, open, close } = props;
  const zone = user.timezone ?? 'UTC';
  if (typeof panel === 'string') {
    const { title, content: Content } = panels[panel];
    return { title, content: <Content {...props} />, key: `${panel} ${user.id}` };
  }
  if ('create' in panel)
    return {
      title: 'New event',
      content: <NewEvent {...{ user, times: panel.create, close }} />,
      key: addressOf(panel.create),
    };
  const find = (key: string) => calendar?.events.find((one) => keyOf(one) === key);
  if ('move' in panel) {
    const event = find(panel.move);
    return {
      title: `Move ${event?.title ?? ''}`,
      content: event && (
        <EventMove
          {...{ user, event, times: panel.times }}
          change={(times) => open({ move: panel.move, times })}
          done={close}
        />
      ),
      key: panel.move,
    };
  }
  if ('overflow' in panel)
    return {
      title: `${panel.overflow.length} more`,
      key: 'overflow',
      content: (
        <ul class="overflow-list">
          {panel.overflow.map(find).map(
            (one) =>
              one && (
                <li key={keyOf(one)}>
                  <Button class="plain" onClick={() => choose(one)}>
                    {one.title}
                  </Button>
                </li>
              ),
          )}
        </ul>
      ),
    };
  const event = find(panel.event);
  return {
    title: event?.title ?? '',
    key: panel.event,
    content: event && calendar && (
      <EventDetail
        {...{ user, event, calendar, colours }}
        move={() => open({ move: panel.event, times: timesOf(event, zone) })}
        done={close}
      />
    ),
  };
}

function NewPerson() {
  return <PersonForm added={(id) => goTo(pathTo('calendar', id))} />;
}

function NewEvent({ user, times, close }: { user: User; times: EventTimes; close(): void }) {
  const { value } = useTool('list_calendars', { user_id: user.id, ...wholeList });
  const writable = (value?.calendars ?? []).filter(
    ({ kind, tasks_only }) => kind === 'caldav' && !tasks_only,
  );
  return <EventForm {...{ user, times }} calendars={writable} done={close} />;
}
