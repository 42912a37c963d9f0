import { createHash } from 'node:crypto';
import { Failure } from '../../failure.ts';
import type { ShowAs } from '../../store/schema.ts';
import {
  type CalendarObject,
  componentsOf,
  createLine,
  escapeText,
  joinLine,
  linesOf,
  parseObject,
  setLines,
  type TextComponent,
  writeLines,
  writeObject,
} from '../icalendar/text.ts';
import { showAsText, utcText } from '../icalendar/written-value.ts';
import { zoneLines } from '../icalendar/zone-text.ts';
import { setAttendees } from './attendees.ts';
import { formOf, type TimeForm, timeLineAt } from './series-text.ts';

/** A change to an object. It is applied again if the object changed on the server and the two changes do not collide. */
export interface Edit {
  apply(object: CalendarObject): Promise<void>;
  /** Properties to which several writers can add at the same time. */
  readonly additive?: ReadonlySet<string>;
  /** Properties that the change depends on, besides those that it sets. */
  readonly relies?: ReadonlySet<string>;
}

/** Properties that decide when a series takes place. */
export const timing: ReadonlySet<string> = new Set([
  'DTSTART',
  'DTEND',
  'DURATION',
  'RRULE',
  'RDATE',
  'EXRULE',
]);

/** New values of an event; null removes a value. */
export interface EventPatch {
  readonly title?: string;
  readonly location?: string | null;
  readonly description?: string | null;
  readonly conf_link?: string | null;
  readonly status?: string;
  readonly show_as?: ShowAs | null;
  readonly attendees?: readonly string[];
  readonly rrule?: string | null;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly allDay?: boolean;
  /** The time zone that the user asked for. */
  readonly zone?: string;
}

/** Meetings or tasks. */
export type ComponentKind = 'VEVENT' | 'VTODO';

export interface EditContext {
  readonly nowMs: number;
  readonly userZone: string;
  /** The user's address, for events that the user organizes. */
  readonly organizer: string | undefined;
}

export function masterOf({ calendar }: CalendarObject, kind: ComponentKind = 'VEVENT'): TextComponent {
  const master = componentsOf(calendar, kind).find((event) => linesOf(event, 'RECURRENCE-ID').length === 0);
  if (master !== undefined) return master;
  throw new Failure(
    'refused',
    'Only single occurrences of this series are in the calendar, so the series cannot be changed here.',
  );
}

/** Applies everything but times and recurrence to one component. */
export function applyDetails(
  event: TextComponent,
  patch: EventPatch,
  { organizer }: EditContext,
  lineBreak: string,
): void {
  const texts = { SUMMARY: patch.title, LOCATION: patch.location, DESCRIPTION: patch.description };
  for (const [name, value] of Object.entries(texts))
    if (value !== undefined) setText(event, name, value === null ? null : escapeText(value), lineBreak);
  if (patch.status !== undefined) setText(event, 'STATUS', patch.status.toUpperCase(), lineBreak);
  if (patch.show_as !== undefined)
    for (const [name, value] of Object.entries(showAsText(patch.show_as)))
      setText(event, name, value, lineBreak);
  if (patch.conf_link !== undefined) setText(event, linkName(event), patch.conf_link, lineBreak);
  if (patch.attendees !== undefined) setAttendees(event, patch.attendees, organizer, lineBreak);
}

/** The property from which the link of an event is read. */
function linkName(event: TextComponent): string {
  const names = ['CONFERENCE', 'X-GOOGLE-CONFERENCE', 'X-MICROSOFT-SKYPETEAMSMEETINGURL', 'URL'];
  return names.find((name) => linesOf(event, name).length > 0) ?? 'URL';
}

/** Keeps the parameters of the property, except a reference to another version of the old text. */
function setText(event: TextComponent, name: string, value: string | null, lineBreak: string): void {
  const [known] = linesOf(event, name);
  const kept = (known?.property?.parameters ?? []).filter((one) => !/^ALTREP=/i.test(one));
  const text = value === null ? undefined : joinLine({ name, parameters: kept, value });
  setLines(event, name, text === undefined ? [] : [createLine(text, lineBreak)]);
}

