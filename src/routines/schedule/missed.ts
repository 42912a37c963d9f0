export interface MissedPolicy {
  /** `once`: only the latest missed time fires, if it is not older than the window. `skip`: none does. */
  readonly missed: 'once' | 'skip';
  readonly windowMs: number;
}

export interface Planned {
  readonly dueMs: number;
  /** Why the time does not fire. Absent if it fires. */
  readonly reason?: string;
}

/** A due time that is noticed within this time is not missed: loops pause, and machines are busy. */
const graceMs = 120_000;

/** Decides which of the due times that have passed fire, so that a machine that wakes up does not start all of them at once. */
export function planDue(
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
    return lateMs <= windowMs ? { dueMs } : { dueMs, reason: 'missed: the catch-up window is over' };
  });
}
