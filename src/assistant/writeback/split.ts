import {
  type CalendarObject,
  componentsOf,
  createLine,
  joinLine,
  linesOf,
  parseObject,
  removeChild,
  setLines,
  type TextComponent,
} from '../icalendar/text.ts';
import { type EditContext, masterOf, stamp } from './edit.ts';
import { overrideFor } from './series-edit.ts';
import { refuseRanges, startForm, startsBetween } from './series-text.ts';
import { formOf, instantIn, instantsOf, mapValues, timeValue } from './time-text.ts';

/**
 * Returns the part of a series from an occurrence on, as an object of its own. Servers do not agree on overrides for
 * "this and all later", so such a change ends the series before the occurrence and begins a new one.
 */
export async function tailOf(
  text: string,
  keyMs: number,
  uid: string,
  context: EditContext,
): Promise<CalendarObject> {
  const object = parseObject(text);
  const { userZone } = context;
  const { lineBreak } = object;
  refuseRanges(object);
  const master = masterOf(object);
  const [oldUid] = linesOf(master, 'UID');
  const rules: string[] = [];
  for (const { value } of linesOf(master, 'RRULE')) {
    const passed = /COUNT=/i.test(value)
      ? await startsBetween(master, value, Number.MIN_SAFE_INTEGER, keyMs - 1, userZone)
      : [];
    rules.push(
      `RRULE:${value.replace(/(?<=COUNT=)\d+/i, (count) => String(Math.max(1, Number(count) - passed.length)))}`,
    );
  }
  // A copy for the first date of the tail has the right start and end.
  const first = parseObject(text);
  const moved = overrideFor(withoutOverrides(first), keyMs, userZone);
  for (const name of ['DTSTART', 'DTEND']) setLines(master, name, linesOf(moved, name));
  setLines(
    master,
    'RRULE',
    rules.map((rule) => createLine(rule, lineBreak)),
  );
  keepDates(object, master, (ms) => ms >= keyMs, userZone);
  for (const event of componentsOf(object.calendar, 'VEVENT'))
    setLines(event, 'UID', [createLine(`UID:${uid}`, lineBreak)]);
  if (oldUid !== undefined)
    setLines(master, 'RELATED-TO', [createLine(`RELATED-TO:${oldUid.value}`, lineBreak)]);
  setLines(master, 'SEQUENCE', [createLine('SEQUENCE:0', lineBreak)]);
  return object;
}

function withoutOverrides(object: CalendarObject): CalendarObject {
  for (const event of componentsOf(object.calendar, 'VEVENT'))
    if (linesOf(event, 'RECURRENCE-ID').length > 0) removeChild(object.calendar, event);
  return object;
}

/** Ends a series before an occurrence. */
export function endBefore(object: CalendarObject, keyMs: number, { userZone, nowMs }: EditContext): void {
  refuseRanges(object);
  const master = masterOf(object);
  const form = startForm(master, userZone);
  // UNTIL is in UTC, unless the series has dates or floating times.
  const last = timeValue(keyMs - 1000, form.kind === 'zoned' ? { kind: 'utc', zone: 'UTC' } : form);
  const rules = linesOf(master, 'RRULE').map(({ value }) => {
    const parts = value.split(';').filter((part) => part !== '' && !/^(COUNT|UNTIL)=/i.test(part));
    return createLine(`RRULE:${[...parts, `UNTIL=${last}`].join(';')}`, object.lineBreak);
  });
  setLines(master, 'RRULE', rules);
  keepDates(object, master, (ms) => ms < keyMs, userZone);
  stamp(master, true, nowMs, object.lineBreak);
}

/** Keeps the exceptions, added dates and overrides whose date passes the test. */
function keepDates(
  { calendar, lineBreak }: CalendarObject,
  master: TextComponent,
  test: (ms: number) => boolean,
  userZone: string,
): void {
  for (const name of ['EXDATE', 'RDATE'])
    setLines(
      master,
      name,
      linesOf(master, name).flatMap((line) => {
        const parts = mapValues(line, (value) => {
          const ms = instantIn(line, value, userZone);
          return ms === undefined || test(ms) ? value : undefined;
        });
        if (parts === undefined) return line.property === undefined ? [line] : [];
        const text = joinLine(parts);
        return [text === line.text ? line : createLine(text, lineBreak)];
      }),
    );
  for (const event of componentsOf(calendar, 'VEVENT')) {
    const [id] = linesOf(event, 'RECURRENCE-ID');
    const [ms] = id === undefined || formOf(id, userZone) === undefined ? [] : instantsOf(id, userZone);
    if (ms !== undefined && !test(ms)) removeChild(calendar, event);
  }
}
