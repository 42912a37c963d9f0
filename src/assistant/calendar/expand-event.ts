import {
  type Occurrence,
  type SourceFields,
  singleOccurrence,
  sourceFields,
  taskState,
  type Window,
} from '../entities/occurrence.ts';
import type { EventDetails, Series } from '../icalendar/series.ts';
import type { CalendarEvent } from '../store/schema.ts';

/** Returns the occurrences of a stored event that start in the window. */
export async function expandEvent(
  event: CalendarEvent,
  window: Window,
  zone: string,
): Promise<readonly Occurrence[]> {
  if (event.series === null) return singleOccurrence(event, window);
  const { occurrences } = await import('../icalendar/recurrence.ts');
  const series = JSON.parse(event.series) as Series;
  // `window.toMs` is inclusive here and exclusive in `occurrences`.
  const { occurrences: found } = occurrences(series, { ...window, toMs: window.toMs + 1, zone });
  return found
    .filter(({ startMs }) => startMs >= window.fromMs)
    .map(({ recurrenceId = '', startMs, endMs, details }) => ({
      key: recurrenceId,
      startMs,
      endMs,
      title: details?.title ?? event.title,
      location: details === undefined ? event.location : (details.location ?? null),
      description: details === undefined ? event.description : (details.description ?? null),
      status: details?.status ?? event.status,
      ...(details === undefined ? sourceFields(event, startMs) : pick(details, event, startMs)),
    }));
}

function pick(
  { answers, alarms, task, free }: EventDetails,
  event: CalendarEvent,
  startMs: number,
): SourceFields {
  return {
    ...(answers && { answers }),
    ...(alarms && { alarms }),
    ...(task && { task: taskState(task, event, startMs) }),
    ...(free && { free }),
  };
}

/** Returns the times of the first occurrence. For floating times, the stored ones may be for another time zone. */
export async function firstTimes(
  event: CalendarEvent,
  zone: string,
): Promise<Pick<Occurrence, 'startMs' | 'endMs'>> {
  const { start_ms: startMs, end_ms: endMs } = event;
  const series = event.series === null ? undefined : (JSON.parse(event.series) as Series);
  if (series === undefined || series.start.zone !== undefined || series.detached) return { startMs, endMs };
  const { firstOccurrence } = await import('../icalendar/recurrence.ts');
  return firstOccurrence(series, zone);
}
