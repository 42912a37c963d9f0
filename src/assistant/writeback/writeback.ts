import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { configOf, type StoredObject } from '../calendar/source.ts';
import type { Calendars } from '../calendar/sync.ts';
import {
  answerHere,
  deleteEvent,
  type EventInput,
  organizedByOther,
  timesOf,
  updateEvent,
} from '../editing/events.ts';
import { copyEventSettings } from '../editing/users.ts';
import { invitation } from '../entities/occurrence.ts';
import type { Series } from '../icalendar/series.ts';
import { type CalendarObject, componentsOf, parseObject, writeObject } from '../icalendar/text.ts';
import { answerIn, type GivenAnswer, organizerOf, setAnswer } from './attendees.ts';
import { composeEvent, type Edit, type EventPatch, masterOf, timing, uidFor } from './edit.ts';
import { inviteHere, withGuestAddresses } from './guests-here.ts';
import { deleteLocalOccurrence, updateLocalSeries } from './local-series.ts';
import {
  forget,
  isSameEvent,
  openEvent,
  openRemote,
  type RemoteCalendar,
  refuseUnseen,
  storeObject,
} from './remote-event.ts';
import {
  confirmSending,
  detailsOf,
  findOccurrence,
  isFirst,
  nothingToAnswer,
  previewOf,
  record,
  refuseForeign,
  refuseOrganizer,
  requestedTimes,
  type Scope,
  touchedBy,
} from './request.ts';
import { applied, type Saved, saveEdit, saveNew, saveRemoval } from './save.ts';
import { editAll, editOccurrence, endBefore, excludeOccurrence, overrideFor, tailOf } from './series-edit.ts';
import { setTask } from './task.ts';

/** Changes an event where it is stored: only here, or on its server. Reminders are always stored here. */
export async function changeEvent(
  calendars: Calendars,
  event: CalendarEvent,
  { reminders, task, ...fields }: EventInput,
  unset: readonly (keyof EventInput)[],
  scope: Scope,
  confirmed: Confirmed,
): Promise<CalendarEvent> {
  const { data } = calendars;
  const cleared = unset.filter((name) => name !== 'reminders');
  const update = () => {
    if (Object.keys(fields).length === 0 && cleared.length === 0) return undefined;
    if (event.provider === invitation) throw organizedByOther(event);
    if (event.provider !== 'local') return updateRemote(calendars, event, fields, cleared, scope, confirmed);
    return isForSeries(event, fields, cleared, scope)
      ? updateLocalSeries(data, event, fields, cleared, scope)
      : updateEvent(data, event.id, fields, cleared);
  };
  const updated = (await update()) ?? event;
  const changed =
    task === undefined
      ? updated
      : await setTask(calendars, updated, task, scope.occurrence, confirmed.context.signal);
  if (reminders === undefined && !unset.includes('reminders')) return changed;
  // A change of later occurrences begins a new series, to which the reminders then belong.
  const key = scope.following ? undefined : scope.occurrence;
  const own = reminders === undefined ? {} : { reminders };
  return updateEvent(data, changed.id, own, reminders === undefined ? ['reminders'] : [], key);
}

/** Deletes an event where it is stored: all of it, one occurrence, or an occurrence and all later ones. */
export async function removeEvent(
  calendars: Calendars,
  event: CalendarEvent,
  scope: Scope,
  confirmed: Confirmed,
): Promise<void> {
  if (event.provider === invitation) {
    // It stays as declined, so that the next change by its organizer does not bring it back.
    await answerInvitation(calendars, event, 'declined', scope.occurrence, confirmed.context.signal);
    return;
  }
  if (event.provider !== 'local') return deleteRemote(calendars, event, scope, confirmed);
  if (scope.occurrence === undefined) return deleteEvent(calendars.data, event.id);
  return deleteLocalOccurrence(calendars.data, event, scope);
}

/** True if a change concerns the dates of a series, or texts that changed dates share with it. */
function isForSeries(
  { series }: CalendarEvent,
  fields: EventInput,
  unset: readonly string[],
  { occurrence }: Scope,
): boolean {
  const timed = ['start_ts', 'end_ts', 'timezone', 'rrule'].some((name) => name in fields);
  const { rules, overrides = [] } = series === null ? {} : (JSON.parse(series) as Partial<Series>);
  const recurs = rules !== undefined && (timed || unset.includes('rrule') || overrides.length > 0);
  return occurrence !== undefined || recurs;
}

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
    ...written
  }: EventInput & { readonly title: string; readonly start_ts: string; readonly id?: string | undefined },
  { confirm, context }: Confirmed,
): Promise<CalendarEvent> {
  refuseOrganizer(written);
  const input = await withGuestAddresses(calendars.data, userId, written, context.actor);
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
  await inviteHere(remote, event);
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
async function updateRemote(
  calendars: Calendars,
  event: CalendarEvent,
  written: EventInput,
  unset: readonly (keyof EventInput)[],
  scope: Scope,
  { confirm, context }: Confirmed,
): Promise<CalendarEvent> {
  refuseOrganizer(written, unset);
  const input = await withGuestAddresses(calendars.data, event.user_id, written, context.actor);
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
    const saved = await saveSplit(remote, event, href, stored, found.keyMs, patch, preview);
    await inviteHere(remote, saved);
    return record(remote, 'event.updated', saved, scope);
  }
  const edit: Edit =
    found === undefined || scope.following
      ? {
          apply: (object) => editAll(object, patch, editing),
          additive: new Set(['ATTENDEE', ...(patch.startMs === undefined ? [] : ['EXDATE', 'RDATE'])]),
        }
      : {
          apply: async (object) => void editOccurrence(object, found.keyMs, patch, editing),
          additive: new Set(['ATTENDEE']),
          relies: timing,
        };
  await preview([await applied(edit, stored.text)]);
  const saved = await storeObject(remote, href, await saveEdit(remote.target, href, stored, edit));
  await inviteHere(remote, saved);
  return record(remote, 'event.updated', saved, scope);
}

