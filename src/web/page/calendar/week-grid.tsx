import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import {
  type CalendarData,
  type CalendarEvent,
  calendarOf,
  keyOf,
  localeOf,
  notificationsFor,
  type User,
} from '../events/calendar-data.ts';
import { type EventTimes, isPast, shiftTimes, stretchTimes, timeOn, timesOf } from '../events/event-times.ts';
import { NotificationMark } from '../events/notification-mark.tsx';
import { useConnection } from '../shared/server-connection.tsx';
import { clock, dayTitle, quietSpans, wallTime } from '../shared/zone-time.ts';
import { type BusyPerson, BusyStrips } from './busy-strips.tsx';
import type { Moving } from './use-moves.ts';
import { useWeekDrag, type WeekActions } from './week-drag.ts';
import { layOutAllDay, layOutWeek } from './week-layout.ts';

/** Height of the lower edge of an event. Dragging the edge changes the length of the event. */
const edgePixels = 6;
/** More all-day events are behind a button. */
const maxAllDayRows = 6;
/** A fuller week shows the hours at its top first, and the rest a moment later. */
const maxAtOnce = 200;
const firstMinutes = 8 * 60;
/** A row of a list of overlapping events needs this many minutes of height. */
const rowMinutes = 30;
/** The label of an hour makes room for the present time within this many minutes. */
const nearMinutes = 20;

interface Props extends WeekActions {
  readonly days: readonly string[];
  readonly today: string;
  readonly calendar: CalendarData;
  readonly user: User;
  readonly chosen: string | undefined;
  readonly busy: readonly BusyPerson[];
  /** An event that has been dropped, and is not yet there. */
  readonly moving: Moving | undefined;
  colourOf(calendar: string | undefined): string;
  choose(event: CalendarEvent): void;
  showOverflow(events: readonly CalendarEvent[]): void;
}

