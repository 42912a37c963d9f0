import type { Alarm, CalendarTime, Duration } from './series.ts';
import { componentsOf, linesOf, type TextComponent, type TextLine } from './text.ts';
import { readDuration, readTime, Unreadable } from './written-value.ts';

const maxAlarms = 20;

/** Reports an alarm that was left out. */
export type AlarmNote = (message: string, line?: number) => void;

/**
 * Reads the alarms of an event or a task. An invalid alarm is reported and left out. Alarms that another program has
 * acknowledged carry the time, in the way of RFC 9074 (ACKNOWLEDGED) or of Thunderbird (X-MOZ-LASTACK).
 */
export function readAlarms(entry: TextComponent, note: AlarmNote): readonly Alarm[] {
  const found: Alarm[] = [];
  for (const alarm of componentsOf(entry, 'VALARM')) {
    if (found.length >= maxAlarms) break;
    const one = (name: string) => linesOf(alarm, name)[0];
    const trigger = one('TRIGGER');
    try {
      found.push(...readAlarm(one, trigger));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      note(
        `An alarm is invalid: ${error.message}. The event was imported without this alarm.`,
        trigger?.number,
      );
    }
  }
  const acknowledged = linesOf(entry, 'X-MOZ-LASTACK').flatMap(({ value }) => instant(value) ?? []);
  const [lastMs] = acknowledged.sort((a, b) => b - a);
  const snoozed = linesOf(entry, 'X-MOZ-SNOOZE-TIME').flatMap(({ value }) => {
    const atMs = instant(value);
    return atMs === undefined ? [] : [{ atMs }];
  });
  const all = lastMs === undefined ? found : found.map((alarm) => ({ acknowledgedMs: lastMs, ...alarm }));
  return [...all, ...snoozed].slice(0, maxAlarms);
}

function readAlarm(
  one: (name: string) => TextLine | undefined,
  trigger: TextLine | undefined,
): readonly Alarm[] {
  const action = one('ACTION')?.value.trim().toUpperCase() ?? 'DISPLAY';
  // Apple writes ACTION:NONE for "no alarm"; procedures and unknown actions are not for people.
  if (!['DISPLAY', 'AUDIO', 'EMAIL'].includes(action)) return [];
  if (trigger === undefined) throw new Unreadable('it has no TRIGGER');
  const acknowledgedMs = instant(one('ACKNOWLEDGED')?.value ?? '');
  const known = { ...(acknowledgedMs !== undefined && { acknowledgedMs }) };
  const written = trigger.value.trim();
  if (!/^[+-]?P/i.test(written)) {
    const atMs = instant(written);
    if (atMs === undefined)
      throw new Unreadable(`TRIGGER "${written}" is neither a duration nor a time in UTC`);
    return [{ atMs, ...known }];
  }
  const related = trigger.parameter('RELATED')?.toUpperCase() === 'END' ? { fromEnd: true as const } : {};
  const offset = signed(written);
  const repeats = Math.min(Number.parseInt(one('REPEAT')?.value ?? '0', 10) || 0, 4);
  const pause = repeats > 0 && one('DURATION') ? readDuration(one('DURATION')!.value) : undefined;
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
