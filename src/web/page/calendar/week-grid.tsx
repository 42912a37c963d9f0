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
import { type EventTimes, shiftTimes, stretchTimes, timesOf } from '../events/event-times.ts';
import { useConnection } from '../shared/server-connection.tsx';
import { clock, dayTitle, quietSpans, wallTime } from '../shared/zone-time.ts';
import { type BusyPerson, BusyStrips } from './busy-strips.tsx';
import { NotificationMark } from './notification-mark.tsx';
import type { Moving } from './use-moves.ts';
import { useWeekDrag, type WeekActions } from './week-drag.ts';
import { layOutAllDay, layOutWeek, type Slot } from './week-layout.ts';

const pixelsPerHour = 48;
/** Height of the lower edge of an event. Dragging the edge changes the length of the event. */
const edgePixels = 6;
/** More all-day events are behind a button. */
const maxAllDayRows = 6;
/** A fuller week shows the hours at its top first, and the rest a moment later. */
const maxAtOnce = 200;
const firstMinutes = 8 * 60;
/** How far an event is indented that overlaps an earlier one, in percent of the day. */
const indent = 22;

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
  useLayoutEffect(() => box.current?.scrollTo({ top: (top / 60) * pixelsPerHour }), [days[0]]);
  const [complete, setComplete] = useState<string | undefined>();
  useEffect(() => {
    const timer = setTimeout(() => setComplete(days[0]));
    return () => clearTimeout(timer);
  }, [days[0]]);
  const whole = complete === days[0] || week.reduce((sum, { placed }) => sum + placed.length, 0) <= maxAtOnce;
  // The same elements as before are not compared again, for example while an event is dragged.
  const columns = useMemo(
    () =>
      week.map(({ placed, overflows }, index) => {
        const day = days[index]!;
        const isShown = ({ from, to }: Slot) => whole || (to >= top && from < top + firstMinutes);
        return [
          ...placed.filter(isShown).map(({ event, ...slot }) => (
            <div
              key={keyOf(event)}
              class={`placed ${isResizable(event, day, zone) ? 'resizable' : ''} ${moving?.key === keyOf(event) ? 'from' : ''}`}
              data-event={keyOf(event)}
              style={slotStyle(slot)}
            >
              {weekEvent({ event, day, minutes: slot.to - slot.from, calendar, user, chosen, colourOf })}
            </div>
          )),
          ...overflows.filter(isShown).map(({ events, ...slot }) => (
            <div key={slot.from} class="placed" style={slotStyle(slot)}>
              <Button class="event overflow" onClick={() => showOverflow(events)}>
                +{events.length}
                <span class="hidden"> more</span> at {clock(slot.from, localeOf(user))}
              </Button>
            </div>
          )),
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
            style={{ top: `${row * 1.4}rem`, width: `calc(${count * 100}% + ${count - 1}px - 3px)` }}
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
      style={{ '--all-day-rows': Math.min(rows, maxAllDayRows) + (rows > maxAllDayRows ? 1 : 0) }}
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
      <div
        class={`week-hours ${rows > 0 ? 'below-all-day' : ''}`}
        style={{ height: `${24 * pixelsPerHour}px` }}
      >
        {Array.from({ length: 12 }, (_, index) => index * 2).map((hour) => (
          <span key={hour} style={{ top: `${hour * pixelsPerHour}px` }}>
            {clock(hour * 60, locale)}
          </span>
        ))}
      </div>
      {days.map((day, index) => (
        <section key={day} class="week-day" aria-label={dayTitle(day, 'long')}>
          {/* A bar reaches over the heads of the following days. */}
          <div class="week-head" style={{ zIndex: 10 - index }}>
            <h2 class={day === today ? 'today' : ''}>
              <span>{dayTitle(day)}</span>
            </h2>
            {rows > 0 && <div class="all-day">{allDay(index)}</div>}
          </div>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button New event does the same */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the button New event does the same */}
          <div
            class="week-column"
            data-day={day}
            style={{ height: `${24 * pixelsPerHour}px`, backgroundSize: `100% ${2 * pixelsPerHour}px` }}
            onPointerDown={drag.onColumnDown}
            onClick={drag.onColumnClick}
          >
            {quiet.map(([from, to]) => (
              <div key={from} class="quiet-hours" style={spanStyle(from, to)} />
            ))}
            <BusyStrips people={busy} {...{ day, zone, spanStyle }} />
            {day === now.day && (
              <div class="now" style={{ top: `${(now.minutes / 60) * pixelsPerHour}px` }} />
            )}
            {columns[index]}
            <Ghost times={drag.ghost ?? moving?.times} day={day} locale={locale} />
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

/** Where a dragged event would be. */
function Ghost({ times, day, locale }: { times: EventTimes | undefined; day: string; locale: string }) {
  if (times === undefined || day < times.startDay || day > times.endDay) return null;
  const from = times.allDay || day > times.startDay ? 0 : times.startMinutes;
  const to = times.allDay || day < times.endDay ? 24 * 60 : times.endMinutes;
  return (
    <div class="placed ghost" style={spanStyle(from, Math.max(to, from + 15))}>
      {day === times.startDay &&
        !times.allDay &&
        `${clock(from, locale)} – ${clock(times.endMinutes, locale)}`}
    </div>
  );
}

function spanStyle(from: number, to: number) {
  return {
    top: `${(from / 60) * pixelsPerHour}px`,
    height: `${((to - from) / 60) * pixelsPerHour}px`,
  };
}

function slotStyle({ from, to, lane, lanes }: Slot) {
  return {
    top: `${(from / 60) * pixelsPerHour}px`,
    height: `${Math.max(24, ((to - from) / 60) * pixelsPerHour - 1)}px`,
    // A later event lies on top and is indented, so that both titles show.
    '--indent': `${lane * Math.min(indent, 100 / lanes)}%`,
    '--lane': lane,
  };
}

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
  const locale = localeOf(user);
  const time = eventTime(event, day, zone, locale);
  return (
    <Button
      style={{ '--cal': colourOf(calendarOf(event)) }}
      class={`event tinted ${event.status} ${Date.parse(event.end_ts) < Date.now() ? 'past' : ''} ${event.task ? `task ${event.task}` : ''} ${minutes < 45 ? 'one-line' : minutes < 90 ? 'two-lines' : ''}`}
      aria-pressed={chosen === keyOf(event)}
      title={`${time} ${event.title}`.trim()}
    >
      <strong>{event.title}</strong>
      {` ${time} `}
      {notificationsFor(calendar, event).map((one) => (
        <NotificationMark key={one.id} notification={one} {...{ calendar, user, day }} />
      ))}
    </Button>
  );
}

/** True if the lower edge of the event on this day is its end, and can be dragged. */
function isResizable({ all_day, task, end_ts }: CalendarEvent, day: string, zone: string): boolean {
  return !all_day && !task && wallTime(end_ts, zone).day === day;
}

/** The start of an event or, on a later day, its end. */
function eventTime(
  { start_ts, end_ts, all_day }: CalendarEvent,
  day: string,
  zone: string,
  locale: string,
): string {
  if (all_day) return '';
  const [start, end] = [wallTime(start_ts, zone), wallTime(end_ts, zone)];
  if (start.day === day) return clock(start.minutes, locale);
  return end.day === day ? `until ${clock(end.minutes, locale)}` : '';
}
