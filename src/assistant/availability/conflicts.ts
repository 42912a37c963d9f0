import type { CalendarEvent } from '../../store/schema.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import { busyTimes } from './busy-times.ts';
import { mergeSpans, overlaps } from './spans.ts';

const dayMs = 86_400_000;
/** Occurrences of a series are checked this far ahead. */
const aheadMs = 366 * dayMs;
const maxConflicts = 10;

export interface Conflict {
  readonly event_id: string;
  readonly occurrence?: string;
  readonly title: string;
  readonly start_ts: string;
  readonly end_ts: string;
  readonly tentative?: true;
}

/** Lists other events of the same user that overlap an event: for a series, those within a year. */
export async function findConflicts(
  data: AssistantData,
  event: CalendarEvent,
  intervalMs: number,
): Promise<readonly Conflict[]> {
  if (event.status === 'cancelled' || event.task !== null || event.free === 1) return [];
  return data.store.read(async (db) => {
    const user = await findUser(db, event.user_id);
    const zone = preferencesOf(user).timezone;
    const fromMs = Math.max(event.first_ms, data.clock()) - dayMs;
    const toMs = Math.min(event.last_ms + dayMs, fromMs + aheadMs);
    if (toMs <= fromMs) return [];
    const own = (await data.occurrences(event, { fromMs, toMs }, zone)).filter(
      ({ endMs }) => endMs > data.clock(),
    );
    if (own.length === 0) return [];
    const window = { startMs: own[0]!.startMs, endMs: Math.max(...own.map(({ endMs }) => endMs)) };
    const taken = mergeSpans(own);
    const { busy } = await busyTimes(data, db, user, window, intervalMs);
    return busy
      .filter((other) => other.event.id !== event.id && overlaps(taken, other))
      .slice(0, maxConflicts)
      .map(({ event: other, occurrence, tentative }) => ({
        event_id: other.id,
        ...(occurrence.key !== '' && { occurrence: occurrence.key }),
        title: occurrence.title,
        start_ts: timestamp(occurrence.startMs),
        end_ts: timestamp(occurrence.endMs),
        ...(tentative && { tentative: true as const }),
      }));
  });
}
