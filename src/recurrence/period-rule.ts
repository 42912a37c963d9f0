const dayMs = 86_400_000;
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
/** Years and months to search before a rule counts as too expensive. */
const maxPeriods = 20_000;
const maxTimesPerPeriod = 10_000;

/**
 * True for rules that the general engine gets wrong: weeks by number, weekdays that limit days of the year, and days that
 * SKIP moves because the month or year is too short for them.
 */
export function isPeriodRule(rule: string): boolean {
  if (!/FREQ=(YEARLY|MONTHLY)/.test(rule)) return false;
  const skips = /SKIP=(BACKWARD|FORWARD)/.test(rule) && /BY(MONTH|YEAR)DAY=/.test(rule);
  return (
    skips ||
    (/FREQ=YEARLY/.test(rule) &&
      (/BYWEEKNO=/.test(rule) || /BYDAY=.*BYYEARDAY=|BYYEARDAY=.*BYDAY=/.test(rule)))
  );
}

interface Parts {
  readonly get: (name: string) => string | undefined;
  readonly list: (name: string) => readonly number[];
}

/**
 * Expands such a rule in local time: `UNTIL` and all times are written as if they were UTC. Yields starts in order, from
 * DTSTART to `toMs` or somewhat later. With COUNT, a DTSTART that does not match counts as the first. Ends with `'exhausted'`
 * if the rule yields or skips too much, and with `'late'` if it takes too long.
 */
export function* expandPeriods(
  rule: string,
  startMs: number,
  fromMs: number,
  toMs: number,
  isTooLate: () => boolean,
): Generator<number, 'exhausted' | 'late' | undefined> {
  const written = new Map(rule.split(';').map((part) => part.split('=') as [string, string]));
  const parts: Parts = {
    get: (name) => written.get(name),
    list: (name) => written.get(name)?.split(',').map(Number) ?? [],
  };
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const until = parts.get('UNTIL') === undefined ? Number.POSITIVE_INFINITY : basicMs(parts.get('UNTIL')!);
  const count = parts.get('COUNT') === undefined ? Number.POSITIVE_INFINITY : Number(parts.get('COUNT'));
  const times = timesOfDay(parts, startMs);
  const monthly = parts.get('FREQ') === 'MONTHLY';
  const startsOf = (period: number) =>
    selectPositions(candidates(parts, monthly, period, startMs, times), parts.list('BYSETPOS'));
  const start = new Date(startMs);
  const base = monthly
    ? start.getUTCFullYear() * 12 + start.getUTCMonth()
    : baseYear(parts, startMs, startsOf);
  // Without COUNT, the years before the range cannot matter.
  const target = new Date(fromMs).getUTCFullYear() - 2;
  const skipped =
    count === Number.POSITIVE_INFINITY ? Math.floor(((monthly ? target * 12 : target) - base) / interval) : 0;
  // A rule may never match, so the search must end where the range does. Weeks can begin in the year before.
  const lastYear = Math.min(9998, new Date(toMs).getUTCFullYear() + 1 || 9998);
  let left = count;
  if (Number.isFinite(count) || startsOf(base).includes(startMs)) {
    if (startMs <= until) yield startMs;
    left -= 1;
  }
  for (let turn = Math.max(0, skipped), searched = 0; left > 0; turn += 1, searched += 1) {
    const period = base + turn * interval;
    if ((monthly ? period / 12 : period) > lastYear) return undefined;
    if (searched > maxPeriods) return 'exhausted';
    if (searched % 8 === 7 && isTooLate()) return 'late';
    const found = startsOf(period);
    if (found.length > maxTimesPerPeriod) return 'exhausted';
    for (const ms of found) {
      if (ms <= startMs) continue;
      if (ms > until || left <= 0) return undefined;
      yield ms;
      left -= 1;
    }
  }
  return undefined;
}

/** Weeks belong to the year of most of their days, so the week of DTSTART may belong to the year before or after. */
function baseYear(parts: Parts, startMs: number, startsOf: (year: number) => readonly number[]): number {
  const year = new Date(startMs).getUTCFullYear();
  if (parts.get('BYWEEKNO') === undefined) return year;
  return [year, year - 1, year + 1].find((each) => startsOf(each).includes(startMs)) ?? year;
}

function candidates(
  parts: Parts,
  monthly: boolean,
  period: number,
  startMs: number,
  times: readonly number[],
): readonly number[] {
  const days = monthly ? monthDays(parts, period) : yearDays(parts, period, startMs);
  const matching = [...new Set(days)].filter((day) => isWanted(parts, monthly, day)).sort((a, b) => a - b);
  if (matching.length * times.length > maxTimesPerPeriod)
    return new Array<number>(maxTimesPerPeriod + 1).fill(startMs);
  return matching.flatMap((day) => times.map((time) => day + time));
}

