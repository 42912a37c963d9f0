import { type Property, parameterOf } from './content-line.ts';
import type { Alarm, CalendarTime, Duration } from './series.ts';
import { readDuration, readTime, Unreadable } from './written-value.ts';

const maxAlarms = 20;

/** Reports an alarm that was left out. */
export type AlarmNote = (message: string, line?: number) => void;

/**
 * Reads the alarms of an event or a task. An invalid alarm is reported and left out. Alarms that another program has
 * acknowledged carry the time, in the way of RFC 9074 (ACKNOWLEDGED) or of Thunderbird (X-MOZ-LASTACK).
 */
export function readAlarms(
  alarms: readonly (readonly Property[])[],
  entry: (name: string) => readonly Property[],
  note: AlarmNote,
): readonly Alarm[] {
  const found: Alarm[] = [];
  for (const properties of alarms) {
    if (found.length >= maxAlarms) break;
    const one = (name: string) => properties.find((property) => property.name === name);
    const trigger = one('trigger');
    try {
      found.push(...readAlarm(one, trigger));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      note(
        `An alarm is invalid: ${error.message}. The event was imported without this alarm.`,
        trigger?.line,
      );
    }
  }
  const acknowledged = entry('x-moz-lastack').flatMap(({ value }) => instant(value) ?? []);
  const [lastMs] = acknowledged.sort((a, b) => b - a);
  const snoozed = entry('x-moz-snooze-time').flatMap(({ value }) => {
    const atMs = instant(value);
    return atMs === undefined ? [] : [{ atMs }];
  });
  const all = lastMs === undefined ? found : found.map((alarm) => ({ acknowledgedMs: lastMs, ...alarm }));
  return [...all, ...snoozed].slice(0, maxAlarms);
}

function readAlarm(
  one: (name: string) => Property | undefined,
  trigger: Property | undefined,
): readonly Alarm[] {
  const action = one('action')?.value.trim().toUpperCase() ?? 'DISPLAY';
  // Apple writes ACTION:NONE for "no alarm"; procedures and unknown actions are not for people.
  if (!['DISPLAY', 'AUDIO', 'EMAIL'].includes(action)) return [];
  if (trigger === undefined) throw new Unreadable('it has no TRIGGER');
  const acknowledgedMs = instant(one('acknowledged')?.value ?? '');
  const known = { ...(acknowledgedMs !== undefined && { acknowledgedMs }) };
  const written = trigger.value.trim();
  if (!/^[+-]?P/i.test(written)) {
    const atMs = instant(written);
    if (atMs === undefined)
      throw new Unreadable(`TRIGGER "${written}" is neither a duration nor a time in UTC`);
    return [{ atMs, ...known }];
  }
  const related = parameterOf(trigger, 'related')?.toUpperCase() === 'END' ? { fromEnd: true as const } : {};
  const offset = signed(written);
  const repeats = Math.min(Number.parseInt(one('repeat')?.value ?? '0', 10) || 0, 4);
  const pause = repeats > 0 && one('duration') ? readDuration(one('duration')!.value) : undefined;
  return Array.from({ length: pause === undefined ? 1 : repeats + 1 }, (_, index) => ({
    offset: {
      days: offset.days + index * (pause?.days ?? 0),
      seconds: offset.seconds + index * (pause?.seconds ?? 0),
    },
    ...related,
    ...known,
  }));
}

/** Days are calendar days and follow the clock; hours are exact. */
function signed(written: string): Duration {
  const { days, seconds } = readDuration(written.replace(/^-/, ''));
  // Adding zero turns -0 into 0.
  return written.startsWith('-') ? { days: -days + 0, seconds: -seconds + 0 } : { days, seconds };
}

function instant(written: string): number | undefined {
  let time: CalendarTime;
  try {
    time = readTime(written);
  } catch {
    return undefined;
  }
  return time.wall.length === 10 ? undefined : Date.parse(`${time.wall}Z`);
}
