import { Failure } from '../../failure.ts';
import { readRange } from '../../recurrence/written-range.ts';
import { inDigits, localTime, parseTime } from '../../recurrence/written-time.ts';
import type { User } from '../../store/schema.ts';

type PauseField = 'pause_from' | 'pause_until' | 'pause_to';

/** From when and until when reminders are paused. A new end without a beginning is that of a pause that begins now. */
export async function pauseOf(
  { pause_from, pause_until, pause_to }: { readonly [Name in PauseField]: string | undefined },
  zone: string,
  locale: string | null | undefined,
  now: number,
  known?: User,
): Promise<Partial<Pick<User, 'pause_from_ms' | 'pause_until_ms'>>> {
  const written = [pause_from, pause_until, pause_to].filter((one) => one !== undefined);
  if (written.length === 0) return {};
  if (pause_until !== undefined && pause_to !== undefined)
    throw new Failure('invalid-params', 'Give pause_until or pause_to, not both.');
  const names = { mayBePast: true, names: ['pause_from', 'pause_to'] } as const;
  const { startMs: fromMs = null, endMs } = await readRange(
    { from: pause_from, to: pause_to },
    zone,
    now,
    locale ?? 'en',
    names,
  );
  const until = async (words: string, afterMs: number) =>
    parseTime(
      await inDigits(words, zone, now, locale ?? 'en', 'pause_until', afterMs),
      zone,
      'pause_until',
      now,
    );
  let end = pause_until === undefined ? undefined : await until(pause_until, Math.max(now, fromMs ?? now));
  // On a Monday, "until monday" is the next one.
  if (end?.allDay && end.ms <= now) end = await until(pause_until!, now + 86_400_000);
  const untilMs = end?.ms ?? endMs ?? known?.pause_until_ms ?? null;
  if (untilMs === null)
    throw new Failure(
      'invalid-params',
      'pause_from needs pause_to, the last day of the pause, or pause_until, the time at which it ends.',
    );
  const at = localTime(untilMs, zone, now);
  if (untilMs <= now) throw new Failure('invalid-params', `The end of the pause is past: ${at}.`);
  if (fromMs !== null && fromMs >= untilMs)
    throw new Failure(
      'invalid-params',
      `pause_from must be before the end of the pause: ${localTime(fromMs, zone, now)} is not before ${at}.`,
    );
  return { pause_from_ms: fromMs !== null && fromMs > now ? fromMs : null, pause_until_ms: untilMs };
}
