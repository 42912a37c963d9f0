/** A date, or a date with a time, as its calendar wrote it. Which instant that is follows from the zone. */
export interface CalendarTime {
  /** `2026-03-29` for a whole day, `2026-03-29T02:30:00` for a time. */
  readonly wall: string;
  /** `UTC`, a name Intl knows, or a key of the series' own `zones`. Absent: the zone of whoever looks. */
  readonly zone?: string;
}

/** Days are as long as the clock of the place makes them; seconds are exact. */
export interface Duration {
  readonly days: number;
  readonly seconds: number;
}

export const statuses = ['confirmed', 'tentative', 'cancelled'] as const;

/** What an event says about itself. Text of strangers: data, never instruction. */
export interface EventDetails {
  readonly title: string;
  readonly status: (typeof statuses)[number];
  readonly description?: string;
  readonly location?: string;
  /** Where to join: the conference address, else the event's own address. */
  readonly link?: string;
  readonly organizer?: string;
  readonly attendees?: readonly string[];
  /** The event does not block the time. */
  readonly free?: true;
}

/** When an event happens: once, or again and again. Plain JSON, as it is kept in the store. */
export interface Series {
  readonly start: CalendarTime;
  readonly duration: Duration;
  /** Values of RRULE, and of EXRULE, which older calendars use. */
  readonly rules?: readonly string[];
  readonly exceptionRules?: readonly string[];
  readonly dates?: readonly AddedDate[];
  readonly exceptions?: readonly CalendarTime[];
  readonly overrides?: readonly Override[];
  /** Only the overrides are known, as in an invitation to one meeting of a series. */
  readonly detached?: true;
  /** Zones that nothing but the calendar itself knows. */
  readonly zones?: Readonly<Record<string, readonly Observance[]>>;
}

export interface AddedDate {
  readonly start: CalendarTime;
  readonly duration?: Duration;
}

/** One instance, or one and all that follow it, that differ from the rest. */
export interface Override {
  /** The start that the instance would have had. */
  readonly id: CalendarTime;
  readonly andFollowing?: true;
  readonly start: CalendarTime;
  readonly duration: Duration;
  readonly details: EventDetails;
}

/** A stretch of a zone's year: from an onset on, clocks are `to` seconds ahead of UTC. */
export interface Observance {
  /** The onset, on a clock that still shows `from`. */
  readonly start: string;
  readonly from: number;
  readonly to: number;
  readonly rules?: readonly string[];
  readonly dates?: readonly string[];
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Where whoever looks is: decides about whole days and times without a zone. */
  readonly zone: string;
}

export interface Occurrence {
  /** The start its rule gave it, which stays when it is moved; absent for what happens once. */
  readonly recurrenceId?: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly allDay: boolean;
  /** Present where this occurrence says something else than the event. */
  readonly details?: EventDetails;
}

export interface Expansion {
  /** In the order of their starts. Cancelled ones are left out; one that is under way counts. */
  readonly occurrences: readonly Occurrence[];
  /** There would be more: the rule yields more than anybody can use. */
  readonly truncated: boolean;
}

export function isWholeDay(time: CalendarTime): boolean {
  return time.wall.length === 10;
}
