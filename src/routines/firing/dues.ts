import type { Actor } from '../../context.ts';
import type { Clock } from '../../store/store.ts';
import { hourMs, type Routine, type RoutineSettings } from '../definition/routine.ts';
import { dueTimes } from '../schedule/due-times.ts';
import { planDue } from '../schedule/missed.ts';
import type { FindEvents } from './event-source.ts';
import type { NewDue } from './firings.ts';

/** The due times of a routine's clock since the last one that is stored. */
export function clockDues(
  { id: routineId, machine, missed, catchUpHours, trigger, zone, sinceMs }: Routine,
  knownMs: number,
  { clock, settings }: { readonly clock: Clock; readonly settings: RoutineSettings },
): readonly NewDue[] {
  const now = clock();
  const oldest = settings.keepMs === 0 ? 0 : now - settings.keepMs;
  const times = dueTimes(trigger, zone, Math.max(knownMs, sinceMs, oldest), now);
  return planDue(times, now, { missed, windowMs: catchUpHours * hourMs }).map(({ dueMs, reason }) => ({
    ...{ routineId, machine, dueMs, source: 'clock' as const, key: new Date(dueMs).toISOString() },
    ...(reason !== undefined && { reason }),
  }));
}

/** The due times around events that match, within the catch-up window. Those that are stored already have the same keys. */
export async function eventDues(
  { id: routineId, machine, missed, catchUpHours, trigger, sinceMs }: Routine,
  actor: Actor,
  { clock, findEvents }: { readonly clock: Clock; readonly findEvents: FindEvents },
): Promise<readonly NewDue[]> {
  if (trigger.kind !== 'event') return [];
  const now = clock();
  const windowMs = catchUpHours * hourMs;
  const isBefore = trigger.edge === 'before';
  const shiftMs = trigger.minutes * 60_000 * (isBefore ? 1 : -1);
  const fromMs = Math.max(sinceMs, now - windowMs) + shiftMs;
  const range = { edge: isBefore ? ('start' as const) : ('end' as const), fromMs, toMs: now + shiftMs };
  const found = await findEvents(trigger.match, range, actor);
  return found.flatMap(({ id, occurrence, startMs, endMs, facts }) => {
    const dueMs = (isBefore ? startMs : endMs) - shiftMs;
    // A meeting that has begun needs no preparation.
    const isLate = isBefore && startMs <= now;
    const [plan] = planDue([dueMs], now, { missed, windowMs });
    const reason = isLate ? 'missed: the event has begun' : plan!.reason;
    return {
      ...{ routineId, machine, dueMs, source: 'event' as const, input: JSON.stringify(facts) },
      key: `event/${id}/${occurrence}/${startMs}`,
      ...(reason !== undefined && { reason }),
    };
  });
}
