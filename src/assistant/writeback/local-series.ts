import { Failure } from '../../failure.ts';
import { type JsonObject, present } from '../../json.ts';
import { newId } from '../../store/id.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import { timeFields } from '../calendar/import.ts';
import { type EventFields, type EventInput, removeEvent, saveEvent } from '../editing/events.ts';
import { audit } from '../entities/decision-log.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { parseCalendar } from '../icalendar/parse.ts';
import type { CalendarTime, Duration, EventDetails, Series } from '../icalendar/series.ts';
import { type CalendarObject, escapeText, parseObject, writeLines, writeObject } from '../icalendar/text.ts';
import { showAsText, timeLine } from '../icalendar/written-value.ts';
import type { EditContext } from './edit.ts';
import { detailsOf, findOccurrence, isFirst, requestedTimes, type Scope } from './request.ts';
import { editAll, editOccurrence, endBefore, excludeOccurrence, tailOf } from './series-edit.ts';

/**
 * Changes a series that is only here: all of it, one occurrence, or an occurrence and all later ones. The edits of texts for
 * calendar servers do the work, so that both kinds of series behave alike.
 */
export async function updateLocalSeries(
  data: AssistantData,
  event: CalendarEvent,
  input: EventInput,
  unset: readonly (keyof EventInput)[],
  scope: Scope,
): Promise<CalendarEvent> {
  const { user, editing } = await openLocal(data, event);
  const found = await findOccurrence(data, event, scope.occurrence, editing);
  const single = found !== undefined && !scope.following;
  const forAll = (['rrule', 'organizer', 'attendees'] as const).filter(
    (name) => input[name] !== undefined || unset.includes(name),
  );
  if (single && forAll.length > 0)
    throw new Failure(
      'invalid-params',
      `One occurrence has no ${forAll[0]} of its own; use following or leave occurrence out.`,
    );
  const { attendees, organizer, ...texts } = input;
  const now = found ?? { startMs: event.start_ms, endMs: event.end_ms };
  const patch = {
    ...detailsOf(
      texts,
      unset.filter((name) => name !== 'attendees'),
    ),
    ...(await requestedTimes(event, now, input, user, editing.nowMs)),
    ...(unset.includes('rrule') && { rrule: null }),
  };
  const people = {
    ...(organizer !== undefined && { organizer }),
    ...(attendees !== undefined && { attendees: JSON.stringify(attendees) }),
    ...Object.fromEntries(
      unset.filter((name) => name === 'organizer' || name === 'attendees').map((name) => [name, null]),
    ),
  };
  const text = storedText(event);
  const object = parseObject(text);
  const detail = { changed: [...Object.keys(input), ...unset], ...given(scope) };
  if (found === undefined || !scope.following || isFirst(event, found)) {
    if (single) editOccurrence(object, found.keyMs, patch, editing);
    else await editAll(object, patch, editing);
    return save(data, user, event, object, detail, people);
  }
  const id = newId(editing.nowMs);
  const tail = await tailOf(text, found.keyMs, id, editing);
  await editAll(tail, patch, editing);
  const tailFields = { ...(await fieldsOf(event, tail, user)), ...people, provider_event_id: id };
  endBefore(object, found.keyMs, editing);
  // One transaction, so that no reader sees the series without its later part.
  const headFields = await fieldsOf(event, object, user);
  return data.store.write(async (writer) => {
    const { reminders } = await findEvent(writer.db, event.id);
    await saveEvent(writer, data, user, headFields, editing.nowMs);
    const made = await saveEvent(writer, data, user, { ...tailFields, reminders }, editing.nowMs, id);
    const entry = { action: 'event.updated', userId: user.id };
    await audit(writer, editing.nowMs, [{ ...entry, eventId: event.id, detail: { ...detail, rest: id } }]);
    return made.event;
  });
}

