import { useLayoutEffect, useRef } from 'preact/hooks';
import {
  type CalendarData,
  type CalendarEvent,
  keyOf,
  localeOf,
  notificationsFor,
  type User,
} from '../events/calendar-data.ts';
import { type EventTimes, shiftTimes, stretchTimes, timesOf } from '../events/event-times.ts';
import { useConnection } from '../shared/server-connection.tsx';
import { clock, dayTitle, quietSpans, wallTime } from '../shared/zone-time.ts';
import { layOutAllDay } from './all-day-layout.ts';
import { type BusyPerson, BusyStrips } from './busy-strips.tsx';
import { NotificationMark } from './notification-mark.tsx';
import { useWeekDrag, type WeekActions, type WeekDrag } from './week-drag.ts';
import { layOutDay, type Slot } from './week-layout.ts';

const pixelsPerHour = 48;
/** More all-day events are behind a button. */
const maxAllDayRows = 6;

interface Props extends WeekActions {
  readonly days: readonly string[];
  readonly today: string;
  readonly calendar: CalendarData;
  readonly user: User;
  readonly chosen: string | undefined;
  readonly busy: readonly BusyPerson[];
  choose(event: CalendarEvent): void;
  showOverflow(events: readonly CalendarEvent[]): void;
}

/** Seven days as columns, with quiet hours shaded. A click or a drag in a column creates an event. */
export function WeekGrid(props: Props) {
  const { days, today, calendar, user, busy, showOverflow } = props;
  const { readOnly } = useConnection();
  const box = useRef<HTMLDivElement>(null);
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const drag = useWeekDrag(box, zone, readOnly, props);
  // Scroll to 07:30, or to the first event if it starts earlier.
  useLayoutEffect(() => {
    const starts = calendar.events
      .filter(({ all_day }) => !all_day)
      .map(({ start_ts }) => wallTime(start_ts, zone));
    const first = Math.min(
      8 * 60,
      ...starts.filter(({ day }) => days.includes(day)).map(({ minutes }) => minutes),
    );
    box.current?.scrollTo({ top: ((first - 30) / 60) * pixelsPerHour });
  }, [days[0]]);
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
            style={{ top: `${row * 1.4}rem`, width: `calc(${count * 100}% + ${count - 1}px - 3px)` }}
          >
            <EventBlock {...{ ...props, event, day: days[index]!, drag, minutes: 0 }} />
          </div>
        ))}
        {rest.length > 0 && (
          <button
            type="button"
            class="plain more"
            aria-label={`${rest.length} more on ${dayTitle(days[index]!, 'long')}`}
            onClick={() => showOverflow(rest.map(({ event }) => event))}
          >
            +{rest.length}
          </button>
        )}
      </>
    );
  };
  return (
    <div
      class={`week ${drag.ghost ? 'dragging' : ''}`}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Week"
      style={{ '--all-day-rows': Math.min(rows, maxAllDayRows) + (rows > maxAllDayRows ? 1 : 0) }}
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
      {days.map((day, index) => {
        const { placed, overflows } = layOutDay(calendar.events, day, zone);
        return (
          <section key={day} class="week-day" aria-label={dayTitle(day, 'long')}>
            {/* A bar reaches over the heads of the following days. */}
            <div class="week-head" style={{ zIndex: 10 - index }}>
              <h2 class={day === today ? 'today' : ''}>{dayTitle(day)}</h2>
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
              {placed.map(({ event, ...slot }) => (
                <div key={keyOf(event)} class="placed" style={slotStyle(slot)}>
                  <EventBlock {...{ ...props, event, day, drag, minutes: slot.to - slot.from }} />
                </div>
              ))}
              {overflows.map(({ events, ...slot }) => (
                <div key={slot.from} class="placed" style={slotStyle(slot)}>
                  <button
                    type="button"
                    class="event overflow"
                    aria-label={`${events.length} more at this time`}
                    onClick={() => showOverflow(events)}
                  >
                    +{events.length}
                  </button>
                </div>
              ))}
              <Ghost times={drag.ghost} day={day} locale={locale} />
            </div>
          </section>
        );
      })}
    </div>
  );
}

interface BlockProps extends Pick<Props, 'calendar' | 'user' | 'chosen' | 'choose' | 'move'> {
  readonly event: CalendarEvent;
  readonly day: string;
  readonly drag: WeekDrag;
  readonly minutes: number;
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

function EventBlock({ calendar, user, chosen, choose, move, event, day, drag, minutes }: BlockProps) {
  const { readOnly } = useConnection();
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const time = eventTime(event, day, zone, locale);
  const ends = wallTime(event.end_ts, zone).day === day;
  return (
    <>
      <button
        type="button"
        class={`event ${event.status} ${event.task ? `task ${event.task}` : ''} ${minutes < 45 ? 'one-line' : minutes < 90 ? 'two-lines' : ''}`}
        aria-pressed={chosen === keyOf(event)}
        onClick={() => !drag.swallowClick() && choose(event)}
        onPointerDown={(pointer) => !event.task && drag.onEventDown(pointer, event, 'move')}
        onKeyDown={(key) => {
          const times = readOnly || event.task ? undefined : moveByKey(key, timesOf(event, zone));
          if (times === undefined) return;
          key.preventDefault();
          move(event, times);
        }}
        title={`${time} ${event.title}`.trim()}
      >
        <strong>{event.title}</strong> {time && <span class="event-time">{time}</span>}{' '}
        {notificationsFor(calendar, event).map((one) => (
          <NotificationMark key={one.id} notification={one} day={day} zone={zone} locale={locale} />
        ))}
      </button>
      {!event.all_day && !event.task && ends && (
        <span
          class="resize"
          aria-hidden="true"
          onPointerDown={(pointer) => drag.onEventDown(pointer, event, 'resize')}
        />
      )}
    </>
  );
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

function spanStyle(from: number, to: number) {
  return {
    top: `${(from / 60) * pixelsPerHour}px`,
    height: `${((to - from) / 60) * pixelsPerHour}px`,
  };
}

function slotStyle({ from, to, lane, lanes }: Slot) {
  return {
    top: `${(from / 60) * pixelsPerHour}px`,
    height: `${Math.max(20, ((to - from) / 60) * pixelsPerHour - 1)}px`,
    left: `${(lane / lanes) * 100}%`,
    width: `${100 / lanes}%`,
  };
}
