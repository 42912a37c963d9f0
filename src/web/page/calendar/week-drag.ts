import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type CalendarEvent, keyOf } from '../events/calendar-data.ts';
import { daysBetween, type EventTimes, shiftTimes, stretchTimes, timesOf } from '../events/event-times.ts';
import type { Moving } from './use-moves.ts';

/** A pointer that moves less than this has clicked. */
const clickPixels = 6;
const step = 15;

export interface WeekActions {
  create(times: EventTimes): void;
  move(event: CalendarEvent, times: EventTimes): void;
}

interface Place {
  readonly day: string;
  readonly minutes: number;
}

/** Creates events by clicking or dragging in a column, and moves or resizes them. Escape ends a drag. */
export function useWeekDrag(
  box: RefObject<HTMLElement | null>,
  zone: string,
  readOnly: boolean,
  { create, move }: WeekActions,
) {
  // Where the dragged event would be.
  const [ghost, setGhost] = useState<Moving | undefined>();
  const swallow = useRef(false);

  const placeAt = ({ clientX, clientY }: MouseEvent): Place | undefined => {
    const columns = [...(box.current?.querySelectorAll<HTMLElement>('.week-column') ?? [])];
    const column = columns.find((one) => {
      const { left, right } = one.getBoundingClientRect();
      return clientX >= left && clientX < right;
    });
    if (column === undefined) return undefined;
    const { top, height } = column.getBoundingClientRect();
    const minutes = ((clientY - top) / height) * 24 * 60;
    return { day: column.dataset['day']!, minutes: Math.min(Math.max(minutes, 0), 24 * 60 - step) };
  };

  /** Follows the pointer until it is released. `at` computes the times for a place. */
  const follow = (
    down: PointerEvent,
    at: (place: Place) => EventTimes,
    done: (times: EventTimes) => void,
    key?: string,
    place?: Element | null,
  ) => {
    if (down.button !== 0 || down.pointerType === 'touch' || readOnly) return;
    let times: EventTimes | undefined;
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      place?.classList.remove('from');
      setGhost(undefined);
    };
    const onMove = (pointer: PointerEvent) => {
      const far = Math.hypot(pointer.clientX - down.clientX, pointer.clientY - down.clientY) > clickPixels;
      const to = far || times !== undefined ? placeAt(pointer) : undefined;
      if (to === undefined) return;
      // A dashed outline stays where the event was.
      place?.classList.add('from');
      times = at(to);
      setGhost({ key, times });
    };
    const onUp = () => {
      end();
      if (times === undefined) return;
      swallow.current = true;
      setTimeout(() => {
        swallow.current = false;
      });
      done(times);
    };
    const { signal } = ended;
    addEventListener('pointermove', onMove, { signal });
    addEventListener('pointerup', onUp, { signal });
    addEventListener('pointercancel', end, { signal });
    addEventListener('keydown', (key) => key.key === 'Escape' && end(), { signal });
  };

  /** True once after a drag, because the browser reports a click as well. */
  const swallowClick = () => {
    const swallowed = swallow.current;
    swallow.current = false;
    return swallowed;
  };
  return {
    ghost,
    swallowClick,
    onColumnDown(pointer: PointerEvent) {
      const start = placeAt(pointer);
      if (start === undefined || isOnEvent(pointer)) return;
      const from = snap(start.minutes);
      follow(
        pointer,
        ({ minutes }) =>
          timed(start.day, Math.min(from, snap(minutes)), Math.max(from + step, snap(minutes))),
        create,
      );
    },
    onColumnClick(click: MouseEvent) {
      const place = placeAt(click);
      if (isOnEvent(click) || swallowClick() || place === undefined || readOnly) return;
      const from = Math.min(Math.floor(place.minutes / 30) * 30, 23 * 60);
      create(timed(place.day, from, from + 60));
    },
    onEventDown(pointer: PointerEvent, event: CalendarEvent, kind: 'move' | 'resize') {
      const start = placeAt(pointer);
      if (start === undefined) return;
      // Otherwise the browser selects the text of the event.
      if (pointer.pointerType !== 'touch') pointer.preventDefault();
      (pointer.target as Element).closest('button')?.focus();
      const before = timesOf(event, zone);
      follow(
        pointer,
        ({ day, minutes }) => {
          const days = daysBetween(start.day, day);
          const by = event.all_day ? 0 : snap(minutes - start.minutes);
          return kind === 'move' ? shiftTimes(before, days, by) : stretchTimes(before, days * 24 * 60 + by);
        },
        (times) => JSON.stringify(times) !== JSON.stringify(before) && move(event, times),
        keyOf(event),
        (pointer.target as Element).closest('[data-event]'),
      );
    },
  };
}

function snap(minutes: number): number {
  return Math.round(minutes / step) * step;
}

function timed(day: string, from: number, to: number): EventTimes {
  const end = Math.min(to, 24 * 60 - 1);
  return {
    allDay: false,
    startDay: day,
    startMinutes: from,
    endDay: day,
    endMinutes: end === to ? to : 24 * 60 - step,
  };
}

function isOnEvent({ target }: Event): boolean {
  return target instanceof Element && target.closest('.placed') !== null;
}