/** Deletes one occurrence of a series that is only here, or one and all later ones. */
export async function deleteLocalOccurrence(
  data: AssistantData,
  event: CalendarEvent,
  scope: Scope,
): Promise<void> {
  const { user, editing } = await openLocal(data, event);
  const { keyMs, ...found } = (await findOccurrence(data, event, scope.occurrence, editing))!;
  if (scope.following && isFirst(event, { ...found, keyMs }))
    return data.store.write((writer) => removeEvent(writer, event, 'the event was deleted', editing.nowMs));
  const object = parseObject(storedText(event));
  if (scope.following) endBefore(object, keyMs, editing);
  else excludeOccurrence(object, keyMs, editing);
  await save(data, user, event, object, given(scope), {}, 'event.occurrence_deleted');
}

function given({ occurrence, following }: Scope): JsonObject {
  return { ...(occurrence !== undefined && { occurrence }), ...(following && { following }) };
}

async function openLocal(data: AssistantData, event: CalendarEvent) {
  const user = await data.store.read((db) => findUser(db, event.user_id));
  const editing: EditContext = {
    nowMs: data.clock(),
    userZone: preferencesOf(user).timezone,
    organizer: undefined,
  };
  return { user, editing };
}

function save(
  data: AssistantData,
  user: User,
  event: CalendarEvent,
  object: CalendarObject,
  detail: JsonObject,
  people: Partial<EventFields>,
  action = 'event.updated',
): Promise<CalendarEvent> {
  const now = data.clock();
  return fieldsOf(event, object, user).then((fields) =>
    data.store.write(async (writer) => {
      const saved = await saveEvent(writer, data, user, { ...fields, ...people }, now);
      await audit(writer, now, [{ action, userId: user.id, eventId: event.id, detail }]);
      return saved.event;
    }),
  );
}

/** The columns of an event after its text was edited. What the text does not contain stays. */
async function fieldsOf(event: CalendarEvent, object: CalendarObject, user: User): Promise<EventFields> {
  const { id: _, user_id, revision, created_ms, updated_ms, ...known } = event;
  const { events } = await parseCalendar([{ name: event.id, pieces: [writeObject(object)] }], {
    nowMs: event.updated_ms,
  });
  const { details, series } = events[0]!;
  return {
    ...known,
    ...(await timeFields(series, preferencesOf(user).timezone)),
    title: details.title,
    location: details.location ?? null,
    description: details.description ?? null,
    conf_link: details.link ?? null,
    status: details.status,
    show_as: details.showAs ?? null,
  };
}

/** Writes a series that is only here as a calendar object, without its organizer and attendees, which can be names. */
function storedText(event: CalendarEvent): string {
  const series = JSON.parse(event.series!) as Series;
  const { start, duration, rules = [], exceptions = [], overrides = [] } = series;
  const { title, status, description, location, conf_link: link, show_as: showAs } = event;
  const components = [
    [
      ...timeLines(start, duration),
      ...rules.map((rule) => `RRULE:${rule}`),
      ...exceptions.map((time) => timeLine('EXDATE', time)),
      ...detailLines(present({ title, status, description, location, link, showAs })),
    ],
    ...overrides.map((one) => [
      timeLine('RECURRENCE-ID', one.id),
      ...timeLines(one.start, one.duration),
      ...detailLines(one.details),
    ]),
  ];
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...components.flatMap((own) => [
      'BEGIN:VEVENT',
      `UID:${escapeText(event.id)}`,
      'DTSTAMP:20000101T000000Z',
      ...own,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return writeLines(lines);
}

function timeLines(start: CalendarTime, { days, seconds }: Duration): readonly string[] {
  const time = seconds === 0 ? '' : `T${seconds}S`;
  return [timeLine('DTSTART', start), `DURATION:P${days > 0 || time === '' ? `${days}D` : ''}${time}`];
}

function detailLines({
  title,
  status,
  description,
  location,
  link,
  showAs,
}: EventDetails): readonly string[] {
  return [
    `SUMMARY:${escapeText(title)}`,
    `STATUS:${status.toUpperCase()}`,
    ...(description === undefined ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...(location === undefined ? [] : [`LOCATION:${escapeText(location)}`]),
    ...(link === undefined ? [] : [`URL:${link}`]),
    ...(showAs === undefined
      ? []
      : Object.entries(showAsText(showAs)).map(([name, value]) => `${name}:${value}`)),
  ];
}
