import { present } from '../../json.ts';
import { log } from '../../log.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import {
  type Occurrence,
  RuleBudget,
  type SourceFields,
  singleOccurrence,
  sourceFields,
  taskState,
  type Window,
} from '../entities/occurrence.ts';
import type { SeriesExpansion } from '../icalendar/recurrence.ts';
import type { EventDetails, Series, Window as SeriesWindow } from '../icalendar/series.ts';

const monthMs = 30 * 86_400_000;
const maxRemembered = 20_000;
/** Events whose rules took too long in a time range. */
const slowEvents = new Set<string>();

/** Returns the occurrences of a stored event that start in the window. */
export async function expandEvent(
  event: CalendarEvent,
  window: Window,
  zone: string,
  budget?: RuleBudget,
): Promise<readonly Occurrence[]> {
  if (event.series === null) return singleOccurrence(event, window);
  const found = await expandWithin(event, event.series, { ...window, zone }, budget ?? new RuleBudget());
  if (found.slow && budget === undefined)
    log('warning', `the recurrence rule of event ${event.id} takes too long to compute and is left out`);
  return found.occurrences.map(({ recurrenceId = '', startMs, endMs, details }) => ({
    key: recurrenceId,
    startMs,
    endMs,
    title: details?.title ?? event.title,
    location: details === undefined ? event.location : (details.location ?? null),
    description: details === undefined ? event.description : (details.description ?? null),
    status: details?.status ?? event.status,
    ...(details === undefined ? sourceFields(event, startMs) : ownFields(details, event, startMs)),
  }));
}

/** Remembers slow rules, so that thousands of them cost their limits only once, and every call has the same result. */
async function expandWithin(
  event: CalendarEvent,
  series: string,
  window: SeriesWindow,
  budget: RuleBudget,
): Promise<SeriesExpansion> {
  const { expandStored } = await import('../icalendar/rule-thread.ts');
  const months = [window.fromMs, window.toMs].map((ms) => Math.floor(ms / monthMs));
  const key = [event.id, event.revision, ...months].join(' ');
  const isSpent = budget.leftMs <= 0;
  const found = await expandStored(series, window, isSpent || slowEvents.has(key));
  budget.leftMs -= found.usedMs;
  if (!found.slow) return found;
  budget.slow.push(event);
  if (slowEvents.size >= maxRemembered) slowEvents.clear();
  if (!isSpent) slowEvents.add(key);
  return found;
}

function ownFields(details: EventDetails, event: CalendarEvent, startMs: number): SourceFields {
  const { answers, alarms, task, free } = details;
  const showAs = details.showAs ?? (free ? 'free' : undefined);
  return present({ answers, alarms, task: task && taskState(task, event, startMs), showAs });
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
