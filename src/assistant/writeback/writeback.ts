import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { configOf } from '../calendar/source.ts';
import type { Calendars } from '../calendar/sync.ts';
import type { StoredObject } from '../calendar/target.ts';
import type { EventInput } from '../editing/event-edit.ts';
import { timesOf } from '../editing/event-times.ts';
import type { Series } from '../icalendar/series.ts';
import { writeObject } from '../icalendar/text.ts';
import { composeEvent, uidFor } from './compose.ts';
import { confirmSending } from './confirmation.ts';
import { type Edit, type EventPatch, timing } from './edit.ts';
import {
  forget,
  isSameEvent,
  openEvent,
  openRemote,
  type RemoteCalendar,
  refuseUnseen,
  storeObject,
} from './remote-event.ts';
import { detailsOf, previewOf, record, refuseForeign, refuseOrganizer, touchedBy } from './request.ts';
import { requestedTimes } from './requested-times.ts';
import { applied, type Saved, saveEdit, saveNew, saveRemoval } from './save.ts';
import { findOccurrence, isFirst, type Scope } from './scope.ts';
import { editAll, editOccurrence, excludeOccurrence } from './series-edit.ts';
import { endBefore, tailOf } from './split.ts';

export interface Confirmed {
  /** Token of a preview. */
  readonly confirm?: string | undefined;
  readonly context: Context;
}

/** Creates an event in a calendar on a server. */
export async function createRemote(
  calendars: Calendars,
  calendarId: string,
  userId: string,
  {
    id,
    ...input
  }: EventInput & { readonly title: string; readonly start_ts: string; readonly id?: string | undefined },
  { confirm, context }: Confirmed,
): Promise<CalendarEvent> {
  refuseOrganizer(input);
  const remote = await openRemote(calendars, calendarId, context.signal);
  if (remote.user.id !== userId)
    throw new Failure('refused', `The calendar "${remote.calendar.name}" belongs to another user.`);
  if (configOf(remote.calendar).tasks_only)
    throw new Failure(
      'refused',
      `"${remote.calendar.name}" is a task list, so its server accepts no events. Choose another calendar.`,
    );
  const times = await timesOf(input, remote.user, remote.editing.nowMs);
  const [rrule] = times.series === null ? [] : ((JSON.parse(times.series) as Series).rules ?? []);
  const zone = times.timezone ?? undefined;
  const patch = {
    ...detailsOf(input, []),
    startMs: times.start_ms,
    endMs: times.end_ms,
    allDay: times.all_day === 1,
    ...(zone !== undefined && { zone }),
    ...(rrule !== undefined && { rrule }),
  };
  const compose = async (uid: string) => composeEvent(uid, patch, remote.editing);
  const text = await compose('preview');
  await confirmSending(
    previewOf(remote, 'invitations', [text], { title: input.title, startMs: times.start_ms }, [
      calendarId,
      input,
    ]),
    confirm,
    context,
  );
  const { href, saved } = await createOnce(remote, [remote.calendar.location, id, patch], compose);
  const event = await storeObject(remote, href, saved);
  return record(remote, 'event.created', event);
}

/** More events of one request than this were created and then changed only by mistake. */
const maxCopies = 20;

/**
 * Creates the event of a request once, however often the request is repeated. If the event of an earlier request was moved
 * or renamed since, this request creates another one.
 */
async function createOnce(
  remote: RemoteCalendar,
  request: unknown,
  compose: (uid: string) => Promise<string>,
): Promise<{ readonly href: string; readonly saved: Saved }> {
  for (let copy = 0; copy < maxCopies; copy++) {
    const uid = uidFor(request, copy);
    const href = remote.target.addressFor(uid);
    const text = await compose(uid);
    const saved = await saveNew(remote.target, href, text);
    if (!('taken' in saved)) return { href, saved };
    const { taken } = saved;
    if (taken.text === undefined) return { href, saved: { text } };
    if (await isSameEvent(remote, taken.text, text)) return { href, saved: { ...taken, text: taken.text } };
  }
  throw new Failure(
    'conflict',
    `The calendar "${remote.calendar.name}" has ${maxCopies} events that this request created and that were changed since. Nothing was created. Give an id to create another one.`,
  );
}

