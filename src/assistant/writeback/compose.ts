import { applyDetails, chooseForm, type EditContext, type EventPatch, ensureZone, masterOf } from './edit.ts';
import { createLine, parseObject, setLines, writeObject } from './object-text.ts';
import { timeLine } from './time-text.ts';

/** Writes a new event as a calendar object. */
export function composeEvent(
  uid: string,
  patch: EventPatch & { readonly startMs: number; readonly endMs: number },
  context: EditContext,
): string {
  const now = new Date(context.nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
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
    timeLine('DTSTART', patch.startMs, form),
    timeLine('DTEND', patch.endMs, form),
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  const object = parseObject(lines.map((line) => `${line}\r\n`).join(''));
  const event = masterOf(object);
  if (patch.rrule) setLines(event, 'RRULE', [createLine(`RRULE:${patch.rrule}`, '\r\n')]);
  applyDetails(event, patch, context, '\r\n');
  ensureZone(object, form, patch.startMs);
  return writeObject(object);
}
