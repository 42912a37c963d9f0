import { Failure } from '../../failure.ts';
import { instantOf, type OffsetAt, wallOf } from '../../recurrence/zone.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];

/** The values that each of the five fields allows. */
interface Fields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
}

const names = {
  months: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  weekdays: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
} as const;

/** Reads a line such as `0 7 * * mon-fri`. Throws a `Failure` that names the field with the mistake. */
export function readCron(line: string): Fields {
  const fields = line.trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5)
    throw invalid(line, 'has not five fields: minute, hour, day of the month, month and day of the week');
  const [minutes, hours, days, months, weekdays] = fields as [string, string, string, string, string];
  const read = (field: string, name: string, from: number, to: number, words: readonly string[] = []) =>
    readField(line, field, name, from, to, words);
  return {
    minutes: read(minutes, 'minute', 0, 59),
    hours: read(hours, 'hour', 0, 23),
    days: read(days, 'day of the month', 1, 31),
    months: read(months, 'month', 1, 12, names.months),
    weekdays: [...new Set(read(weekdays, 'day of the week', 0, 7, names.weekdays).map((day) => day % 7))],
  };
}

function readField(
  line: string,
  field: string,
  name: string,
  from: number,
  to: number,
  words: readonly string[],
): readonly number[] {
  const numberOf = (written: string) =>
    words.includes(written)
      ? words.indexOf(written) + from
      : /^\d{1,2}$/.test(written)
        ? Number(written)
        : -1;
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1', ...more] = part.split('/');
    const [first = '', last, ...rest] = range === '*' ? [String(from), String(to)] : range.split('-');
    const start = numberOf(first);
    const end = last === undefined ? (part.includes('/') ? to : start) : numberOf(last);
    const by = /^\d{1,2}$/.test(step) ? Number(step) : 0;
    if (more.length + rest.length > 0 || start < from || end > to || end < start || by < 1)
      throw invalid(line, `has the invalid ${name} "${part}"`);
    for (let value = start; value <= end; value += by) found.add(value);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The instants of a cron line in a range, which excludes its start and includes its end. A time that the clock skips comes after
 * the gap, and one that comes twice counts once, except in lines for every hour, which follow elapsed time.
 */
export function* cronTimes(
  line: string,
  offsets: OffsetAt,
  afterMs: number,
  untilMs: number,
): Generator<number> {
  const { minutes, hours, months, ...fields } = readCron(line);
  const isHourly = hours.length === 24;
  const lastDay = Math.floor(wallOf(untilMs, offsets) / dayMs) + 1;
  for (let day = Math.floor(wallOf(afterMs, offsets) / dayMs) - 1; day <= lastDay; day++) {
    const date = new Date(day * dayMs);
    if (!months.includes(date.getUTCMonth() + 1) || !isDay(date, fields)) continue;
    const instants = new Set<number>();
    const [start, end] = [day * dayMs, (day + 1) * dayMs].map((wall) => instantOf(wall, offsets)) as [
      number,
      number,
    ];
    if (isHourly && end - start !== dayMs) {
      for (let ms = start; ms < end; ms += minuteMs)
        if (minutes.includes(new Date(wallOf(ms, offsets)).getUTCMinutes())) instants.add(ms);
    } else
      for (const hour of hours)
        for (const minute of minutes)
          instants.add(instantOf(day * dayMs + (hour * 60 + minute) * minuteMs, offsets));
    for (const ms of [...instants].sort((a, b) => a - b)) if (ms > afterMs && ms <= untilMs) yield ms;
  }
}

/** As in every cron, a day matches either field if both name days. */
function isDay(date: Date, { days, weekdays }: Pick<Fields, 'days' | 'weekdays'>): boolean {
  const inMonth = days.includes(date.getUTCDate());
  const inWeek = weekdays.includes(date.getUTCDay());
  return days.length === 31 || weekdays.length === 7 ? inMonth && inWeek : inMonth || inWeek;
}

function invalid(line: string, problem: string): Failure {
  return new Failure(
    'invalid-params',
    `"cron:${line}" ${problem}. Write, for example, cron:0 7 * * mon-fri.`,
  );
}
