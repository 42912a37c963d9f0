import type { CalendarEvent, EventStatus } from '../store/schema.ts';

/** Both ends belong to it. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One time at which an event takes place, with what is particular to that time. */
export interface Occurrence {
  /** Empty for a single event; in a series the instant the rule gave it (ISO, UTC), also after it was moved. */
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly title: string;
  readonly location: string | null;
  readonly description: string | null;
  readonly status: EventStatus;
}

/** The occurrences that start within the window, by start; cancelled ones are left out. `zone` is the user's. */
export type Occurrences = (
  event: CalendarEvent,
  window: Window,
  zone: string,
) => Promise<readonly Occurrence[]> | readonly Occurrence[];

/** For events that their start and end tell all about. */
export function singleOccurrence(event: CalendarEvent, window: Window): readonly Occurrence[] {
  if (event.start_ms < window.fromMs || event.start_ms > window.toMs) return [];
  const { start_ms: startMs, end_ms: endMs, title, location, description, status } = event;
  return [{ key: '', startMs, endMs, title, location, description, status }];
}