/** Deletes an event from its server: all of it, one occurrence, or an occurrence and all later ones. */
async function deleteRemote(
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
      ? { apply: async (object) => endBefore(object, found.keyMs, remote.editing), relies: timing }
      : {
          apply: async (object) => excludeOccurrence(object, found.keyMs, remote.editing),
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
  event: CalendarEvent,
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
  const edit: Edit = { apply: async (object) => endBefore(object, keyMs, editing), relies };
  const head = await saveEdit(target, href, stored, edit).catch(async (error: unknown) => {
    const tail = await target.read(tailHref).catch(() => undefined);
    if (tail !== undefined) await saveRemoval(target, tailHref, tail).catch(() => undefined);
    throw error;
  });
  await storeObject(remote, href, head);
  const tail = await storeObject(remote, tailHref, savedTail);
  return copyEventSettings(remote.calendars.data, event.id, tail.id);
}

interface Answered {
  readonly event: CalendarEvent;
  /** Who learns of the answer. */
  readonly notified: string | undefined;
  readonly organizer: string;
}

/** Answers an invitation, or one date of a series. */
export async function answerInvitation(
  calendars: Calendars,
  event: CalendarEvent,
  answer: GivenAnswer,
  occurrence: string | undefined,
  signal: AbortSignal,
): Promise<Answered> {
  if (event.provider === 'local') throw await nothingToAnswer(calendars.data, event);
  if (event.provider !== invitation) return answerRemote(calendars, event, answer, occurrence, signal);
  if (occurrence !== undefined)
    throw new Failure(
      'refused',
      'An invitation of somebody on this server can only be answered as a whole. Leave occurrence out, or tell the organizer.',
    );
  const answered = await answerHere(calendars.data, event, answer);
  const organizer = answered.organizer ?? '';
  return { event: answered, organizer, notified: organizer };
}

async function answerRemote(
  calendars: Calendars,
  event: CalendarEvent,
  answer: GivenAnswer,
  occurrence: string | undefined,
  signal: AbortSignal,
): Promise<Answered> {
  const { remote, stored, href } = await openEvent(calendars, event, signal);
  const { own, abilities, editing } = remote;
  const object = parseObject(stored.text);
  const master = componentsOf(object.calendar, 'VEVENT')[0]!;
  const organizer = organizerOf(master);
  if (organizer === undefined || own.has(organizer)) throw await nothingToAnswer(calendars.data, event);
  if (!componentsOf(object.calendar, 'VEVENT').some((one) => answerIn(one, own) !== undefined))
    throw new Failure(
      'refused',
      `The user is not in the list of attendees. Known addresses of the user: ${[...own].join(', ') || 'none'}. If the invitation went to another address, set it as the user's email with update_user.`,
    );
  const found = await findOccurrence(calendars.data, event, occurrence, remote.editing);
  const edit: Edit = {
    apply: async (current) =>
      found === undefined
        ? answerAll(current, own, answer)
        : void setAnswer(overrideFor(current, found.keyMs, editing.userZone), own, answer, current.lineBreak),
    // Other attendees may answer at the same time.
    additive: new Set(['ATTENDEE']),
    ...(found !== undefined && { relies: timing }),
  };
  const saved = await storeObject(remote, href, await saveEdit(remote.target, href, stored, edit));
  await record(remote, 'event.answered', saved, { answer, occurrence });
  return { event: saved, organizer, notified: abilities.sendsInvitations ? organizer : undefined };
}

/** Answers the series. Dates that were answered differently before keep their answer. */
function answerAll(object: CalendarObject, own: ReadonlySet<string>, answer: GivenAnswer): void {
  const events = componentsOf(object.calendar, 'VEVENT');
  const before = answerIn(events.length === 1 ? events[0]! : masterOf(object), own);
  for (const event of events) {
    const present = answerIn(event, own);
    if (present === before || present === 'NEEDS-ACTION') setAnswer(event, own, answer, object.lineBreak);
  }
}
