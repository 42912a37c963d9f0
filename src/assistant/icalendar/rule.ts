import { createContext, Script } from 'node:vm';
import { RRuleTemporal } from 'rrule-temporal';
import { messageOf } from '../../json.ts';
import { Unreadable } from './written-value.ts';
import { instantOf, type OffsetAt, wallOf } from './zone.ts';

/** More starts than this in one window are of no use to anybody. */
const maxStarts = 10_000;
/** Watching candidates the engine leaves its fast ways, so only unusual rules have it. */
const swiftCaps = { maxIterations: 100_000 };
const caps = { maxIterations: 20_000, maxCandidateEvaluations: 100_000 };
/** Processor time for one question to the engine. */
const patienceMs = 500;
/** Rules that the engine answers at once, which is nearly all there are, and those among them that it counts through. */
const plain =
  /^FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;(INTERVAL=\d{1,2}|COUNT=\d{1,4}|UNTIL=\w+|WKST=\w+|BY(DAY|MONTH|MONTHDAY)=[^;]{1,99}))*$/;
const tedious = /^FREQ=(DAILY|WEEKLY)(?=.*;COUNT=)(?=.*;BY(MONTH|DAY=[^;]*\d))/;

export function isSwift(rule: string): boolean {
  return plain.test(rule) && !tedious.test(rule);
}

export interface RuleStart {
  /** What the clock of the rule's place shows, written as if it were UTC. */
  readonly wallMs: number;
  readonly wholeDay: boolean;
  readonly offsets: OffsetAt;
  /** The name of that place where Intl knows it. */
  readonly zone?: string | undefined;
}

export interface RuleStarts {
  readonly starts: readonly { readonly wallMs: number; readonly instantMs: number }[];
  readonly truncated: boolean;
}

/**
 * The starts a rule gives within a range of wall times. They are worked out on a clock without time changes, which is
 * exact for days and longer and lets the engine leap over the years before the range. Hours and shorter are stretches of
 * real time, so there the zone takes part.
 */
export function expandRule(
  rule: string,
  start: RuleStart,
  fromMs: number,
  toMs: number,
  allPatienceMs = 700,
): RuleStarts {
  const elapsed = start.zone !== undefined && !start.wholeDay && /FREQ=(HOURLY|MINUTELY|SECONDLY)/.test(rule);
  const deadline = processorMs() + allPatienceMs;
  let engine: RRuleTemporal | undefined;
  // A rule that yields too much is asked again for less and less, so that its first starts are still known.
  for (let to = toMs; ; to = fromMs + (to - fromMs) / 8) {
    try {
      engine ??= engineFor(rule, start, elapsed);
      const found = guarded(rule, () => engine!.between(new Date(fromMs), new Date(to), true));
      const starts = found
        .slice(0, maxStarts)
        .map(({ epochMilliseconds: ms }) =>
          elapsed
            ? { wallMs: wallOf(ms, start.offsets), instantMs: ms }
            : { wallMs: ms, instantMs: instantOf(ms, start.offsets) },
        );
      return { starts, truncated: to < toMs || found.length > maxStarts };
    } catch (error) {
      if (!isExhausted(error)) throw error;
      if (to - fromMs < 1000 || processorMs() >= deadline) return { starts: [], truncated: true };
    }
  }
}

function engineFor(rule: string, start: RuleStart, elapsed: boolean): RRuleTemporal {
  const zone = elapsed ? start.zone! : 'UTC';
  const options = {
    rruleString: elapsed ? withUtcEnd(inMinutes(rule), start) : onWallClock(rule, start),
    dtstart: {
      timeZoneId: zone,
      toString: () => `${new Date(start.wallMs).toISOString().slice(0, -1)}[${zone}]`,
    },
    cache: false,
    ...(isSwift(rule) ? swiftCaps : caps),
  };
  const engine = new RRuleTemporal(options);
  if (!/COUNT=.*BY|BY.*COUNT=/.test(rule)) return engine;
  // The first start counts as one of a number even where it does not fit the rule. The engine is slow when told so.
  const first = new Date(elapsed ? instantOf(start.wallMs, start.offsets) : start.wallMs);
  const fits = guarded(rule, () => engine.between(first, first, true)).length > 0;
  return fits ? engine : new RRuleTemporal({ ...options, includeDtstart: true });
}

