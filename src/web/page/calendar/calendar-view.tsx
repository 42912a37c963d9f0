import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { Button, Choice } from '../controls/fields.tsx';
import {
  type CalendarEvent,
  keyOf,
  loadCalendar,
  maxSpan,
  resourceUris,
  type Span,
  type User,
} from '../events/calendar-data.ts';
import { addDays, daysBetween, type EventTimes, shiftTimes } from '../events/event-times.ts';
import { CalendarImport } from '../people/calendar-import.tsx';
import type { EarlierSearch } from '../people/find-time.tsx';
import { PersonForm } from '../people/person-form.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { pathTo } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { useConnection, useLoaded, useTicks, useTool, useUpdates } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { dayTitle, wallTime, weekDays } from '../shared/zone-time.ts';
import { Agenda } from './agenda.tsx';
import { BusyLegend } from './busy-strips.tsx';
import { CalendarPanel, type Panel, type PanelName, panels } from './calendar-panel.tsx';
import { MonthGrid, monthDays } from './month-grid.tsx';
import { WeekGrid } from './week-grid.tsx';

const layouts = { week: 'Week', month: 'Month', agenda: 'Agenda' } as const;
/** Reload interval, as a fallback in case a change notification is lost. */
const reloadMs = 60_000;

interface Props {
  readonly user: User;
  readonly users: readonly User[];
  /** Opens the panel that finds a time, with this search. */
  readonly earlier?: EarlierSearch | undefined;
  readonly children: ComponentChildren;
}

/** A person's week, month or agenda, with planned notifications and the reasons for them. */
function CalendarView({ user, users, earlier, children }: Props) {
  const [weeks, setWeeks] = useState(0);
  const [months, setMonths] = useState(0);
  const [layout, setLayout] = useState<keyof typeof layouts>(innerWidth < 740 ? 'agenda' : 'week');
  const [panel, setPanel] = useState<Panel | undefined>(earlier && 'find');
  const [people, setPeople] = useState(() => othersIn(earlier, user, users));
  const updates = useUpdates(...resourceUris(user));
  const ticks = useTicks(reloadMs);
  const zone = user.timezone ?? 'UTC';
  const now = wallTime(new Date().toISOString(), zone);
  const today = now.day;
  const month = monthFrom(today, months);
  const days = layout === 'month' ? monthDays(month) : weekDays(today, layout === 'week' ? weeks : 0);
  const span = layout === 'agenda' ? { back: 0, forward: 30 } : spanFor(today, days);
  const { value: calendar, error } = useLoaded(
    (client, signal) => loadCalendar(client, user.id, span, signal),
    [user.id, span.back, span.forward, updates, ticks],
  );
  const { value: busy = [] } = useLoaded(
    async (client, signal) => {
      if (people.length === 0) return [];
      const range = { from: days[0]!, to: addDays(days[6]!, 1), zone };
      const { people: known = [] } = await client.tool(
        'find_time',
        { people: [...people], ...range },
        { signal },
      );
      return known.map(({ user_id, ...one }) => ({
        ...one,
        name: users.find(({ id }) => id === user_id)?.name ?? user_id,
      }));
    },
    [people.join(), days[0], updates],
  );
  const chosen = typeof panel === 'object' && 'event' in panel ? panel.event : undefined;
  const choose = (one: CalendarEvent) => setPanel(keyOf(one) === chosen ? undefined : { event: keyOf(one) });
  const create = (times: EventTimes) => setPanel({ create: times });
  const showOverflow = (events: readonly CalendarEvent[]) => setPanel({ overflow: events });
  const grid = { days, today, user, chosen, choose, create, showOverflow };
  const panelButton = (name: PanelName) => {
    const { title, reads } = panels[name];
    const Open = reads ? Button : ChangeButton;
    return (
      <Open
        key={name}
        class="small"
        aria-expanded={panel === name}
        onClick={() => setPanel(panel === name ? undefined : name)}
      >
        {title}
      </Open>
    );
  };
  return (
    <div class="calendar">
      <div class="toolbar">
        {children}
        {panelButton('person')}
        <Tabs label="Layout" tabs={layouts} chosen={layout} choose={(next) => setLayout(next)} />
        {layout === 'week' && (
          <Steps
            unit="week"
            position={weeks}
            first={(1 - weeks) * 7 > maxSpan.back}
            last={(weeks + 2) * 7 > maxSpan.forward}
            title={`${dayTitle(days[0]!, 'day')} – ${dayTitle(days.at(-1)!, 'day')}`}
            go={setWeeks}
          />
        )}
        {layout === 'month' && (
          <Steps
            unit="month"
            position={months}
            first={addDays(today, -maxSpan.back) >= `${month}-01`}
            last={addDays(`${month}-01`, 31).slice(0, 7) > addDays(today, maxSpan.forward).slice(0, 7)}
            title={monthTitle.format(Date.parse(`${month}-01`))}
            go={setMonths}
          />
        )}
        <span class="quiet grow">{zone}</span>
        <ChangeButton class="primary" onClick={() => create(nextHour(now))}>
          New event
        </ChangeButton>
      </div>
      <div class="calendar-actions">
        {(Object.keys(panels) as PanelName[]).filter((name) => name !== 'person').map(panelButton)}
        <CalendarImport userId={user.id} />
      </div>
      {error && <p class="problem box">{error.message}</p>}
      {layout === 'week' && <BusyLegend people={busy} />}
      <div
        class={`calendar-body ${panel === undefined ? '' : `has-panel ${panel === 'replay' ? 'wide' : ''}`}`}
      >
        {!calendar && !error && <p class="empty">Loading…</p>}
        {calendar && layout === 'week' && (
          <WeekGrid
            {...grid}
            {...{ calendar, busy }}
            move={(event, times) => setPanel({ move: event, times })}
          />
        )}
        {calendar && layout === 'month' && <MonthGrid {...grid} {...{ calendar, month }} />}
        {calendar && layout === 'agenda' && <Agenda {...{ calendar, user, today, chosen, choose }} />}
        {panel !== undefined && (
          <CalendarPanel
            {...{ panel, user, users, calendar, today, days, updates, people, earlier, choose }}
            choosePeople={setPeople}
            // A late answer to the form of this panel must not close the one that was opened since.
            close={() => setPanel((now) => (now === panel ? undefined : now))}
          />
        )}
      </div>
    </div>
  );
}

