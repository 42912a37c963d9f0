import { present } from '../../json.ts';
import type { Firing } from '../../store/schema.ts';
import type { ValueOf } from '../../tool.ts';
import { nextDueTimes } from '../schedule/due-times.ts';
import { isClockTrigger } from '../schedule/trigger.ts';
import type { Routine } from './routine.ts';
import type { firingShape, RoutineView } from './routine-schema.ts';

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().replace('.000Z', 'Z'));

export function firingView(firing: Firing): ValueOf<typeof firingShape> {
  const { id, due_ms, source, status, reason, attempts, run_id, started_ms, ended_ms, result } = firing;
  return {
    ...{ id, due: iso(due_ms)!, source, status },
    ...present({ reason, attempts: attempts === 0 ? null : attempts, run_id }),
    ...present({ started: iso(started_ms), ended: iso(ended_ms), result }),
  };
}

export function routineView(routine: Routine, nowMs: number, last?: Firing, times = 1): RoutineView {
  const { id, name, task, cwd, when, zone, status, pauseReason, notify, agent, model } = routine;
  const { sandbox, apply, asks, budget, missed, catchUpHours, overlap, host, creator, trigger } = routine;
  const isDue = status === 'active' && isClockTrigger(trigger);
  return {
    ...{ id, name, task, cwd, when, timezone: zone, status, sandbox, apply, missed, overlap, host },
    ...present({ pause_reason: pauseReason, notify, agent, model, asks, budget }),
    catch_up_hours: catchUpHours,
    changed: new Date(routine.updatedMs).toISOString(),
    ...(isDue && { next_due: nextDueTimes(trigger, zone, nowMs, times).map((ms) => iso(ms)!) }),
    ...(creator.rights !== undefined && { creator: creator.name }),
    ...(last !== undefined && { last: firingView(last) }),
  };
}
