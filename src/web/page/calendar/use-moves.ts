import { useEffect, useState } from 'preact/hooks';
import {
  type CalendarData,
  type CalendarEvent,
  keyOf,
  localeOf,
  type User,
} from '../events/calendar-data.ts';
import { questionOf, serverNote } from '../events/event-change.tsx';
import { type EventTimes, formatTimes, timesOf, writtenTimes } from '../events/event-times.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

/** An event on its way: where it goes, until the server has reported it there. A new one has no key. */
export interface Moving {
  readonly key: string | undefined;
  readonly times: EventTimes;
}

/**
 * Moves events at once, with undo. `ask` opens the question for a series, and for an event whose calendar server notifies
 * others.
 */
export function useMoves(
  user: User,
  calendar: CalendarData | undefined,
  ask: (event: CalendarEvent, times: EventTimes) => void,
) {
  const { client } = useConnection();
  const toast = useToast();
  const [moving, setMoving] = useState<Moving | undefined>();
  const [settled, setSettled] = useState(true);
  useEffect(() => {
    if (settled) setMoving(undefined);
  }, [calendar]);
  const move = async (event: CalendarEvent, times: EventTimes) => {
    if (event.occurrence !== undefined) return ask(event, times);
    const zone = user.timezone ?? 'UTC';
    const event_id = event.id;
    setSettled(false);
    setMoving({ key: keyOf(event), times });
    try {
      const { answer, undo } = await client.undoable('update_event', {
        event_id,
        ...writtenTimes(times, zone),
      });
      const before = writtenTimes(timesOf(event, zone), zone);
      toast({
        text: `Moved “${event.title}” to ${formatTimes(times, localeOf(user))}.${serverNote(answer)}`,
        // Only the server knows whether somebody has changed the event since. It cannot undo a change on a calendar server.
        undo: undo ?? (() => client.tool('update_event', { event_id, ...before })),
      });
    } catch (error) {
      setMoving(undefined);
      if (questionOf(error) === undefined) toast({ text: asError(error).message });
      else ask(event, times);
    } finally {
      setSettled(true);
    }
  };
  return { moving, move };
}