/** The other people of a search, which may name people by their mail address. */
function othersIn(earlier: EarlierSearch | undefined, user: User, users: readonly User[]): readonly string[] {
  const asked = earlier?.asked.people ?? [];
  return users
    .filter(({ id, email }) => id !== user.id && (asked.includes(id) || (email && asked.includes(email))))
    .map(({ id }) => id);
}

/** The span to load for the visible days, so that a large calendar is not loaded completely. */
function spanFor(today: string, days: readonly string[]): Span {
  return {
    back: Math.min(maxSpan.back, Math.max(1, daysBetween(days[0]!, today))),
    forward: Math.min(maxSpan.forward, Math.max(1, daysBetween(today, days.at(-1)!) + 2)),
  };
}

function monthFrom(today: string, months: number): string {
  const [year, month] = today.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 7);
}

/** An hour from the next full hour on. */
function nextHour({ day, minutes }: { readonly day: string; readonly minutes: number }): EventTimes {
  const midnight = { allDay: false, startDay: day, startMinutes: 0, endDay: day, endMinutes: 60 };
  return shiftTimes(midnight, 0, Math.floor(minutes / 60) * 60 + 60);
}

const monthTitle = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

interface StepsProps {
  readonly unit: 'week' | 'month';
  readonly position: number;
  /** Whether the server supports nothing before and after. */
  readonly first: boolean;
  readonly last: boolean;
  readonly title: string;
  go(position: number): void;
}

/** Buttons to switch weeks or months. */
function Steps({ unit, position, first, last, title, go }: StepsProps) {
  return (
    <span class="week-steps">
      <Button aria-label={`Previous ${unit}`} disabled={first} onClick={() => go(position - 1)}>
        ‹
      </Button>
      <Button disabled={position === 0} onClick={() => go(0)}>
        Today
      </Button>
      <Button aria-label={`Next ${unit}`} disabled={last} onClick={() => go(position + 1)}>
        ›
      </Button>
      <strong>{title}</strong>
    </span>
  );
}

interface CalendarPageProps {
  readonly name: string | undefined;
  readonly earlier?: EarlierSearch | undefined;
}

/** The calendar of the selected person, or a form to add the first person. */
export function CalendarPage({ name, earlier }: CalendarPageProps) {
  const { changes } = useConnection();
  const { value, error } = useTool('list_users', wholeList, changes.resources);
  if (error && !value) return <p class="problem page">{error.message}</p>;
  if (value === undefined) return <p class="empty">Loading…</p>;
  const all = value.users;
  const user = all.find(({ id, email }) => id === name || (name && email === name)) ?? all[0];
  if (user === undefined) return <NoPeople />;
  const choice = all.length > 1 && (
    <Choice
      name="Person"
      value={user.id}
      options={all.map(({ id, name: title }) => [id, title] as const)}
      change={(id) => (location.hash = pathTo('calendar', id))}
    />
  );
  return (
    <CalendarView key={user.id} user={user} users={all} earlier={earlier}>
      <h1 class={choice ? 'hidden' : ''}>{user.name}</h1>
      {choice}
    </CalendarView>
  );
}

function NoPeople() {
  return (
    <div class="page-body">
      <h1>Calendar</h1>
      <p>
        Adjutant reminds people of their events by mail, phone or chat. Add a person first, for example
        yourself. Then you can create events, or import calendars from files and addresses.
      </p>
      <PersonForm />
      <p>
        Or look at it with sample data: <SampleData action="load" />
      </p>
    </div>
  );
}
