import type { CalendarEvent } from '../../store/schema.ts';
import type { Reader } from './entity-access.ts';

/** Small, because a single event can have a megabyte of changed occurrences. */
const pageSize = 50;

/** Reads events in the given order, in pages, so that other requests are served in between. */
export async function* readEvents(
  db: Reader,
  ids: readonly { readonly id: string }[],
): AsyncGenerator<CalendarEvent> {
  for (let from = 0; from < ids.length; from += pageSize) {
    const page = ids.slice(from, from + pageSize).map(({ id }) => id);
    const rows = await db.selectFrom('events').selectAll().where('id', 'in', page).execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of page) {
      const event = byId.get(id);
      // Another request may have deleted it in the meantime.
      if (event !== undefined) yield event;
    }
  }
}