function yearDays(parts: Parts, year: number, startMs: number): readonly number[] {
  const weeks = parts.list('BYWEEKNO');
  const [first, next] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)];
  if (weeks.length > 0) {
    const [from, to] = [firstWeek(parts, year), firstWeek(parts, year + 1)];
    const total = (to - from) / (7 * dayMs);
    const days = weeks
      .map((week) => (week < 0 ? total + week : week - 1))
      .filter((index) => index >= 0 && index < total)
      .flatMap((index) => Array.from({ length: 7 }, (_, day) => from + (7 * index + day) * dayMs));
    const weekday = new Date(startMs).getUTCDay();
    return parts.get('BYDAY') === undefined
      ? days.filter((day) => new Date(day).getUTCDay() === weekday)
      : days;
  }
  const numbers = parts.list('BYYEARDAY');
  if (numbers.length > 0) return inRange(numbers, first, next, parts.get('SKIP'));
  const months =
    parts.get('BYMONTH') === undefined ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : parts.list('BYMONTH');
  return months.flatMap((month) => monthDays(parts, year * 12 + month - 1));
}

function monthDays(parts: Parts, month: number): readonly number[] {
  const from = Date.UTC(Math.floor(month / 12), month % 12);
  const to = Date.UTC(Math.floor((month + 1) / 12), (month + 1) % 12);
  if (parts.get('BYMONTH') !== undefined && !parts.list('BYMONTH').includes((month % 12) + 1)) return [];
  return inRange(parts.list('BYMONTHDAY'), from, to, parts.get('SKIP'));
}

/** Days by number, negative from the end. SKIP moves a day that does not exist to the day before or after the gap. */
function inRange(
  numbers: readonly number[],
  from: number,
  to: number,
  skip: string | undefined,
): readonly number[] {
  return numbers.flatMap((number) => {
    const day = number < 0 ? to + number * dayMs : from + (number - 1) * dayMs;
    if (day >= from && day < to) return [day];
    if (skip === 'BACKWARD') return [day < from ? from - dayMs : to - dayMs];
    return skip === 'FORWARD' ? [day < from ? from : to] : [];
  });
}

/** Applies the parts that limit the days. A part that produced the days of this rule already holds for them. */
function isWanted(parts: Parts, monthly: boolean, day: number): boolean {
  const date = new Date(day);
  const year = date.getUTCFullYear();
  const byWeek = parts.get('BYWEEKNO') !== undefined;
  const byYearDay = !monthly && parts.get('BYYEARDAY') !== undefined;
  const limits = (name: string, from: number, to: number) =>
    parts.get(name) === undefined || inRange(parts.list(name), from, to, undefined).includes(day);
  if (byWeek || byYearDay) {
    const months = parts.list('BYMONTH');
    if (months.length > 0 && !months.includes(date.getUTCMonth() + 1)) return false;
    if (!limits('BYMONTHDAY', Date.UTC(year, date.getUTCMonth()), Date.UTC(year, date.getUTCMonth() + 1)))
      return false;
  }
  if (byWeek && !limits('BYYEARDAY', Date.UTC(year, 0), Date.UTC(year + 1, 0))) return false;
  const byDay = parts.get('BYDAY')?.split(',');
  return byDay === undefined || byDay.some((each) => each.endsWith(weekdays[date.getUTCDay()]!));
}

/** The first week of a year is the first with at least four of its days. */
function firstWeek(parts: Parts, year: number): number {
  const fourth = Date.UTC(year, 0, 4);
  const weekStart = weekdays.indexOf(parts.get('WKST') ?? 'MO');
  return fourth - ((new Date(fourth).getUTCDay() - weekStart + 7) % 7) * dayMs;
}

function timesOfDay(parts: Parts, startMs: number): readonly number[] {
  const start = new Date(startMs);
  const values = (name: string, own: number) => {
    const given = parts.list(name);
    return given.length > 0 ? [...new Set(given)].sort((a, b) => a - b) : [own];
  };
  const [hours, minutes, seconds] = [
    values('BYHOUR', start.getUTCHours()),
    values('BYMINUTE', start.getUTCMinutes()),
    values('BYSECOND', start.getUTCSeconds()),
  ];
  return hours!.flatMap((hour) =>
    minutes!.flatMap((minute) => seconds!.map((second) => ((hour * 60 + minute) * 60 + second) * 1000)),
  );
}

function selectPositions(found: readonly number[], positions: readonly number[]): readonly number[] {
  if (positions.length === 0) return found;
  const chosen = positions.map((position) => found.at(position < 0 ? position : position - 1));
  return [...new Set(chosen.filter((ms) => ms !== undefined))].sort((a, b) => a - b);
}

/** Parses `20260329T023000Z` as UTC. */
function basicMs(written: string): number {
  return Date.parse(written.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?/, '$1-$2-$3T$4:$5:$6Z'));
}
