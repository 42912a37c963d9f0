import { log } from '../../log.ts';
import { type Calendar, unverifiedEtag } from '../../store/schema.ts';
import { findUser } from '../entities/entity-access.ts';
import { parseCalendar } from '../icalendar/parse.ts';
import { CalDavTarget } from './caldav-target.ts';
import { type EventChange, importEvents } from './import.ts';
import type { SourceOptions } from './source.ts';
import type { Calendars } from './sync.ts';

/**
 * Reads the events that their server has confirmed, but not sent back, and that no sync has seen since. An event that the
 * server does not have is removed.
 */
export async function verifyWritten(
  { data }: Calendars,
  calendar: Calendar,
  options: SourceOptions,
): Promise<readonly EventChange[]> {
  const rows = await data.store.read((db) =>
    db
      .selectFrom('events')
      .select(['href', 'title'])
      .where('calendar_id', '=', calendar.id)
      .where('etag', '=', unverifiedEtag)
      .execute(),
  );
  if (rows.length === 0) return [];
  const user = await data.store.read((db) => findUser(db, calendar.user_id));
  const target = new CalDavTarget(calendar, options);
  const changes: EventChange[] = [];
  for (const { href, title } of rows) {
    if (href === null) continue;
    try {
      const stored = await target.read(href);
      const documents = stored === undefined ? [] : [{ name: href, pieces: [stored.text] }];
      const { events } = await parseCalendar(documents, { nowMs: data.clock() });
      const deleted = { hrefs: new Set(stored === undefined ? [href] : []) };
      changes.push(...(await importEvents(data, calendar, user, events, { deleted })).changes);
    } catch (error) {
      options.signal?.throwIfAborted();
      log('debug', `"${title}" could not be verified on its server yet`, error);
    }
  }
  return changes;
}
