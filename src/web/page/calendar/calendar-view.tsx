import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { Button, Choice } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { Loading } from '../controls/loading.tsx';
import { Menu } from '../controls/menu.tsx';
import { CalendarLegend, useCalendarColours } from '../events/calendar-colours.tsx';
import {
  type CalendarEvent,
  calendarOf,
  keyOf,
  loadCalendar,
  maxSpan,
  resourceUris,
  type Span,
  type User,
} from '../events/calendar-data.ts';
import { addDays, daysBetween, type EventTimes, shiftTimes } from '../events/event-times.ts';
import { QuickReminder } from '../events/quick-reminder.tsx';
import { CalendarImport } from '../people/calendar-import.tsx';
import type { EarlierSearch } from '../people/find-time.tsx';
import { PersonForm } from '../people/person-form.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { currentRoute, goTo, pathTo, useAddressed, useRoute } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { useConnection, useLoaded, useTicks, useTool, useUpdates } from '../shared/server-connection.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { dayTitle, wallTime, weekDays } from '../shared/zone-time.ts';
import { Agenda } from './agenda.tsx';
import { BusyLegend } from './busy-strips.tsx';
import {
  CalendarPanel,
  type Panel,
  type PanelName,
  panelFrom,
  panels,
  pathToPanel,
} from './calendar-panel.tsx';
import { DayStrip } from './day-strip.tsx';
import { MonthGrid, monthDays } from './month-grid.tsx';
import { useMoves } from './use-moves.ts';
import { WeekGrid } from './week-grid.tsx';

const layouts = { week: 'Week', month: 'Month', agenda: 'Agenda' } as const;
type Layout = keyof typeof layouts;
/** How many days the agenda lists. */
const agendaDays = 30;
/** Reload interval, as a fallback in case a change notification is lost. */
const reloadMs = 60_000;

interface Props {
  readonly user: User;
  readonly users: readonly User[];
  /** Opens the panel that finds a time, with this search. */
  readonly earlier?: EarlierSearch | undefined;
  /** True inside a chat, which is no place for settings. */
  readonly inChat: boolean;
  readonly children: ComponentChildren;
}

