import type { CalendarEvent } from './calendar-data.ts';

const startMs = ({ start_ts }: CalendarEvent) => Date.parse(start_ts);
const endMs = ({ end_ts }: CalendarEvent) => Date.parse(end_ts);

/** True if somebody cannot be elsewhere meanwhile. */
const takesTime = (event: CalendarEvent) =>
  !event.all_day && event.task === undefined && endMs(event) > startMs(event);

/** What there is to say about an event besides its time: its place, and the one that it overlaps. */
export function factsOf(event: CalendarEvent, events: readonly CalendarEvent[]): readonly string[] {
  const { task, location } = event;
  const other = events.find(
    (one) =>
      one !== event &&
      takesTime(one) &&
      takesTime(event) &&
      startMs(one) <= startMs(event) &&
      startMs(event) < endMs(one),
  );
  return [
    ...(task === undefined ? [] : [task === 'done' ? 'done' : 'task']),
    ...(location ? [location] : []),
    ...(other === undefined ? [] : [`overlaps ${other.title}`]),
  ];
}

/** How long an event takes, such as `1 h 30 min`. Undefined if it takes no time, or whole days. */
export function lengthOf(event: CalendarEvent): string | undefined {
  return takesTime(event) ? lengthText(endMs(event) - startMs(event)) : undefined;
}

export function lengthText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  if (days > 0) return days === 1 ? '1 day' : `${days} days`;
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ');
}
