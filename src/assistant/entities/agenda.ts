import type { User } from '../../store/schema.ts';
import { isFree } from './occurrence.ts';
import type { Listed } from './occurrence-list.ts';
import { answerOf, isActive, isDeclined } from './reminders.ts';

/** Occurrences without those that a person has done, declined or cancelled. */
export function activeFor(user: User, listed: readonly Listed[]): readonly Listed[] {
  return listed.filter(({ occurrence }) => isActive(occurrence) && !isDeclined(user, occurrence));
}

export function isUnanswered(user: User, { occurrence }: Listed): boolean {
  return answerOf(user, occurrence) === 'needs-action';
}

/** Pairs of events that take up the same time. The occurrences are sorted by their start. */
export function conflictsOf(listed: readonly Listed[]): readonly (readonly [Listed, Listed])[] {
  const busy: Listed[] = [];
  for (const one of listed) if (takesTime(one) && !busy.some((other) => isCopy(one, other))) busy.push(one);
  return busy.flatMap((one, index) =>
    busy
      .slice(index + 1)
      .filter((other) => other.occurrence.startMs < one.occurrence.endMs)
      .map((other) => [one, other] as const),
  );
}

function takesTime({ event, occurrence }: Listed): boolean {
  const { task, startMs, endMs } = occurrence;
  return task === undefined && event.all_day !== 1 && endMs > startMs && !isFree(event, occurrence);
}

/** True for one event that two calendars contain. */
function isCopy({ occurrence: { title, startMs, endMs } }: Listed, { occurrence: other }: Listed): boolean {
  return title === other.title && startMs === other.startMs && endMs === other.endMs;
}
