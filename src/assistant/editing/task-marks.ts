import { Failure } from '../../failure.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { audit } from '../entities/decision-log.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import { doneStarts } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { replanEvent } from '../planning/replanning.ts';

/**
 * Marks a task as done here, whatever its calendar says. The mark is bound to the time when the task is due: a task that
 * gets a new date is open again.
 */
export function markDone(
  data: AssistantData,
  id: string,
  occurrence: string | undefined,
  state: 'open' | 'done',
): Promise<CalendarEvent> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    const before = await findEvent(writer.db, id);
    const user = await findUser(writer.db, before.user_id);
    const startMs = await startOf(data, before, occurrence, preferencesOf(user).timezone);
    const others = doneStarts(before).filter((ms) => ms !== startMs);
    const starts = state === 'done' ? [...others, startMs] : others;
    const done = starts.length === 0 ? null : JSON.stringify(starts);
    if (done === before.done) return before;
    const event = await writer.db
      .updateTable('events')
      .set({ done, updated_ms: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const detail = { task: state, ...(occurrence !== undefined && { occurrence }) };
    await audit(writer, now, [{ action: 'event.updated', userId: user.id, eventId: id, detail }]);
    writer.changed({ kind: 'event', id, userId: user.id });
    await replanEvent(writer, data, user, event, now);
    return event;
  });
}

export function isMarkedDone(event: CalendarEvent, startMs: number): boolean {
  return doneStarts(event).includes(startMs);
}

async function startOf(
  data: AssistantData,
  event: CalendarEvent,
  occurrence: string | undefined,
  zone: string,
): Promise<number> {
  const window = { fromMs: event.first_ms, toMs: Math.min(event.last_ms, data.clock() + 4000 * 86_400_000) };
  const all = await data.occurrences(event, window, zone);
  const found = all.find(({ key }) => key === (occurrence ?? ''));
  if (found !== undefined) return found.startMs;
  throw new Failure('resource-not-found', 'Occurrence not found');
}