/** A person's week, month or agenda, with planned notifications and the reasons for them. */
function CalendarView({ user, users, earlier, inChat, children }: Props) {
  const zone = user.timezone ?? 'UTC';
  const now = wallTime(new Date().toISOString(), zone);
  const today = now.day;
  const route = useRoute();
  const [asked, setDay] = useAddressed('day', today);
  const day = dateFrom(asked, today);
  const [show, setLayout] = useAddressed<Layout | ''>('show', '');
  const layout = show !== '' && show in layouts ? show : innerWidth < 740 ? 'agenda' : 'week';
  // A link to this week shows the same person and layout to everybody, on every screen.
  const { name = user.id } = route;
  const isWhole = route.name !== undefined && show === layout;
  useEffect(() => {
    if (!isWhole && !inChat && route.view === 'calendar')
      goTo(pathTo('calendar', name, route.part, { ...route.query, show: layout }), { replace: true });
  }, [isWhole]);
  const [closed, setClosed] = useState(earlier === undefined);
  const panel = panelFrom(route) ?? (closed ? undefined : 'find');
  const setPanel = (next: Panel | undefined) => {
    setClosed(true);
    goTo(pathToPanel(user.id, next, currentRoute()));
  };
  const [withPeople, setPeople] = useAddressed('with', othersIn(earlier, user, users).join(' '));
  const people = useMemo(() => withPeople.split(' ').filter((id) => id !== ''), [withPeople]);
  const updates = useUpdates(...resourceUris(user));
  const ticks = useTicks(reloadMs);
  const month = day.slice(0, 7);
  const days = layout === 'month' ? monthDays(month) : weekDays(day);
  const strip = weekDays(mondayOf(day));
  const span = spanFor(today, layout === 'agenda' ? [strip[0]!, addDays(day, agendaDays)] : days);
  const { value: loaded, error } = useLoaded(
    (client, signal) => loadCalendar(client, user.id, span, signal),
    [user.id, span.back, span.forward, updates, ticks],
  );
  const colours = useCalendarColours(user.id, updates);
  const { calendars, colourOf } = colours;
  const [hide, setHide] = useAddressed<string>('hide', '');
  const hidden = useMemo(() => new Set(hide === '' ? [] : hide.split(' ').map((id) => id.slice(1))), [hide]);
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    // The id of no calendar is empty.
    setHide([...next].map((one) => `.${one}`).join(' '));
  };
  const calendar = useMemo(
    () =>
      loaded && {
        ...loaded,
        events: loaded.events.filter((event) => !hidden.has(calendarOf(event) ?? '')),
      },
    [loaded, hidden],
  );
  const { moving, move } = useMoves(user, loaded, (event, times) => setPanel({ move: keyOf(event), times }));
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
  const showOverflow = (events: readonly CalendarEvent[]) => setPanel({ overflow: events.map(keyOf) });
  const grid = { days, today, user, chosen, choose, create, showOverflow, colourOf };
  const panelButton = (name: PanelName) => {
    const { title, icon, tool, reads } = panels[name];
    return (
      <ChangeButton
        key={name}
        {...{ tool, reads }}
        aria-expanded={panel === name}
        onClick={() => setPanel(panel === name ? undefined : name)}
      >
        <Icon name={icon} />
        {title}
      </ChangeButton>
    );
  };
  return (
    <div class="calendar">
      <header class="page-head">
        <h1>
          {monthName.format(Date.parse(day))} <span class="quiet">{day.slice(0, 4)}</span>
          <span class="hidden">, {user.name}</span>
        </h1>
        <Steps {...stepsOf(layout, day, today)} go={(next) => setDay(next ?? today)} />
        {children}
        <div class="head-actions">
          <Tabs label="Layout" tabs={layouts} chosen={layout} choose={setLayout} />
          <span class="calendar-wide">{panelButton('find')}</span>
          <ChangeButton
            class="primary"
            tool="create_event"
            aria-label="New event"
            onClick={() => create(nextHour(now))}
          >
            <Icon name="plus" />
            <span class="only-wide">New event</span>
          </ChangeButton>
          {inChat ? (
            <>
              <span class="calendar-narrow">{panelButton('find')}</span>
              {panelButton('tasks')}
            </>
          ) : (
            <Menu label="More about this calendar">
              <span class="calendar-narrow">{panelButton('find')}</span>
              {(['tasks', 'calendars', 'settings', 'person'] as const).map(panelButton)}
              <CalendarImport userId={user.id} />
              <hr />
              <a class="button" href={pathTo('server', '+messages', 'outbox', { person: user.id })}>
                <Icon name="mail" />
                Messages and plan
              </a>
            </Menu>
          )}
        </div>
      </header>
      <div class={`calendar-body ${panel === undefined ? '' : 'has-panel'}`}>
        <div class="calendar-main">
          {error && <p class="problem box">{error.message}</p>}
          {layout === 'agenda' && (
            <DayStrip days={strip} chosen={day} events={calendar?.events ?? []} zone={zone} choose={setDay} />
          )}
          <CalendarLegend {...{ calendars, hidden, toggle }}>
            {layout === 'week' && `${dayTitle(day, 'day')} – ${dayTitle(days[6]!, 'day')} · `}
            <span title={zone}>{cityOf(zone)}</span>
          </CalendarLegend>
          {layout === 'week' && <BusyLegend people={busy} />}
          {!calendar && !error && <Loading />}
          {calendar && layout === 'week' && <WeekGrid {...grid} {...{ calendar, busy, moving, move }} />}
          {calendar && layout === 'month' && <MonthGrid {...grid} {...{ calendar, month }} />}
          {calendar && layout === 'agenda' && (
            <Agenda
              {...{ calendar, user, chosen, choose, colourOf }}
              today={day}
              create={() => create(nextHour(now))}
            />
          )}
        </div>
        {panel !== undefined && (
          <CalendarPanel
            {...{ panel, user, users, calendar, colours, today, days, updates, people, earlier, choose }}
            open={setPanel}
            choosePeople={(ids) => setPeople(ids.join(' '))}
            // A late answer to the form of this panel must not close the one that was opened since.
            close={() => {
              const current = panelFrom(currentRoute());
              if (current === undefined || JSON.stringify(current) === JSON.stringify(panel))
                setPanel(undefined);
            }}
          />
        )}
      </div>
    </div>
  );
}

