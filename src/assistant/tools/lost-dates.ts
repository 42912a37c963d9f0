import type { CalendarEvent } from '../../store/schema.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { dateIn } from '../entities/view.ts';

/** Warns that a series which was moved to a later first date has lost the dates before it. */
export async function lostDates(
  data: AssistantData,
  before: CalendarEvent,
  after: CalendarEvent,
): Promise<readonly string[]> {
  const isMoved = before.series !== null && after.series !== null && after.start_ms > before.start_ms;
  if (!isMoved) return [];
  const { timezone } = preferencesOf(await data.store.read((db) => findUser(db, before.user_id)));
  const window = { fromMs: before.start_ms, toMs: after.start_ms + 1 };
  const starts = (await data.occurrences(before, window, timezone)).map(({ startMs }) => startMs);
  // The last date before the new first one has become it, unless another date was there.
  const lost = starts.length - 1;
  if (lost < 1) return [];
  return [
    `${lost} ${lost === 1 ? 'date' : 'dates'} of the series before ${dateIn(timezone, after.start_ms)} no longer ${lost === 1 ? 'exists' : 'exist'}, because the whole series begins then. To keep them, move it back, and name occurrence, with following for all later dates.`,
  ];
}
