import type { User } from '../../store/schema.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { parseTime } from '../entities/written-time.ts';
import { planChange } from './change-notice.ts';
import { rowsOf } from './plan-rows.ts';
import type { DesiredNotification } from './planner.ts';

const dayMs = 86_400_000;

/** A change that is not made yet. Without a start, the event is cancelled. */
export interface IntendedChange {
  readonly occurrence?: string | undefined;
  readonly following?: boolean | undefined;
  readonly start_ts?: string | undefined;
}

/** The notices that a change of an event would send to its user. Changes nothing. */
export async function previewChange(
  data: AssistantData,
  eventId: string,
  { occurrence: key, following = false, start_ts }: IntendedChange,
): Promise<{ readonly user: User; readonly notices: readonly DesiredNotification[] }> {
  const nowMs = data.clock();
  const { event, user, rows } = await data.store.read(async (db) => {
    const found = await findEvent(db, eventId);
    return { event: found, user: await findUser(db, found.user_id), rows: await rowsOf(db, eventId) };
  });
  const zone = preferencesOf(user).timezone;
  const window = { fromMs: Math.min(nowMs - 4 * dayMs, event.start_ms), toMs: nowMs + 400 * dayMs };
  const all = await data.occurrences(event, window, zone);
  const first = all.find((one) => one.key === key) ?? all[0];
  const fromMs = key === undefined ? event.start_ms : (first?.startMs ?? event.start_ms);
  const newStart =
    start_ts === undefined ? undefined : parseTime(start_ts, event.timezone ?? zone, 'start_ts', nowMs).ms;
  const isMeant = (one: Occurrence) =>
    key === undefined || one.key === key || (following && one.startMs > fromMs);
  const byKey = Map.groupBy(rows, ({ occurrence }) => occurrence);
  const notices = all.filter(isMeant).flatMap((one) => {
    const own = byKey.get(one.key);
    if (own === undefined) return [];
    const moved = newStart === undefined ? undefined : shifted(one, newStart - fromMs);
    const { steps } = planChange({ user, event, rows: own, nowMs, ...(moved && { occurrence: moved }) });
    return steps.flatMap((step) => ('desired' in step ? [step.desired] : []));
  });
  return { user, notices };
}

function shifted(occurrence: Occurrence, byMs: number): Occurrence {
  return { ...occurrence, startMs: occurrence.startMs + byMs, endMs: occurrence.endMs + byMs };
}