/** Seven days as columns, with quiet hours shaded. A click or a drag in a column creates an event. */
export function WeekGrid(props: Props) {
  const { days, today, calendar, user, chosen, busy, moving, colourOf, choose, move, showOverflow } = props;
  const { readOnly } = useConnection();
  const box = useRef<HTMLDivElement>(null);
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const drag = useWeekDrag(box, zone, readOnly, props);
  const week = useMemo(() => layOutWeek(calendar.events, days, zone), [calendar.events, days[0], zone]);
  const top = useMemo(() => firstVisible(calendar.events, days, zone), [days[0]]);
  useLayoutEffect(() => {
    const { offsetHeight = 0 } = box.current?.querySelector<HTMLElement>('.week-column') ?? {};
    box.current?.scrollTo({ top: (top / (24 * 60)) * offsetHeight });
  }, [days[0]]);
  const [complete, setComplete] = useState<string | undefined>();
  useEffect(() => {
    const timer = setTimeout(() => setComplete(days[0]));
    return () => clearTimeout(timer);
  }, [days[0]]);
  const whole = complete === days[0] || calendar.events.length <= maxAtOnce;
  // The same elements as before are not compared again, for example while an event is dragged.
  const columns = useMemo(
    () =>
      week.map(({ placed, clusters }, index) => {
        const day = days[index]!;
        const isShown = ({ from, to }: { from: number; to: number }) =>
          whole || (to >= top && from < top + firstMinutes);
        const shared = { day, calendar, user, chosen, colourOf };
        return [
          ...placed.filter(isShown).map(({ event, from, to, left, wide, pushed }) => (
            <div
              key={keyOf(event)}
              class={`placed ${isResizable(event, day, zone) ? 'resizable' : ''} ${moving?.key === keyOf(event) ? 'from' : ''}`}
              data-event={keyOf(event)}
              style={{ ...span(from, to), '--left': left, '--wide': wide, '--pushed': pushed / 60 }}
            >
              {weekEvent({ ...shared, event, minutes: to - from })}
            </div>
          )),
          ...clusters.filter(isShown).map(({ events, from, to }) => {
            const rows = Math.max(1, Math.floor((to - from) / rowMinutes));
            const shown = events.slice(0, events.length > rows ? rows - 1 : rows);
            return (
              <div key={from} class="placed cluster" style={span(from, to)}>
                {shown.map((event) => (
                  <div key={keyOf(event)} data-event={keyOf(event)}>
                    {weekEvent({ ...shared, event, minutes: 0 })}
                  </div>
                ))}
                {shown.length < events.length && (
                  <Button class="plain more" onClick={() => showOverflow(events.slice(shown.length))}>
                    {`+${events.length - shown.length} `}
                    <span class="hidden">more </span>
                    {`at ${clock(from, locale)}`}
                  </Button>
                )}
              </div>
            );
          }),
        ];
      }),
    [
      week,
      calendar,
      user,
      chosen,
      whole,
      moving,
      calendar.events[0] && colourOf(calendarOf(calendar.events[0])),
    ],
  );
  const quiet = quietSpans(user.quiet_start ?? '21:00', user.quiet_end ?? '07:00');
  const bars = layOutAllDay(calendar.events, days, zone);
  const rows = Math.max(0, ...bars.map(({ row }) => row + 1));
  const now = wallTime(new Date().toISOString(), zone);
  const going = drag.ghost ?? moving;
  const ghost = going && { ...going, event: calendar.events.find((one) => keyOf(one) === going.key) };
  const isThisWeek = days.includes(now.day);
  const allDay = (index: number) => {
    const shown = bars.filter(({ from, row }) => from === index && row < maxAllDayRows);
    const rest = bars.filter(
      ({ from, days: count, row }) => row >= maxAllDayRows && from <= index && index < from + count,
    );
    return (
      <>
        {shown.map(({ event, days: count, row }) => (
          <div
            key={keyOf(event)}
            class="bar"
            data-event={keyOf(event)}
            style={{ '--row': row, width: `calc(${count * 100}% + ${count - 1}px - 4px)` }}
          >
            {weekEvent({ event, day: days[index]!, minutes: 0, calendar, user, chosen, colourOf })}
          </div>
        ))}
        {rest.length > 0 && (
          <Button
            class="plain more"
            aria-label={`${rest.length} more on ${dayTitle(days[index]!, 'long')}`}
            onClick={() => showOverflow(rest.map(({ event }) => event))}
          >
            +{rest.length}
          </Button>
        )}
      </>
    );
  };
  /** The event at which something happened, and its button, unless it happened at the edge of the event. */
  const eventAt = (target: EventTarget | null) => {
    const place = (target as Element).closest<HTMLElement>('[data-event]');
    const event = place && calendar.events.find((one) => keyOf(one) === place.dataset['event']);
    return event ? { event, place, button: (target as Element).closest('button') } : undefined;
  };
  return (
    <div
      class={`week ${drag.ghost ? 'dragging' : ''}`}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Week"
      style={{
        '--all-day-rows': Math.min(rows, maxAllDayRows) + (rows > maxAllDayRows ? 1 : 0),
        gridTemplateColumns: `auto ${days.map((day) => (isWeekend(day) ? 'minmax(4rem, 0.72fr)' : 'minmax(5.5rem, 1fr)')).join(' ')}`,
      }}
      onClick={({ target }) => {
        const at = eventAt(target);
        if (at?.button && !drag.swallowClick()) choose(at.event);
      }}
      onPointerDown={(pointer) => {
        const at = eventAt(pointer.target);
        if (at === undefined || at.event.task) return;
        const fromEnd = at.place.getBoundingClientRect().bottom - pointer.clientY;
        if (at.button) drag.onEventDown(pointer, at.event, 'move');
        else if (
          fromEnd <= edgePixels &&
          isResizable(at.event, at.place.parentElement?.dataset['day'] ?? '', zone)
        )
          drag.onEventDown(pointer, at.event, 'resize');
      }}
      onKeyDown={(key) => {
        const event = eventAt(key.target)?.event;
        const times = readOnly || !event || event.task ? undefined : moveByKey(key, timesOf(event, zone));
        if (times === undefined) return;
        key.preventDefault();
        move(event!, times);
      }}
    >
      <div class={`week-hours ${rows > 0 ? 'below-all-day' : ''}`}>
        <div class="week-corner">{rows > 0 && 'all day'}</div>
        {Array.from({ length: 23 }, (_, index) => index + 1)
          .filter((hour) => !isThisWeek || Math.abs(hour * 60 - now.minutes) > nearMinutes)
          .map((hour) => (
            <span key={hour} style={span(hour * 60, hour * 60)}>
              {clock(hour * 60, locale).replace(/:00(?=.[AP]M)/, '')}
            </span>
          ))}
        {isThisWeek && <b style={span(now.minutes, now.minutes)}>{clock(now.minutes, locale)}</b>}
      </div>
      {days.map((day, index) => (
        <section
          key={day}
          class={`week-day ${day === today ? 'today' : ''}`}
          aria-label={dayTitle(day, 'long')}
        >
          {/* A bar reaches over the heads of the following days. */}
          <div class="week-head" style={{ zIndex: 10 - index }}>
            <h2>
              {dayTitle(day, 'weekday')} <b>{Number(day.slice(8))}</b>
            </h2>
            {rows > 0 && <div class="all-day">{allDay(index)}</div>}
          </div>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button New event does the same */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the button New event does the same */}
          <div
            class="week-column"
            data-day={day}
            onPointerDown={drag.onColumnDown}
            onClick={drag.onColumnClick}
          >
            {quiet.map(([from, to]) => (
              <div key={from} class="quiet-hours" style={span(from, to)} />
            ))}
            <BusyStrips people={busy} {...{ day, zone, span }} />
            {day === now.day && <div class="now" style={span(now.minutes, now.minutes)} />}
            {columns[index]}
            {ghost && (
              <Ghost
                {...{ ...ghost, day, locale }}
                colour={colourOf(ghost.event && calendarOf(ghost.event))}
              />
            )}
          </div>
        </section>
      ))}
    </div>
  );
}