/** Sets start and end. An event with DURATION keeps it unless the end changes. */
export function applyTimes(
  object: CalendarObject,
  event: TextComponent,
  { startMs, endMs, allDay, zone }: EventPatch,
  { userZone }: EditContext,
): void {
  const { lineBreak } = object;
  const [known] = linesOf(event, 'DTSTART');
  const before = known && formOf(known, userZone);
  const form = chooseForm(before, allDay ?? false, zone, userZone);
  if (startMs !== undefined) {
    setLines(event, 'DTSTART', [createLine(timeLineAt('DTSTART', startMs, form), lineBreak)]);
    // An object that refers to a zone without defining it stays as it is.
    if (before?.tzid !== form.tzid) ensureZone(object, form, startMs);
  }
  if (endMs === undefined) return;
  const [end] = linesOf(event, 'DTEND');
  const endForm = end && formOf(end, userZone);
  // The end of a flight is written in the time zone of its destination.
  const keepsForm = endForm?.kind === form.kind && zone === undefined;
  setLines(event, 'DURATION', []);
  setLines(event, 'DTEND', [createLine(timeLineAt('DTEND', endMs, keepsForm ? endForm : form), lineBreak)]);
}

/** Chooses how a new start is written: as before if possible. */
function chooseForm(
  known: TimeForm | undefined,
  allDay: boolean,
  zone: string | undefined,
  userZone: string,
): TimeForm {
  if (allDay) return { kind: 'date', zone: userZone };
  if (zone === 'UTC') return { kind: 'utc', zone };
  if (zone !== undefined && known?.zone !== zone) return { kind: 'zoned', tzid: zone, zone };
  if (known !== undefined && known.kind !== 'date') return known;
  return userZone === 'UTC'
    ? { kind: 'utc', zone: 'UTC' }
    : { kind: 'zoned', tzid: userZone, zone: userZone };
}

/** Adds the definition of a time zone if the object has none. */
export function ensureZone({ calendar, lineBreak }: CalendarObject, form: TimeForm, startMs: number): void {
  if (form.kind !== 'zoned') return;
  const defined = componentsOf(calendar, 'VTIMEZONE').some((zone) =>
    linesOf(zone, 'TZID').some(({ value }) => value === form.tzid),
  );
  if (defined) return;
  const lines = ['BEGIN:VCALENDAR', ...zoneLines(form.zone, startMs), 'END:VCALENDAR'];
  const definition = parseObject(writeLines(lines, lineBreak)).calendar.children;
  const first = calendar.children.findIndex((child) => 'children' in child);
  calendar.children.splice(first === -1 ? calendar.children.length : first, 0, ...definition);
}

/** Marks a component as changed. `significant` changes, such as a new time, get a new SEQUENCE. */
export function stamp(event: TextComponent, significant: boolean, nowMs: number, lineBreak: string): void {
  const now = utcText(nowMs);
  for (const name of ['DTSTAMP', 'LAST-MODIFIED'])
    setLines(event, name, [createLine(`${name}:${now}`, lineBreak)]);
  if (!significant) return;
  const [known] = linesOf(event, 'SEQUENCE');
  const sequence = Number.parseInt(known?.value ?? '', 10) || 0;
  setLines(event, 'SEQUENCE', [createLine(`SEQUENCE:${sequence + 1}`, lineBreak)]);
}

/** True if attendees must notice the change. */
export function isSignificant(patch: EventPatch): boolean {
  return (['startMs', 'endMs', 'rrule', 'location', 'status'] as const).some(
    (name) => patch[name] !== undefined,
  );
}

/**
 * The UID of an event that a request creates. The same request gives the same UID, so that a server that has stored the
 * event refuses to store it again. `copy` counts the events that an earlier request of this kind has created.
 */
export function uidFor(request: unknown, copy: number): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([request, copy]))
    .digest('hex');
  // A UUID of version 8, whose bits have no meaning of their own.
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

/** Writes a new event as a calendar object. */
export function composeEvent(
  uid: string,
  patch: EventPatch & { readonly startMs: number; readonly endMs: number },
  context: EditContext,
): string {
  const now = utcText(context.nowMs);
  const form = chooseForm(undefined, patch.allDay ?? false, patch.zone, context.userZone);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Adjutant//Adjutant//EN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${now}`,
    `CREATED:${now}`,
    `LAST-MODIFIED:${now}`,
    'SEQUENCE:0',
    timeLineAt('DTSTART', patch.startMs, form),
    timeLineAt('DTEND', patch.endMs, form),
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  const object = parseObject(writeLines(lines));
  const event = masterOf(object);
  if (patch.rrule) setLines(event, 'RRULE', [createLine(`RRULE:${patch.rrule}`, '\r\n')]);
  applyDetails(event, patch, context, '\r\n');
  ensureZone(object, form, patch.startMs);
  return writeObject(object);
}
