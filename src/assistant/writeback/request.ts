import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, present } from '../../json.ts';
import { localTime } from '../../recurrence/written-time.ts';
import { singleLine } from '../../single-line.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import type { StoredObject } from '../calendar/source.ts';
import { type EventInput, mergedTimes, timesOf, type WrittenTimes } from '../editing/events.ts';
import { audit } from '../entities/decision-log.ts';
import { type AssistantData, findUser, fingerprint } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { findOccurrence as findDate, keyInstant } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { isOwn } from '../entities/reminders.ts';
import { dateIn, timestamp } from '../entities/view.ts';
import type { Series } from '../icalendar/series.ts';
import { parseObject } from '../icalendar/text.ts';
import { invitedPeople, organizerOf } from './attendees.ts';
import { type EditContext, type EventPatch, masterOf } from './edit.ts';
import type { RemoteCalendar, TouchedField } from './remote-event.ts';

/** Which dates of a series a change is for. Without an occurrence, all. */
export interface Scope {
  /** Key from list_events. */
  readonly occurrence?: string | undefined;
  /** Also all later occurrences. */
  readonly following?: boolean | undefined;
}

export interface FoundOccurrence extends Occurrence {
  /** Original start. */
  readonly keyMs: number;
}

export async function findOccurrence(
  data: AssistantData,
  event: CalendarEvent,
  key: string | undefined,
  { userZone }: Pick<EditContext, 'userZone'>,
): Promise<FoundOccurrence | undefined> {
  if (key === undefined) return undefined;
  const found = await findDate(data, event, key, userZone);
  return { ...found, keyMs: keyInstant(key, userZone) };
}

export function isFirst(event: CalendarEvent, { keyMs }: FoundOccurrence): boolean {
  return keyMs <= event.start_ms;
}

/** The fields of a request that are neither times nor recurrence. */
export function detailsOf(input: EventInput, unset: readonly (keyof EventInput)[]): EventPatch {
  const { title, location, description, conf_link, status, show_as, attendees } = input;
  return {
    ...present({ title, location, description, conf_link, status, show_as, attendees }),
    ...Object.fromEntries(
      (['location', 'description', 'conf_link', 'show_as'] as const)
        .filter((name) => unset.includes(name))
        .map((name) => [name, null]),
    ),
    ...(unset.includes('attendees') && { attendees: [] }),
  };
}

/** What a change overwrites. A change to one occurrence depends on all times of the series. */
export function touchedBy(patch: EventPatch, occurrence: boolean): readonly TouchedField[] {
  const texts = (['title', 'location', 'description', 'conf_link', 'status'] as const).filter(
    (name) => patch[name] !== undefined && !occurrence,
  );
  const timed = [patch.startMs, patch.endMs, patch.rrule].some((value) => value !== undefined);
  return timed || occurrence ? [...texts, 'times'] : texts;
}

/** The organizer of an event on a server is the account that owns the calendar. */
export function refuseOrganizer(input: EventInput, unset: readonly string[] = []): void {
  if (input.organizer !== undefined || unset.includes('organizer'))
    throw new Failure(
      'refused',
      'The organizer of an event on a calendar server is the account that created it and cannot be changed. Leave organizer out.',
    );
}

/** An event that somebody else organizes can only be answered, if the server sends changes to all attendees. */
export function refuseForeign({ abilities, own }: RemoteCalendar, { text }: StoredObject): void {
  const organizer = organizerOf(masterOf(parseObject(text)));
  if (!abilities.sendsInvitations || organizer === undefined || own.has(organizer)) return;
  throw new Failure(
    'refused',
    `${organizer} organizes this event, so only ${organizer} can change it. Answer it with answer_invitation, or ask the organizer.`,
  );
}

/** Why an event that is no invitation cannot be answered, and what the caller can do instead. */
export async function nothingToAnswer({ store }: AssistantData, event: CalendarEvent): Promise<Failure> {
  const user = await store.read((db) => findUser(db, event.user_id));
  const title = singleLine(event.title, 100);
  const reason = isOwn(user, event)
    ? `"${title}" is an event of ${singleLine(user.name)}, not an invitation from somebody else, so there is nothing to answer. update_event changes or cancels it; if only ${singleLine(user.name)} stays away, with show_as free and reminders []. delete_event deletes it, and get_event shows what its guests answered.`
    : `"${title}" was entered here, not sent as an invitation, so an answer would reach nobody. Tell ${singleLine(event.organizer ?? 'the organizer')} yourself; update_event and delete_event change only the entry here.`;
  return new Failure('refused', reason);
}