/** The name of a time zone as people say it. */
const cityOf = (zone: string) => zone.replace(/.*\//, '').replaceAll('_', ' ');

/** The day of an address, within what the server knows. */
function dateFrom(text: string, today: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) return today;
  const [first, last] = [addDays(today, -maxSpan.back), addDays(today, maxSpan.forward)];
  return text < first ? first : text > last ? last : text;
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

function mondayOf(day: string): string {
  return addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}

/** The first day of the month that is so many months later. */
function monthFrom(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 10);
}

/** Where the buttons of a layout lead. Absent before and after what the server knows. */
function stepsOf(layout: Layout, day: string, today: string) {
  const count = layout === 'week' ? 7 : 1;
  const month = day.slice(0, 7);
  const [back, forward] =
    layout === 'month'
      ? [monthFrom(month, -1), monthFrom(month, 1)]
      : [addDays(day, -count), addDays(day, count)];
  const known = layout === 'month' ? `${month}-01` : back;
  const last = addDays(today, maxSpan.forward);
  return {
    unit: layout === 'agenda' ? 'day' : layout,
    back:
      known < addDays(today, -maxSpan.back) || (layout === 'month' && known === addDays(today, -maxSpan.back))
        ? undefined
        : back,
    forward: (layout === 'month' ? forward : addDays(forward, count)) > last ? undefined : forward,
  };
}

/** An hour from the next full hour on. */
function nextHour({ day, minutes }: { readonly day: string; readonly minutes: number }): EventTimes {
  const midnight = { allDay: false, startDay: day, startMinutes: 0, endDay: day, endMinutes: 60 };
  return shiftTimes(midnight, 0, Math.floor(minutes / 60) * 60 + 60);
}

const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', timeZone: 'UTC' });

interface StepsProps extends ReturnType<typeof stepsOf> {
  /** Shows the days from this one on, or from today on. */
  go(day: string | undefined): void;
}

/** Buttons to switch days, weeks or months. */
function Steps({ unit, back, forward, go }: StepsProps) {
  return (
    <span class="week-steps">
      <Button class="plain only" aria-label={`Previous ${unit}`} disabled={!back} onClick={() => go(back)}>
        <Icon name="left" />
      </Button>
      <Button onClick={() => go(undefined)}>Today</Button>
      <Button class="plain only" aria-label={`Next ${unit}`} disabled={!forward} onClick={() => go(forward)}>
        <Icon name="right" />
      </Button>
    </span>
  );
}

interface CalendarPageProps {
  readonly name: string | undefined;
  readonly earlier?: EarlierSearch | undefined;
  readonly inChat?: boolean;
}

/** The calendar of the selected person, or a form to add the first person. */
export function CalendarPage({ name, earlier, inChat = false }: CalendarPageProps) {
  const { changes } = useConnection();
  const { value, error } = useTool('list_users', wholeList, changes.resources);
  if (error && !value) return <p class="problem page">{error.message}</p>;
  if (value === undefined) return <Loading />;
  const all = value.users;
  const user = all.find(({ id, email }) => id === name || (name && email === name)) ?? all[0];
  if (user === undefined) return <NoPeople />;
  const choice = all.length > 1 && (
    <Choice
      name="Person"
      value={user.id}
      options={all.map(({ id, name: title }) => [id, title] as const)}
      change={(id) => goTo(pathTo('calendar', id))}
    />
  );
  return (
    <CalendarView key={user.id} user={user} users={all} {...{ earlier, inChat }}>
      {choice}
    </CalendarView>
  );
}

function NoPeople() {
  return (
    <div class="page-body">
      <h1>Calendar</h1>
      <p>
        Adjutant reminds people of their events on the desktop, by mail, phone or chat. Begin with a reminder
        for yourself: it appears on the desktop of this machine, or in this browser.
      </p>
      <QuickReminder />
      <h2>Add a person</h2>
      <p>Each person has a calendar, in which you create events, or import them from files and addresses.</p>
      <PersonForm />
      <p>
        Or look at it with sample data: <SampleData action="load" />
      </p>
    </div>
  );
}
