import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { CalendarEvent, Notification } from '../../store/schema.ts';
import type { Calendars } from '../calendar/sync.ts';
import { auditChange } from '../entities/decision-log.ts';
import { type AssistantData, findEvent, findUser, rowOf, updateRow } from '../entities/entity-access.ts';
import { doneStarts } from '../entities/occurrence.ts';
import { findOccurrence as findDate } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { createLine, linesOf, setLines, type TextComponent } from '../icalendar/text.ts';
import { utcText } from '../icalendar/written-value.ts';
import { replanEvent } from '../planning/replanning.ts';
import { type Edit, masterOf, stamp, timing } from './edit.ts';
import { openEvent, storeObject } from './remote-event.ts';
import { type FoundOccurrence, findOccurrence, record } from './request.ts';
import { saveEdit } from './save.ts';
import { overrideFor } from './series-edit.ts';

export type TaskState = 'open' | 'done';

/**
 * Marks a task, or one date of it, as done or open: here at once, and on its server if it is on one that can be written.
 * A server that does not answer gets the change with a later sync.
 */
export async function setTask(
  calendars: Calendars,
  event: CalendarEvent,
  state: TaskState,
  occurrence: string | undefined,
  signal?: AbortSignal,
): Promise<CalendarEvent> {
  const { data } = calendars;
  if (event.task === null)
    throw new Failure('refused', `"${event.title}" is an event, not a task, so it cannot be done.`);
  if (occurrence === undefined && event.series?.includes('"rules"'))
    throw new Failure('invalid-params', 'This task repeats. Say which occurrence of it is meant.');
  const marked = await markDone(data, event.id, occurrence, state);
  if (!(await isOnServer(data, event))) return marked;
  try {
    return await writeTask(calendars, marked, state, occurrence, signal);
  } catch (error) {
    // A calendar that can only be read keeps its own state; here the task is done.
    if (error instanceof Failure && error.kind === 'refused') return marked;
    throw new Failure(
      'unavailable',
      `"${event.title}" is ${state} here, but not on its server yet: ${messageOf(error)} The next sync tries again.`,
      { cause: error },
    );
  }
}

/** Completes the task of a reminder whose user pressed Done. A message about a meeting completes nothing. */
export async function completeTask(
  calendars: Calendars,
  { event_id, occurrence }: Pick<Notification, 'event_id' | 'occurrence'>,
  signal?: AbortSignal,
): Promise<void> {
  const event = await calendars.data.store.read((db) => rowOf(db, 'events', event_id));
  if (event?.task === 'open') await setTask(calendars, event, 'done', occurrence || undefined, signal);
}

/** Writes what could not be written when a task was done. */
export async function writePendingTasks(calendars: Calendars, calendarId: string): Promise<void> {
  const { data } = calendars;
  const events = await data.store.read((db) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('calendar_id', '=', calendarId)
      .where('task', '=', 'open')
      .where('done', 'is not', null)
      .execute(),
  );
  for (const event of events) {
    const window = { fromMs: event.first_ms, toMs: Math.min(event.last_ms, data.clock() + 400 * 86_400_000) };
    for (const { key, startMs } of await data.occurrences(event, window, event.timezone ?? 'UTC'))
      if (doneStarts(event).includes(startMs))
        await writeTask(calendars, event, 'done', key || undefined).catch((error: unknown) =>
          log('debug', `the task "${event.title}" could not be written to its calendar`, error),
        );
  }
}

async function isOnServer({ store }: AssistantData, { calendar_id: id }: CalendarEvent): Promise<boolean> {
  return id !== null && (await store.read((db) => rowOf(db, 'calendars', id)))?.kind === 'caldav';
}

async function writeTask(
  calendars: Calendars,
  event: CalendarEvent,
  state: TaskState,
  occurrence: string | undefined,
  signal?: AbortSignal,
): Promise<CalendarEvent> {
  const { remote, stored, href } = await openEvent(calendars, event, signal, 'VTODO');
  const { editing } = remote;
  const found = await findOccurrence(calendars.data, event, occurrence, editing);
  const edit: Edit = {
    async apply(object) {
      const task = found === undefined ? masterOf(object, 'VTODO') : dateOf(object, found, editing.userZone);
      setState(task, state, editing.nowMs, object.lineBreak);
      stamp(task, false, editing.nowMs, object.lineBreak);
    },
    ...(found !== undefined && { relies: timing }),
  };
  await storeObject(remote, href, await saveEdit(remote.target, href, stored, edit));
  await record(remote, 'event.updated', event, { task: state });
  // The server knows now. A mark that stays would undo a later change there.
  return markDone(calendars.data, event.id, occurrence, 'open');
}

/** One date of a task that repeats. Its due date identifies it only if the task has no other start. */
function dateOf(object: Parameters<Edit['apply']>[0], { keyMs }: FoundOccurrence, userZone: string) {
  const master = masterOf(object, 'VTODO');
  if (linesOf(master, 'DTSTART').length > 0 && linesOf(master, 'DUE').length > 0)
    throw new Failure('refused', 'One date of this task cannot be changed on its server.');
  return overrideFor(object, keyMs, userZone, 'VTODO');
}

function setState(task: TextComponent, state: TaskState, nowMs: number, lineBreak: string): void {
  const now = utcText(nowMs);
  const values =
    state === 'done'
      ? { STATUS: 'COMPLETED', COMPLETED: now, 'PERCENT-COMPLETE': '100' }
      : { STATUS: 'NEEDS-ACTION', COMPLETED: undefined, 'PERCENT-COMPLETE': undefined };
  for (const [name, value] of Object.entries(values))
    setLines(task, name, value === undefined ? [] : [createLine(`${name}:${value}`, lineBreak)]);
}

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
    const { startMs } = await findDate(data, before, occurrence, preferencesOf(user).timezone);
    const others = doneStarts(before).filter((ms) => ms !== startMs);
    const starts = state === 'done' ? [...others, startMs] : others;
    const done = starts.length === 0 ? null : JSON.stringify(starts);
    if (done === before.done) return before;
    const event = await updateRow(writer.db, 'events', id, { done, updated_ms: now });
    const detail = { task: state, ...(occurrence !== undefined && { occurrence }) };
    await auditChange(writer, now, { action: 'event.updated', userId: user.id, eventId: id, detail });
    await replanEvent(writer, data, user, event, now);
    return event;
  });
}
