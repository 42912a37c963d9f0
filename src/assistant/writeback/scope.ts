import { Failure } from '../../failure.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { instantOf, offsetsOf } from '../icalendar/zone.ts';
import type { EditContext } from './edit.ts';

const dayMs = 86_400_000;

/** Which dates of a series a change is for. Without an occurrence, all. */
export interface Scope {
  /** Key from list_events. */
  readonly occurrence?: string | undefined;
  /** Also all later occurrences. */
  readonly following?: boolean | undefined;
}

export interface FoundOccurrence extends Occurrence {
  /** Original start. */
  readonly keyMs: number;
}

export async function findOccurrence(
  data: AssistantData,
  event: CalendarEvent,
  key: string | undefined,
  editing: Pick<EditContext, 'nowMs' | 'userZone'>,
): Promise<FoundOccurrence | undefined> {
  if (key === undefined) return undefined;
  const window = { fromMs: event.first_ms, toMs: Math.min(event.last_ms, editing.nowMs + 4000 * dayMs) };
  const all = event.series === null ? [] : await data.occurrences(event, window, editing.userZone);
  const found = all.find((one) => one.key === key);
  if (found === undefined)
    throw new Failure(
      'resource-not-found',
      'Occurrence not found. list_events shows the occurrences of a series.',
    );
  return { ...found, keyMs: keyInstant(key, editing.userZone) };
}

/** The key of an all-day or floating occurrence is local time of the user. */
function keyInstant(key: string, zone: string): number {
  if (key.endsWith('Z')) return Date.parse(key);
  const wallMs = Date.parse(key.length === 10 ? key : `${key}Z`);
  return instantOf(wallMs, offsetsOf(zone) ?? (() => 0));
}

export function isFirst(event: CalendarEvent, { keyMs }: FoundOccurrence): boolean {
  return keyMs <= event.start_ms;
}