/** Changes an event on its server: all of it, one occurrence, or an occurrence and all later ones. */
export async function updateRemote(
  calendars: Calendars,
  event: CalendarEvent,
  input: EventInput,
  unset: readonly (keyof EventInput)[],
  scope: Scope,
  { confirm, context }: Confirmed,
): Promise<CalendarEvent> {
  refuseOrganizer(input, unset);
  const { remote, stored, href } = await openEvent(calendars, event, context.signal);
  refuseForeign(remote, stored);
  const { editing, user } = remote;
  const found = await findOccurrence(calendars.data, event, scope.occurrence, remote.editing);
  const now = found ?? { startMs: event.start_ms, endMs: event.end_ms };
  const patch: EventPatch = {
    ...detailsOf(input, unset),
    ...(await requestedTimes(event, now, input, user, editing.nowMs)),
    ...(unset.includes('rrule') && { rrule: null }),
  };
  if (found !== undefined && !scope.following && patch.rrule !== undefined)
    throw new Failure(
      'invalid-params',
      'One occurrence has no recurrence rule; use following or leave rrule out.',
    );
  await refuseUnseen(remote, event, href, stored, touchedBy(patch, found !== undefined));
  const preview = (texts: readonly string[]) =>
    confirmSending(
      previewOf(
        remote,
        'updates',
        [stored.text, ...texts],
        { title: patch.title ?? event.title, startMs: patch.startMs ?? now.startMs },
        [event.id, stored.version, input, unset, scope],
      ),
      confirm,
      context,
    );
  const following = scope.following && found !== undefined && !isFirst(event, found);
  if (following) {
    const saved = await saveSplit(remote, href, stored, found.keyMs, patch, preview);
    return record(remote, 'event.updated', saved, scope);
  }
  const edit: Edit =
    found === undefined || scope.following
      ? {
          apply: (object) => editAll(object, patch, editing),
          additive: new Set(['ATTENDEE', ...(patch.startMs === undefined ? [] : ['EXDATE', 'RDATE'])]),
        }
      : {
          apply: (object) => void editOccurrence(object, found.keyMs, patch, editing),
          additive: new Set(['ATTENDEE']),
          relies: timing,
        };
  await preview([await applied(edit, stored.text)]);
  const saved = await storeObject(remote, href, await saveEdit(remote.target, href, stored, edit));
  return record(remote, 'event.updated', saved, scope);
}

/** Deletes an event from its server: all of it, one occurrence, or an occurrence and all later ones. */
export async function deleteRemote(
  calendars: Calendars,
  event: CalendarEvent,
  scope: Scope,
  { confirm, context }: Confirmed,
): Promise<void> {
  const { remote, stored, href } = await openEvent(calendars, event, context.signal);
  const found = await findOccurrence(calendars.data, event, scope.occurrence, remote.editing);
  await refuseUnseen(remote, event, href, stored, ['title', 'times']);
  const whole = found === undefined || (scope.following === true && isFirst(event, found));
  const about = { title: event.title, startMs: found?.startMs ?? event.start_ms };
  const preview = previewOf(remote, 'cancellations', [stored.text], about, [event.id, stored.version, scope]);
  await confirmSending(preview, confirm, context);
  if (whole) {
    await saveRemoval(remote.target, href, stored);
    await forget(remote, href);
  } else {
    const edit: Edit = scope.following
      ? { apply: (object) => endBefore(object, found.keyMs, remote.editing), relies: timing }
      : {
          apply: (object) => excludeOccurrence(object, found.keyMs, remote.editing),
          additive: new Set(['EXDATE']),
          relies: timing,
        };
    await storeObject(remote, href, await saveEdit(remote.target, href, stored, edit));
  }
  await record(remote, 'event.deleted', event, scope);
}

/** Writes the new series first, so that a failure in between loses no meeting, and removes it if the old one cannot end. */
async function saveSplit(
  remote: RemoteCalendar,
  href: string,
  stored: StoredObject,
  keyMs: number,
  patch: EventPatch,
  preview: (texts: readonly string[]) => Promise<void>,
): Promise<CalendarEvent> {
  const { target, editing } = remote;
  const compose = async (uid: string) => {
    const tail = await tailOf(stored.text, keyMs, uid, editing);
    await editAll(tail, patch, editing);
    return writeObject(tail);
  };
  await preview([await compose('preview')]);
  const request = [remote.calendar.location, href, keyMs, patch];
  const { href: tailHref, saved: savedTail } = await createOnce(remote, request, compose);
  const relies = new Set([...timing, 'EXDATE', 'SUMMARY', 'LOCATION', 'DESCRIPTION', 'RECURRENCE-ID']);
  const edit: Edit = { apply: (object) => endBefore(object, keyMs, editing), relies };
  const head = await saveEdit(target, href, stored, edit).catch(async (error: unknown) => {
    const tail = await target.read(tailHref).catch(() => undefined);
    if (tail !== undefined) await saveRemoval(target, tailHref, tail).catch(() => undefined);
    throw error;
  });
  await storeObject(remote, href, head);
  return storeObject(remote, tailHref, savedTail);
}
