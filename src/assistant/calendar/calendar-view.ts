import { present } from '../../json.ts';
import type { Calendar } from '../../store/schema.ts';
import type { ValueOf } from '../../tool.ts';
import type { calendarShape } from '../entities/shapes.ts';
import { timestamp } from '../entities/view.ts';
import { configOf } from './source.ts';
import type { SyncResult } from './sync.ts';

const maxListed = 50;

export type CalendarView = ValueOf<typeof calendarShape>;

export function calendarView(calendar: Calendar, events?: number): CalendarView {
  const problems = calendar.problems === null ? undefined : JSON.parse(calendar.problems);
  return present({
    id: calendar.id,
    user_id: calendar.user_id,
    name: calendar.name,
    kind: calendar.kind,
    tasks_only: configOf(calendar).tasks_only,
    source: publicPlace(calendar),
    kept_up_to_date: calendar.enabled === 1,
    events,
    last_sync: calendar.last_sync_ms === null ? undefined : timestamp(calendar.last_sync_ms),
    next_sync:
      calendar.enabled === 0 || calendar.next_sync_ms === null ? undefined : timestamp(calendar.next_sync_ms),
    failures: calendar.failures === 0 ? undefined : calendar.failures,
    error: calendar.error ?? undefined,
    problem_count: problems?.count,
    problems: problems?.list,
  });
}

export function syncView({ calendar, changes, unchanged, problems }: SyncResult): CalendarView {
  const counts = { added: 0, moved: 0, changed: 0, cancelled: 0, removed: 0 };
  for (const { kind } of changes) counts[kind] += 1;
  return present({
    ...calendarView(calendar),
    ...counts,
    unchanged,
    changes: changes
      .slice(0, maxListed)
      .map(({ kind, eventId, uid, title }) => ({ kind, event_id: eventId, uid, title })),
    problem_count: problems.length,
    problems: problems.slice(0, maxListed),
  });
}

/** Anyone with a secret URL can read the calendar, so long path segments and the query are hidden. */
function publicPlace({ kind, location }: Calendar): string {
  if (kind !== 'url' || !URL.canParse(location)) return location;
  const { origin, pathname, search } = new URL(location);
  const path = pathname.split('/').map((part) => (part.length > 24 ? '…' : part));
  return `${origin}${path.join('/')}${search === '' ? '' : '?…'}`;
}