/** The minute at the top of the week: 07:30, or half an hour before the first event if it starts earlier. */
function firstVisible(events: readonly CalendarEvent[], days: readonly string[], zone: string): number {
  let first = 8 * 60;
  for (const { all_day, start_ts } of events) {
    if (all_day) continue;
    const { day, minutes } = wallTime(start_ts, zone);
    if (minutes < first && days.includes(day)) first = minutes;
  }
  return Math.max(0, first - 30);
}

/** Alt with an arrow key moves an event, with Shift as well it changes the length. */
function moveByKey(key: KeyboardEvent, times: EventTimes): EventTimes | undefined {
  if (!key.altKey) return undefined;
  const days = { ArrowLeft: -1, ArrowRight: 1 }[key.key];
  const minutes = { ArrowUp: -15, ArrowDown: 15 }[key.key];
  if (days !== undefined) return shiftTimes(times, days, 0);
  if (minutes === undefined || times.allDay) return undefined;
  return key.shiftKey ? stretchTimes(times, minutes) : shiftTimes(times, 0, minutes);
}

interface GhostProps extends Pick<Moving, 'times'> {
  /** Absent while a new event is drawn. */
  readonly event: CalendarEvent | undefined;
  readonly colour: string;
  readonly day: string;
  readonly locale: string;
}

/** Where a dragged event would be. */
function Ghost({ times, event, colour, day, locale }: GhostProps) {
  if (day < times.startDay || day > times.endDay) return null;
  const from = times.allDay || day > times.startDay ? 0 : times.startMinutes;
  const to = times.allDay || day < times.endDay ? 24 * 60 : times.endMinutes;
  return (
    <div class="placed ghost tinted" style={{ ...span(from, Math.max(to, from + 15)), '--cal': colour }}>
      {event && <b class="cut">{event.title}</b>}
      {day === times.startDay &&
        !times.allDay &&
        `${clock(from, locale)} – ${clock(times.endMinutes, locale)}`}
    </div>
  );
}

/** The place of some minutes of a day, in hours. */
const span = (from: number, to: number) => ({ '--from': from / 60, '--to': to / 60 });

const isWeekend = (day: string) => [0, 6].includes(new Date(day).getUTCDay());

interface WeekEventProps {
  readonly event: CalendarEvent;
  readonly day: string;
  readonly minutes: number;
  readonly calendar: CalendarData;
  readonly user: User;
  readonly chosen: string | undefined;
  colourOf(calendar: string | undefined): string;
}

/**
 * An event in the week. A full week has a thousand of them, so each has few elements, and the grid handles their clicks
 * and keys.
 */
function weekEvent({ event, day, minutes, calendar, user, chosen, colourOf }: WeekEventProps) {
  const zone = user.timezone ?? 'UTC';
  const time = timeOn(event, day, zone, localeOf(user));
  const isInvited = event.answer === 'needs-action';
  const [reminder] = notificationsFor(calendar, event);
  return (
    <Button
      style={{ '--cal': colourOf(calendarOf(event)) }}
      class={`event tinted ${event.status} ${isPast(event) ? 'past' : ''} ${event.task ?? ''} ${isInvited ? 'invited' : ''} ${minutes < 45 ? 'short' : minutes < 60 ? '' : 'tall'}`}
      aria-pressed={chosen === keyOf(event)}
      title={`${time} ${event.title}${isInvited ? ', waits for your answer' : ''}`.trim()}
    >
      <b>{event.title}</b>
      <span class={minutes < 45 ? 'hidden' : ''}>
        {time} {reminder && <NotificationMark notification={reminder} {...{ calendar, user, day }} isShort />}
      </span>
    </Button>
  );
}

/** True if the lower edge of the event on this day is its end, and can be dragged. */
function isResizable({ all_day, task, end_ts }: CalendarEvent, day: string, zone: string): boolean {
  return !all_day && !task && wallTime(end_ts, zone).day === day;
}
