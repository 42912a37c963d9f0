import { type OffsetAt, offsetsIn } from '../../recurrence/zone.ts';

const dayMs = 86_400_000;

interface Transition {
  readonly ms: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the lines of a VTIMEZONE. Regular clock changes become yearly rules; irregular ones are listed for some years.
 * Most programs know the zone by its name and ignore this definition, but servers require it.
 */
export function zoneLines(zone: string, startMs: number): readonly string[] {
  const offsets = offsetsIn(zone);
  const year = new Date(startMs).getUTCFullYear();
  const years = [year - 1, year, year + 1].map((one) => transitions(offsets, one, one + 1));
  const regular = years[0]!.length === 2 && years.every((each) => each.length === 2);
  const rules = regular ? [0, 1].map((index) => yearlyRule(years.map((each) => each[index]!))) : [];
  const changes =
    regular && !rules.includes(undefined)
      ? years[0]!.map((change, index) => observance(change, `RRULE:${rules[index]}`))
      : transitions(offsets, year - 1, year + 10).map((change) => observance(change));
  const before = offsets(Date.UTC(year - 1, 0, 1));
  const initial = [
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(before)}`,
    'END:STANDARD',
  ];
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...(regular && changes.length === 2 ? [] : initial),
    ...changes.flat(),
    'END:VTIMEZONE',
  ];
}

function transitions(offsets: OffsetAt, fromYear: number, toYear: number): readonly Transition[] {
  const found: Transition[] = [];
  for (let day = Date.UTC(fromYear, 0, 1); day < Date.UTC(toYear, 0, 1); day += dayMs) {
    const [from, to] = [offsets(day), offsets(day + dayMs)];
    if (from === to) continue;
    let [low, high] = [day, day + dayMs];
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (middle === low) break;
      if (offsets(middle) === from) low = middle;
      else high = middle;
    }
    found.push({ ms: high, from, to });
  }
  return found;
}

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** Returns the rule that yields all the given changes, or undefined if there is none. */
function yearlyRule(changes: readonly Transition[]): string | undefined {
  const walls = changes.map(({ ms, from }) => new Date(ms + from));
  const describe = (wall: Date) => [wall.getUTCMonth(), wall.getUTCDay(), wall.getTime() % dayMs].join();
  if (new Set(walls.map(describe)).size > 1) return undefined;
  const weeks = new Set(walls.map((wall) => Math.ceil(wall.getUTCDate() / 7)));
  const isLast = walls.every(
    (wall) => new Date(wall.getTime() + 7 * dayMs).getUTCMonth() !== wall.getUTCMonth(),
  );
  if (!isLast && weeks.size > 1) return undefined;
  const [wall] = walls as [Date];
  const place = isLast ? -1 : [...weeks][0];
  return `FREQ=YEARLY;BYMONTH=${wall.getUTCMonth() + 1};BYDAY=${place}${weekdays[wall.getUTCDay()]}`;
}

function observance({ ms, from, to }: Transition, ...rule: readonly string[]): readonly string[] {
  const kind = to > from ? 'DAYLIGHT' : 'STANDARD';
  const start = new Date(ms + from).toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
  return [
    `BEGIN:${kind}`,
    `DTSTART:${start}`,
    ...rule,
    `TZOFFSETFROM:${offsetText(from)}`,
    `TZOFFSETTO:${offsetText(to)}`,
    `END:${kind}`,
  ];
}

function offsetText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${ms < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}