function guarded<Value>(rule: string, work: () => Value): Value {
  return isSwift(rule) ? work() : interruptible(work);
}

const sandbox = createContext({});
const call = new Script('work()');

/** Somebody's rule may keep the engine busy for minutes; only the virtual machine can stop it. */
function interruptible<Value>(work: () => Value): Value {
  for (let timeout = patienceMs; ; timeout *= 2) {
    const began = processorMs();
    sandbox['work'] = work;
    try {
      return call.runInContext(sandbox, { timeout }) as Value;
    } catch (error) {
      // The time is real time, and a busy machine is not the fault of the rule.
      if (!isTimeout(error) || processorMs() - began > patienceMs / 2 || timeout > 16 * patienceMs)
        throw error;
    } finally {
      sandbox['work'] = undefined;
    }
  }
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function isExhausted(error: unknown): boolean {
  return isTimeout(error) || (error instanceof Error && /exceeded/.test(error.message));
}

/** Of hours the engine leaves out the one that is repeated in autumn; of minutes it does not. */
function inMinutes(rule: string): string {
  if (!rule.includes('FREQ=HOURLY') || rule.includes('BY')) return rule;
  const [, interval = '1'] = /(?:^|;)INTERVAL=(\d+)/.exec(rule) ?? [];
  const others = rule.split(';').filter((part) => !/^(FREQ|INTERVAL)=/.test(part));
  return ['FREQ=MINUTELY', `INTERVAL=${Number(interval) * 60}`, ...others].join(';');
}

/** The end of a rule is an instant or a day; the clock without time changes wants it as it shows there. */
function onWallClock(rule: string, { offsets, wholeDay }: RuleStart): string {
  const wall = rule.replace(
    /UNTIL=(\d{8})(?:T(\d{6})(Z?))?/,
    (_, day: string, time?: string, utc?: string) => {
      if (time === undefined || wholeDay) return `UNTIL=${day}T235959Z`;
      if (utc === '') return `UNTIL=${day}T${time}Z`;
      return `UNTIL=${basicUtc(wallOf(millisecondsOf(day, time), offsets))}`;
    },
  );
  return wholeDay ? wall.replaceAll(/;BY(HOUR|MINUTE|SECOND)=[^;]*/g, '') : wall;
}

/** With a zone the engine takes UNTIL in UTC only; calendars also write a local time or a date there. */
function withUtcEnd(rule: string, { offsets }: RuleStart): string {
  return rule.replace(/UNTIL=(\d{8})(?:T(\d{6}))?(?=;|$)/, (_, day: string, time = '235959') => {
    return `UNTIL=${basicUtc(instantOf(millisecondsOf(day, time), offsets))}`;
  });
}

/** `20260329` and `023000`, read as UTC. */
function millisecondsOf(day: string, time: string): number {
  return Date.parse(`${day}T${time}Z`.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:'));
}

/** `20260329T023000Z`. */
function basicUtc(instantMs: number): string {
  return new Date(instantMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

const monthMs = 30 * 86_400_000;

/**
 * Whether a rule would keep the engine busy or yields more than will be used: at its start, now, or in some years.
 * Throws `Unreadable` when the engine cannot work with it at all.
 */
export function isRunaway(rule: string, start: RuleStart, nowMs: number): boolean {
  const froms = isSwift(rule) ? [start.wallMs] : [start.wallMs, nowMs, nowMs + 60 * monthMs];
  try {
    return froms.some((from) => expandRule(rule, start, from, from + monthMs, 0).truncated);
  } catch (error) {
    throw new Unreadable(`its rule cannot be used: ${messageOf(error)}`);
  }
}
