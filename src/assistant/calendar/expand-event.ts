import { Pace } from '../../awaitable.ts';
import {
  type Occurrence,
  type SourceFields,
  singleOccurrence,
  sourceFields,
  taskState,
  type Window,
} from '../entities/occurrence.ts';
import type { EventDetails, Series, Occurrence as SeriesOccurrence } from '../icalendar/series.ts';
import type { CalendarEvent } from '../store/schema.ts';

const monthMs = 30 * 86_400_000;
const maxSlices = 48;

/** Returns the occurrences of a stored event that start in the window. */
export async function expandEvent(
  event: CalendarEvent,
  window: Window,
  zone: string,
): Promise<readonly Occurrence[]> {
  if (event.series === null) return singleOccurrence(event, window);
  const { occurrences } = await import('../icalendar/recurrence.ts');
  const series = JSON.parse(event.series) as Series;
  const found: SeriesOccurrence[] = [];
  const pace = new Pace();
  const length = await sliceLength(series, window);
  for (let { fromMs } = window; fromMs <= window.toMs; fromMs += length) {
    // `window.toMs` is inclusive here and exclusive in `occurrences`.
    const toMs = Math.min(fromMs + length, window.toMs + 1);
    for (const occurrence of occurrences(series, { fromMs, toMs, zone }).occurrences)
      if (occurrence.startMs >= fromMs) found.push(occurrence);
    await pace.pause;
  }
  return found.map(({ recurrenceId = '', startMs, endMs, details }) => ({
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

/** Unusual rules are expanded month by month, because other requests wait during each slice. */
async function sliceLength({ rules = [], exceptionRules = [] }: Series, window: Window): Promise<number> {
  const { isFast } = await import('../icalendar/rule.ts');
  const length = window.toMs + 1 - window.fromMs;
  return [...rules, ...exceptionRules].every(isFast) ? length : Math.max(monthMs, length / maxSlices);
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
