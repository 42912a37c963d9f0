import { createHash } from 'node:crypto';
import { createLine, parseObject, setLines, writeLines, writeObject } from '../icalendar/text.ts';
import { utcText } from '../icalendar/written-value.ts';
import { applyDetails, chooseForm, type EditContext, type EventPatch, ensureZone, masterOf } from './edit.ts';
import { timeLineAt } from './time-text.ts';

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
