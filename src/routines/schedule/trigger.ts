import { Failure } from '../../failure.ts';
import { firstStart, isRecurrence, readRecurrence } from '../../recurrence/recurrence-words.ts';
import { inDigits, parseTime } from '../../recurrence/written-time.ts';
import { localText, offsetsIn } from '../../recurrence/zone.ts';
import { readCron } from './cron.ts';

/** Selects events. Every field that is given must match. */
export interface EventMatch {
  /** Id or name of a calendar. */
  readonly calendar?: string;
  /** Kind of event, such as `online`. */
  readonly kind?: string;
  /** Words in title, place or description. */
  readonly text?: string;
  /** Part of the name or mail address of an attendee, such as `@example.com`. */
  readonly attendee?: string;
}

/** When a routine fires, as stored. */
export type Trigger =
  | { readonly kind: 'once'; readonly atMs: number }
  /** `start` is local time, such as `2026-03-01T07:00:00`. */
  | { readonly kind: 'rule'; readonly rule: string; readonly start: string }
  | { readonly kind: 'cron'; readonly line: string }
  | {
      readonly kind: 'event';
      readonly edge: 'before' | 'after';
      readonly minutes: number;
      readonly match: EventMatch;
    }
  | { readonly kind: 'webhook' };

/** `when` as callers write it. */
export type When =
  | string
  | { readonly before?: string; readonly after?: string; readonly match?: EventMatch };

/** Clock triggers know their times in advance. The others wait for an event of a calendar or for a request. */
export function isClockTrigger({ kind }: Trigger): boolean {
  return kind === 'once' || kind === 'rule' || kind === 'cron';
}

/** Reads `when` in a time zone. Throws a `Failure` if it has more than one meaning, or none. */
export async function readTrigger(when: When, zone: string, nowMs: number, locale: string): Promise<Trigger> {
  if (typeof when !== 'string') return readEventTrigger(when);
  const text = when.trim();
  if (text.startsWith('{')) return readEventTrigger(parseEvent(text));
  if (text.toLowerCase() === 'webhook') return { kind: 'webhook' };
  const [, cron] = /^cron:(.*)$/is.exec(text) ?? [];
  if (cron !== undefined) {
    readCron(cron);
    return { kind: 'cron', line: cron.trim() };
  }
  const [, rule] = /^rrule:(.*)$/is.exec(text) ?? [];
  if (rule !== undefined) return readRule(rule.trim().toUpperCase(), zone, nowMs);
  if (isRecurrence(text)) return readWords(text, zone, nowMs);
  const written = await inDigits(text, zone, nowMs, locale, 'when');
  const { ms, allDay } = parseTime(written, zone, 'when', nowMs);
  if (allDay) throw invalid(`"${text}" says no time of day. Say, for example, "${text} 09:00".`);
  if (ms <= nowMs) throw invalid(`"${text}" is past.`);
  return { kind: 'once', atMs: ms };
}

/** Some model APIs send structures as text. */
function parseEvent(text: string): Exclude<When, string> {
  try {
    const { before, after, match } = JSON.parse(text) as Record<string, unknown>;
    const words = [before, after, ...Object.values((match ?? {}) as object)];
    if (words.every((word) => word === undefined || typeof word === 'string'))
      return { before, after, match } as Exclude<When, string>;
  } catch {}
  throw invalid(
    `"${text}" is not valid. Write, for example, {"before": "30 minutes", "match": {"attendee": "@example.com"}}.`,
  );
}

const units = { m: 1, h: 60, d: 1440 } as const;

function readEventTrigger({ before, after, match = {} }: Exclude<When, string>): Trigger {
  if ((before === undefined) === (after === undefined))
    throw invalid(
      'Give either before or after, such as {"before": "30 minutes", "match": {"attendee": "@example.com"}}.',
    );
  const written = before ?? after!;
  const [, count, unit] = /^(\d{1,4}) ?(m|h|d)(?:in|our|ay)?(?:ute)?s?$/i.exec(written.trim()) ?? [];
  if (count === undefined)
    throw invalid(
      `"${written}" is not a time before or after an event. Write, for example, "30 minutes" or "1 hour".`,
    );
  if (Object.values(match).every((value) => value === undefined || value.trim() === ''))
    throw invalid(
      'match is empty. Name a calendar, a kind, a text or an attendee, so that the routine does not fire for every event.',
    );
  return {
    kind: 'event',
    edge: before === undefined ? 'after' : 'before',
    minutes: Number(count) * units[unit!.toLowerCase() as keyof typeof units],
    match,
  };
}

function readWords(text: string, zone: string, nowMs: number): Trigger {
  const { rule, time } = readRecurrence(text, zone);
  if (/FREQ=(MINUTELY|HOURLY)/.test(rule)) {
    if (time !== undefined) throw invalid(`"${text}" repeats during the day, so it has no time of day.`);
    return { kind: 'rule', rule, start: `${localText(nowMs, zone).slice(0, 10)}T00:00:00` };
  }
  if (time === undefined)
    throw invalid(`"${text}" says no time of day. Say, for example, "${text} at 09:00".`);
  const start = firstStart(rule, time, zone, nowMs);
  if (start === undefined) throw invalid(`"${text}" has no date in the next two years.`);
  return { kind: 'rule', rule, start: `${start}:00` };
}

/** A rule has no start, so its days are counted from today, and it must name its time of day. */
async function readRule(written: string, zone: string, nowMs: number): Promise<Trigger> {
  const parts = written.split(';').filter((part) => part !== '');
  const value = (name: string) => parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  if (value('FREQ') === undefined)
    throw invalid(
      `"RRULE:${written}" has no FREQ. Write, for example, RRULE:FREQ=DAILY;BYHOUR=7;BYMINUTE=0.`,
    );
  const isWithinDay = /FREQ=(MINUTELY|HOURLY|SECONDLY)/.test(written);
  if (!isWithinDay && (value('BYHOUR') === undefined || value('BYMINUTE') === undefined))
    throw invalid(`"RRULE:${written}" names no time of day. Add, for example, BYHOUR=7;BYMINUTE=0.`);
  const today = localText(nowMs, zone).slice(0, 10);
  const [hour, minute] = [value('BYHOUR'), value('BYMINUTE')].map((one) => one?.padStart(2, '0') ?? '00');
  // With its one time of day as the start, a rule is simple, and the engine expands it quickly.
  const isSingle = !isWithinDay && /^([01]\d|2[0-3])$/.test(hour!) && /^[0-5]\d$/.test(minute!);
  const rule = isSingle
    ? parts.filter((part) => !/^BY(HOUR|MINUTE|SECOND)=/.test(part)).join(';')
    : parts.join(';');
  const trigger = {
    kind: 'rule',
    rule,
    start: isSingle ? `${today}T${hour}:${minute}:00` : `${today}T00:00:00`,
  } as const;
  const { isRunaway } = await import('../../recurrence/rule.ts');
  const start = { wallMs: Date.parse(`${trigger.start}Z`), allDay: false, offsets: offsetsIn(zone), zone };
  try {
    if (!isRunaway(rule, start, nowMs)) return trigger;
  } catch (error) {
    throw invalid(`"RRULE:${written}" cannot be used: ${(error as Error).message}`);
  }
  throw invalid(`"RRULE:${written}" takes too long to compute, or has too many times. Use a simpler rule.`);
}

function invalid(message: string): Failure {
  return new Failure('invalid-params', message, {
    issues: [{ path: ['when'], keyword: 'format', expected: 'when', message }],
  });
}
