import { createContext } from 'node:vm';
import { RRuleTemporal } from 'rrule-temporal';
import { messageOf } from '../json.ts';
import { callWithTimeout } from '../threads/timed-script.ts';
import { expandPeriods, isPeriodRule } from './period-rule.ts';
import { instantOf, type OffsetAt, wallOf } from './zone.ts';

/** Maximum number of starts in one window. */
const maxStarts = 10_000;
/** Limiting candidates disables the engine's fast paths, so only unusual rules get that limit. */
const fastLimits = { maxIterations: 100_000 };
const limits = { maxIterations: 20_000, maxCandidateEvaluations: 100_000 };
/** CPU time limits: for one query to the engine, and for starting more of them with shorter ranges. */
export interface RuleLimits {
  readonly totalMs: number;
  readonly queryMs: number;
}
const longLimits: RuleLimits = { totalMs: 700, queryMs: 500 };
/** Limits for a single query that finds out whether a rule can be used. */
export const checkLimits: RuleLimits = { totalMs: 0, queryMs: 300 };
/** CPU time that an accepted rule may take for three months. */
const acceptedMs = 300;
/** The engine expands simple rules quickly, which are most rules, except those where it must count every occurrence. */
const simple =
  /^FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;(INTERVAL=\d{1,2}|COUNT=(\d{1,4}|\d{8,})|UNTIL=\w+|WKST=\w+|BY(DAY|MONTH|MONTHDAY)=[^;]{1,99}))*$/;
const slow = /^FREQ=(DAILY|WEEKLY)(?=.*;COUNT=)(?=.*;BY(MONTH|DAY=[^;]*\d))/;

/** The engine counts from the first occurrence on. A simple rule has fewer occurrences than this until the year 9999. */
const endlessCount = /;COUNT=\d{8,}/;

export function isFast(rule: string): boolean {
  return simple.test(rule) && !slow.test(rule);
}

export interface RuleStart {
  /** Local time of the series, stored as if it were UTC. */
  readonly wallMs: number;
  readonly allDay: boolean;
  readonly offsets: OffsetAt;
  /** IANA name of the time zone, if it has one. */
  readonly zone?: string | undefined;
}

export interface RuleStarts {
  readonly starts: readonly { readonly wallMs: number; readonly instantMs: number }[];
  readonly truncated: boolean;
  /** Set if the CPU time limit was reached. */
  readonly slow?: true;
}

export type ExpandRule = (rule: string, start: RuleStart, fromMs: number, toMs: number) => RuleStarts;

/** Leaves out rules that take too long. */
export const withoutRules: ExpandRule = () => ({ starts: [], truncated: true });

/**
 * Returns the starts that a rule yields in a range of local times. Rules in days or longer are computed on a clock without
 * daylight saving time, which is exact and lets the engine skip the years before the range. Hours and shorter units are
 * elapsed time, so those rules use the real time zone.
 */
export function expandRule(
  written: string,
  start: RuleStart,
  fromMs: number,
  toMs: number,
  { totalMs, queryMs }: RuleLimits = longLimits,
): RuleStarts {
  const rule = isFast(written) ? written.replace(endlessCount, '') : written;
  if (isPeriodRule(rule)) return expandByPeriods(rule, start, fromMs, toMs, queryMs);
  const usesElapsedTime =
    start.zone !== undefined && !start.allDay && /FREQ=(HOURLY|MINUTELY|SECONDLY)/.test(rule);
  const deadline = cpuMs() + totalMs;
  let engine: RRuleTemporal | undefined;
  let slow: { slow?: true } = {};
  // If a rule yields too many starts, shorten the range until the first ones are found.
  for (let to = toMs; ; to = fromMs + (to - fromMs) / 8) {
    try {
      engine ??= engineFor(rule, start, usesElapsedTime, queryMs);
      const found = runLimited(rule, queryMs, () => engine!.between(new Date(fromMs), new Date(to), true));
      const starts = found
        .slice(0, maxStarts)
        .map(({ epochMilliseconds: ms }) =>
          usesElapsedTime
            ? { wallMs: wallOf(ms, start.offsets), instantMs: ms }
            : { wallMs: ms, instantMs: instantOf(ms, start.offsets) },
        );
      return { starts, truncated: to < toMs || found.length > maxStarts, ...slow };
    } catch (error) {
      if (!isExhausted(error)) throw error;
      if (isTimeout(error)) slow = { slow: true };
      if (to - fromMs < 1000 || cpuMs() >= deadline) return { starts: [], truncated: true, ...slow };
    }
  }
}

function expandByPeriods(
  rule: string,
  start: RuleStart,
  fromMs: number,
  toMs: number,
  queryMs: number,
): RuleStarts {
  const deadline = cpuMs() + queryMs;
  const starts: { wallMs: number; instantMs: number }[] = [];
  const found = expandPeriods(onWallClock(rule, start), start.wallMs, fromMs, toMs, () => cpuMs() > deadline);
  for (;;) {
    const { value, done } = found.next();
    if (done) return { starts, truncated: value !== undefined, ...(value === 'late' && { slow: true }) };
    if (value > toMs) return { starts, truncated: false };
    if (starts.length >= maxStarts) return { starts, truncated: true };
    if (value >= fromMs) starts.push({ wallMs: value, instantMs: instantOf(value, start.offsets) });
  }
}