/** Describes what the server sends to other people; nobody receives anything if the server sends nothing. */
export function previewOf(
  { abilities, own, editing }: RemoteCalendar,
  sends: Preview['sends'],
  texts: readonly string[],
  about: { readonly title: string; readonly startMs: number },
  covers: unknown,
): Preview {
  const objects = texts.map(parseObject);
  const organizer = organizerOf(masterOf(objects[0]!));
  const subject = subjectOnly(
    `"${about.title}" (${localTime(about.startMs, editing.userZone, editing.nowMs)})`,
  );
  if (!abilities.sendsInvitations) return { sends, recipients: [], subject, covers };
  // A guest who deletes an event declines it.
  if (organizer !== undefined && !own.has(organizer))
    return { sends: 'a refusal', recipients: [organizer], subject, covers };
  const recipients = new Set(objects.flatMap((object) => invitedPeople(object, own)));
  return { sends, recipients: [...recipients].sort(), subject, covers };
}

/** The relative part of a time changes every minute and is not part of what the user confirms. */
function subjectOnly(subject: string): string {
  return subject.replace(/, [^,]*\)$/, ')');
}

export async function record(
  { calendars: { data }, calendar }: RemoteCalendar,
  action: string,
  event: CalendarEvent,
  detail: object = {},
): Promise<CalendarEvent> {
  const entry = { action, userId: event.user_id, eventId: event.id };
  await data.store.write((writer) =>
    audit(writer, data.clock(), [{ ...entry, detail: { calendar_id: calendar.id, ...detail } }]),
  );
  return event;
}

type TimePatch = Pick<EventPatch, 'startMs' | 'endMs' | 'allDay' | 'zone' | 'rrule'>;

/**
 * Converts written times to a patch. `now` are the present times of the event or occurrence. Times without a zone are
 * in the zone of the event; an event in UTC has no zone of its own, so there the user's applies.
 */
export async function requestedTimes(
  event: CalendarEvent,
  now: { readonly startMs: number; readonly endMs: number },
  input: WrittenTimes,
  user: User,
  nowMs: number,
): Promise<TimePatch> {
  const { start_ts, end_ts, timezone, rrule } = input;
  if ((start_ts ?? end_ts ?? timezone ?? rrule) === undefined) return {};
  const userZone = preferencesOf(user).timezone;
  const ownZone = event.timezone === null || event.timezone === 'UTC' ? userZone : event.timezone;
  const zone = timezone ?? ownZone;
  const single = { ...event, series: null, timezone: zone, start_ms: now.startMs, end_ms: now.endMs };
  const start = start_ts ?? (event.all_day === 1 ? dateIn(userZone, now.startMs) : timestamp(now.startMs));
  const times = await timesOf(
    mergedTimes(single, { ...input, start_ts: start, timezone: zone }, []),
    user,
    nowMs,
  );
  const rules = times.series === null ? undefined : (JSON.parse(times.series) as Series).rules;
  const moved = start_ts !== undefined || timezone !== undefined;
  return {
    ...(moved && { startMs: times.start_ms }),
    ...((moved || end_ts !== undefined) && { endMs: times.end_ms, allDay: times.all_day === 1 }),
    ...(timezone !== undefined && { zone: timezone }),
    ...(rrule !== undefined && { rrule: rules![0]! }),
  };
}

/** What a server will send to other people because of a change. */
interface Preview {
  readonly sends: 'invitations' | 'updates' | 'cancellations' | 'a refusal';
  readonly recipients: readonly string[];
  /** Title and time of the event. */
  readonly subject: string;
  /** Everything that the confirmation covers; another change needs another confirmation. */
  readonly covers: unknown;
}

/**
 * Lets the user confirm that messages go out. A client that cannot be asked gets the preview with a token, and calls again
 * with the token after it has asked the user in its own way.
 */
export async function confirmSending(
  preview: Preview,
  confirm: string | undefined,
  context: Context,
): Promise<void> {
  if (preview.recipients.length === 0) return;
  const token = fingerprint(preview);
  if (confirm === token) return;
  const people = preview.recipients.length === 1 ? '1 person' : `${preview.recipients.length} people`;
  const message = `The calendar server will send ${preview.sends} to ${people} (${preview.recipients.join(', ')}) for ${preview.subject}.`;
  if (context.can('elicitation')) return askUser(message, context);
  throw new Failure(
    'refused',
    `${confirm === undefined ? '' : 'The event or the request changed since the last preview. '}${message} Nothing was changed and nothing was sent yet. If the user agrees, call again with the same arguments and confirm "${token}".`,
    { data: { confirm: token, sends: preview.sends, recipients: preview.recipients } },
  );
}

async function askUser(message: string, context: Context): Promise<void> {
  const { send: answer = {} } = await context.ask({
    send: {
      method: 'elicitation/create',
      params: {
        message,
        requestedSchema: {
          type: 'object',
          properties: { send: { type: 'boolean', title: 'Send', default: true } },
        },
      },
    },
  });
  const content = isObject(answer['content']) ? answer['content'] : {};
  if (answer['action'] === 'accept' && content['send'] !== false) return;
  throw new Failure('refused', 'The user did not agree. Nothing was changed and nothing was sent.');
}
