import type { CalendarEvent, EventStatus } from '../../store/schema.ts';
import type { EventDetails } from '../icalendar/series.ts';

/** The provider of events to which somebody on this server invites a person. */
export const invitation = 'invitation';

/** A time range that includes both ends. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a calendar says besides the texts: who answered how, alarms, whether a task is done and whether the time is taken. */
export type SourceFields = Pick<EventDetails, 'answers' | 'alarms' | 'task' | 'showAs'>;

/** One occurrence of an event, with the fields that can differ between occurrences. */
export interface Occurrence extends SourceFields {
  /** Empty for a single event. In a series, the original start (ISO, UTC), even if the occurrence was moved. */
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly title: string;
  readonly location: string | null;
  readonly description: string | null;
  readonly status: EventStatus;
}

/** How long one request may work on unusual recurrence rules. */
export class RuleBudget {
  leftMs = 5_000;
  /** Events whose rules take too long. Only their start, added dates and changed occurrences are known. */
  readonly slow: CalendarEvent[] = [];
}

/**
 * Returns occurrences that start in the window, sorted by start, without cancelled ones. `zone` is the user's. Reports
 * events with slow rules in the budget.
 */
export type Occurrences = (
  event: CalendarEvent,
  window: Window,
  zone: string,
  budget?: RuleBudget,
) => Promise<readonly Occurrence[]>;

/** For events without a series. */
export function singleOccurrence(event: CalendarEvent, window: Window): readonly Occurrence[] {
  if (event.start_ms < window.fromMs || event.start_ms > window.toMs) return [];
  const { start_ms: startMs, end_ms: endMs, title, location, description, status } = event;
  return [{ key: '', startMs, endMs, title, location, description, status, ...sourceFields(event, startMs) }];
}

/** The fields of an event that can differ between its occurrences. */
export function sourceFields(
  event: Pick<CalendarEvent, 'answers' | 'alarms' | 'task' | 'show_as' | 'done'>,
  startMs: number,
): SourceFields {
  const { answers, alarms, task, show_as: showAs } = event;
  return {
    ...(answers !== null && { answers: JSON.parse(answers) as NonNullable<EventDetails['answers']> }),
    ...(alarms !== null && { alarms: JSON.parse(alarms) as NonNullable<EventDetails['alarms']> }),
    ...(task !== null && { task: taskState(task, event, startMs) }),
    ...(showAs !== null && { showAs }),
  };
}

/** Whether a task that is due at this time is done, in its calendar or here. */
export function taskState(
  task: 'open' | 'done',
  event: Pick<CalendarEvent, 'done'>,
  startMs: number,
): 'open' | 'done' {
  return doneStarts(event).includes(startMs) ? 'done' : task;
}

export function doneStarts({ done }: Pick<CalendarEvent, 'done'>): readonly number[] {
  return done === null ? [] : (JSON.parse(done) as number[]);
}

/** True if the occurrence takes up no time. Whole days do so only if the event says it: a birthday blocks nothing. */
export function isFree(
  { all_day }: Pick<CalendarEvent, 'all_day'>,
  { showAs }: Pick<Occurrence, 'showAs'>,
): boolean {
  return showAs === 'free' || (showAs === undefined && all_day === 1);
}