function engineFor(rule: string, start: RuleStart, usesElapsedTime: boolean, queryMs: number): RRuleTemporal {
  const zone = usesElapsedTime ? start.zone! : 'UTC';
  const options = {
    rruleString: usesElapsedTime ? withUtcEnd(inMinutes(rule), start) : onWallClock(rule, start),
    dtstart: {
      timeZoneId: zone,
      toString: () => `${new Date(start.wallMs).toISOString().slice(0, -1)}[${zone}]`,
    },
    cache: false,
    ...(isFast(rule) ? fastLimits : limits),
  };
  const engine = new RRuleTemporal(options);
  if (!/COUNT=.*BY|BY.*COUNT=/.test(rule)) return engine;
  // DTSTART counts towards COUNT even if it does not match the rule. The engine is slow with includeDtstart.
  const first = new Date(usesElapsedTime ? instantOf(start.wallMs, start.offsets) : start.wallMs);
  const fits = runLimited(rule, queryMs, () => engine.between(first, first, true)).length > 0;
  return fits ? engine : new RRuleTemporal({ ...options, includeDtstart: true });
}

function runLimited<Value>(rule: string, queryMs: number, work: () => Value): Value {
  return isFast(rule) ? work() : runWithTimeout(queryMs, work);
}

/** How long a query may wait for the processor on a busy machine. */
const maxTimeoutMs = 8_000;
const sandbox = createContext({});

/** An untrusted rule can keep the engine busy for minutes; only a VM timeout can interrupt it. */
function runWithTimeout<Value>(queryMs: number, work: () => Value): Value {
  for (let timeout = queryMs; ; timeout *= 2) {
    const began = cpuMs();
    sandbox['work'] = work;
    try {
      return callWithTimeout(sandbox, timeout) as Value;
    } catch (error) {
      // The VM timeout is wall-clock time, so retry if the machine was too busy to use the CPU time.
      if (!isTimeout(error) || cpuMs() - began > queryMs / 2 || timeout > maxTimeoutMs) throw error;
    } finally {
      sandbox['work'] = undefined;
    }
  }
}

export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function isExhausted(error: unknown): boolean {
  return isTimeout(error) || (error instanceof Error && /exceeded/.test(error.message));
}

/** The engine skips the repeated hour in autumn for hourly rules, but not for rules in minutes. */
function inMinutes(rule: string): string {
  if (!rule.includes('FREQ=HOURLY') || rule.includes('BY')) return rule;
  const [, interval = '1'] = /(?:^|;)INTERVAL=(\d+)/.exec(rule) ?? [];
  const others = rule.split(';').filter((part) => !/^(FREQ|INTERVAL)=/.test(part));
  return ['FREQ=MINUTELY', `INTERVAL=${Number(interval) * 60}`, ...others].join(';');
}

/** Converts UNTIL to local time for the clock without daylight saving time. */
function onWallClock(rule: string, { offsets, allDay }: RuleStart): string {
  const wall = rule.replace(
    /UNTIL=(\d{8})(?:T(\d{6})(Z?))?/,
    (_, day: string, time?: string, utc?: string) => {
      if (time === undefined || allDay) return `UNTIL=${day}T235959Z`;
      if (utc === '') return `UNTIL=${day}T${time}Z`;
      return `UNTIL=${formatBasicUtc(wallOf(parseBasicUtc(day, time), offsets))}`;
    },
  );
  return allDay ? wall.replaceAll(/;BY(HOUR|MINUTE|SECOND)=[^;]*/g, '') : wall;
}

/** With a time zone, the engine accepts UNTIL only in UTC; calendars also write local times and dates. */
function withUtcEnd(rule: string, { offsets }: RuleStart): string {
  return rule.replace(/UNTIL=(\d{8})(?:T(\d{6}))?(?=;|$)/, (_, day: string, time = '235959') => {
    return `UNTIL=${formatBasicUtc(instantOf(parseBasicUtc(day, time), offsets))}`;
  });
}

/** Parses `20260329` and `023000` as UTC. */
function parseBasicUtc(day: string, time: string): number {
  return Date.parse(`${day}T${time}Z`.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:'));
}

/** Formats as `20260329T023000Z`. */
function formatBasicUtc(instantMs: number): string {
  return new Date(instantMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** The engine rejects the rule. */
export class UnusableRule extends Error {}

const monthMs = 30 * 86_400_000;

/**
 * Returns true if a rule keeps the engine busy too long or yields too many starts: at its beginning, now, or in five
 * years. Throws `UnusableRule` if the engine rejects the rule.
 */
export function isRunaway(rule: string, start: RuleStart, nowMs: number): boolean {
  const froms = isFast(rule) ? [start.wallMs] : new Set([start.wallMs, nowMs, nowMs + 60 * monthMs]);
  let usedMs = 0;
  for (const from of froms) {
    const began = cpuMs();
    try {
      if (expandRule(rule, start, from, from + monthMs, checkLimits).truncated) return true;
    } catch (error) {
      throw new UnusableRule(`its recurrence rule cannot be used: ${messageOf(error)}`);
    }
    usedMs += cpuMs() - began;
    if (!isFast(rule) && usedMs > acceptedMs) return true;
  }
  return false;
}
