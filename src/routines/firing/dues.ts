import type { Actor } from '../../context.ts';
import type { Firing } from '../../store/schema.ts';
import type { Clock } from '../../store/store.ts';
import { hourMs, type Routine, type RoutineSettings } from '../definition/routine.ts';
import { dueTimes } from '../schedule/due-times.ts';
import type { EventMatch } from '../schedule/trigger.ts';
import type { NewDue } from './firings.ts';

/** One occurrence of an event that a routine waits for. Its texts were written by others. */
export interface MatchedEvent {
  readonly id: string;
  /** Names the occurrence of a series; empty for a single event. */
  readonly occurrence: string;
  readonly startMs: number;
  readonly endMs: number;
  /** What the task may be told: title, start, end, place, people, link, description. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Finds events whose start or end is in a range, among those that the actor may see. The assistant implements it. */
export type FindEvents = (
  match: EventMatch,
  range: { readonly edge: 'start' | 'end'; readonly fromMs: number; readonly toMs: number },
  actor: Actor,
) => Promise<readonly MatchedEvent[]>;

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
    const reason = isLate ? begun : plan!.reason;
    return {
      ...{ routineId, machine, dueMs, source: 'event' as const, input: JSON.stringify(facts) },
      key: eventKey(id, occurrence, startMs),
      ...(reason !== undefined && { reason }),
    };
  });
}

/** Names a firing of an event. An event that is moved fires again. */
const eventKey = (id: string, occurrence: string, startMs: number) => `event/${id}/${occurrence}/${startMs}`;

/** Why a firing that had to wait is not worth a run any more. */
export function lateness(
  { catchUpHours, trigger }: Pick<Routine, 'catchUpHours' | 'trigger'>,
  { source, attempts, due_ms, due_key }: Firing,
  nowMs: number,
): string | undefined {
  const isBefore = trigger.kind === 'event' && trigger.edge === 'before' && source === 'event';
  if (isBefore && Number(due_key.slice(due_key.lastIndexOf('/') + 1)) <= nowMs) return begun;
  const isTooLate = source !== 'manual' && nowMs - due_ms > Math.max(catchUpHours, 1) * hourMs;
  return isTooLate && attempts === 0 ? overWindow : undefined;
}

const begun = 'missed: the event has begun';
const overWindow = 'missed: the catch-up window is over';

interface MissedPolicy {
  /** `once`: only the latest missed time fires, if it is not older than the window. `skip`: none does. */
  readonly missed: 'once' | 'skip';
  readonly windowMs: number;
}

interface Planned {
  readonly dueMs: number;
  /** Why the time does not fire. Absent if it fires. */
  readonly reason?: string;
}

/** A due time that is noticed within this time is not missed: loops pause, and machines are busy. */
const graceMs = 120_000;

/** Decides which of the due times that have passed fire, so that a machine that wakes up does not start all of them at once. */
function planDue(
  times: readonly number[],
  nowMs: number,
  { missed, windowMs }: MissedPolicy,
): readonly Planned[] {
  return times.map((dueMs, index) => {
    const lateMs = nowMs - dueMs;
    if (index < times.length - 1 && lateMs > graceMs)
      return { dueMs, reason: 'missed: a later time was due before this one could start' };
    if (lateMs <= graceMs) return { dueMs };
    if (missed === 'skip') return { dueMs, reason: 'missed: no worker was running' };
    return lateMs <= windowMs ? { dueMs } : { dueMs, reason: overWindow };
  });
}
