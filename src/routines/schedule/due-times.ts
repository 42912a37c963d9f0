import { expandRule } from '../../recurrence/rule.ts';
import { offsetsIn } from '../../recurrence/zone.ts';
import { cronTimes } from './cron.ts';
import type { Trigger } from './trigger.ts';

const dayMs = 86_400_000;
/** Rules are expanded in parts of this length, because each query to the engine has limits. */
const partMs = 30 * dayMs;

/**
 * The due times of a trigger in a range, which excludes its start and includes its end, in order and at most `limit`. A local time
 * that the clock skips is due after the gap; one that comes twice is due once. Triggers without a clock have none.
 */
export function dueTimes(
  trigger: Trigger,
  zone: string,
  afterMs: number,
  untilMs: number,
  limit = Number.POSITIVE_INFINITY,
): readonly number[] {
  if (untilMs <= afterMs) return [];
  if (trigger.kind === 'once') return trigger.atMs > afterMs && trigger.atMs <= untilMs ? [trigger.atMs] : [];
  if (trigger.kind !== 'cron' && trigger.kind !== 'rule') return [];
  const found: number[] = [];
  const times =
    trigger.kind === 'cron'
      ? cronTimes(trigger.line, offsetsIn(zone), afterMs, untilMs)
      : ruleTimes(trigger, zone, afterMs, untilMs);
  for (const ms of times) {
    if (found.length >= limit) break;
    if (ms !== found.at(-1)) found.push(ms);
  }
  return found;
}

function* ruleTimes(
  { rule, start: written }: Extract<Trigger, { kind: 'rule' }>,
  zone: string,
  afterMs: number,
  untilMs: number,
): Generator<number> {
  const start = { wallMs: Date.parse(`${written}Z`), allDay: false, offsets: offsetsIn(zone), zone };
  for (let from = afterMs; from < untilMs; from += partMs) {
    const to = Math.min(from + partMs, untilMs);
    // The range is one of local times.
    const { starts } = expandRule(rule, start, from - dayMs, to + dayMs);
    const instants = starts.map(({ instantMs }) => instantMs).filter((ms) => ms > from && ms <= to);
    yield* [...new Set(instants)].sort((a, b) => a - b);
  }
}

/** How far ahead the next due time is searched for. */
const horizonsMs = [2 * dayMs, 40 * dayMs, 400 * dayMs, 5 * 366 * dayMs];

/** The next due times; empty if there are none within five years. */
export function nextDueTimes(trigger: Trigger, zone: string, afterMs: number, count = 1): readonly number[] {
  let found: readonly number[] = [];
  for (const horizon of horizonsMs) {
    found = dueTimes(trigger, zone, afterMs, afterMs + horizon, count);
    if (found.length >= count) break;
  }
  return found;
}

/** The shortest time between two of the next due times, also if the first one is years away. */
export function leastIntervalMs(trigger: Trigger, zone: string, nowMs: number): number {
  const [first = nowMs] = nextDueTimes(trigger, zone, nowMs);
  const times = [first, ...dueTimes(trigger, zone, first, first + 400 * dayMs, 300)];
  return times
    .slice(1)
    .reduce((least, ms, index) => Math.min(least, ms - times[index]!), Number.POSITIVE_INFINITY);
}
