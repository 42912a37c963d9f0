import { Failure } from '../../failure.ts';
import {
  type CalendarObject,
  componentsOf,
  createLine,
  joinLine,
  linesOf,
  setLines,
  type TextComponent,
  type TextLine,
} from '../icalendar/text.ts';
import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';
import { type EditContext, type EventPatch, ensureZone } from './edit.ts';
import { refuseRanges, startForm } from './series-text.ts';
import { formOf, instantIn, instantsOf, mapValues, type TimeForm, timeValue } from './time-text.ts';

const dayMs = 86_400_000;

/** Moves exceptions, added dates and overrides along with a series; otherwise they would become extra meetings. */
export function moveSeries(
  object: CalendarObject,
  master: TextComponent,
  patch: EventPatch,
  context: EditContext,
): void {
  refuseRanges(object);
  const { userZone } = context;
  const form = startForm(master, userZone);
  const [oldMs] = instantsOf(linesOf(master, 'DTSTART')[0]!, userZone) as [number];
  const clock = offsetsOf(form.zone) ?? (() => 0);
  const newZone = patch.zone ?? form.zone;
  const newClock = offsetsOf(newZone) ?? (() => 0);
  const deltaMs = wallOf(patch.startMs!, newClock) - wallOf(oldMs, clock);
  if (deltaMs === 0 && newZone === form.zone) return;
  const dependent =
    componentsOf(object.calendar, 'VEVENT').length > 1 || linesOf(master, 'EXDATE').length > 0;
  if (dependent && (form.kind === 'date') !== (patch.allDay ?? false))
    throw new Failure(
      'refused',
      'A series with exceptions cannot change between whole days and times of day. Delete it and create a new one.',
    );
  const days =
    Math.floor(wallOf(patch.startMs!, newClock) / dayMs) - Math.floor(wallOf(oldMs, clock) / dayMs);
  const [rule] = linesOf(master, 'RRULE');
  if (rule !== undefined && patch.rrule === undefined) {
    checkMove(rule, days, deltaMs);
    setLines(master, 'RRULE', [createLine(moveUntil(rule.text, deltaMs, days), object.lineBreak)]);
  }
  const move = (ms: number) => instantOf(wallOf(ms, clock) + deltaMs, newClock);
  const target =
    newZone === form.zone ? undefined : ({ kind: 'zoned', tzid: newZone, zone: newZone } as const);
  if (target !== undefined) ensureZone(object, target, patch.startMs!);
  const shift = (event: TextComponent, name: string) => {
    const lines = linesOf(event, name).flatMap((line) => moveLine(line, move, days, target, userZone) ?? []);
    setLines(
      event,
      name,
      lines.map((text) => createLine(text, object.lineBreak)),
    );
  };
  for (const name of ['EXDATE', 'RDATE']) shift(master, name);
  for (const event of componentsOf(object.calendar, 'VEVENT')) {
    const [id] = linesOf(event, 'RECURRENCE-ID');
    if (id === undefined) continue;
    const [start] = linesOf(event, 'DTSTART');
    const stays = start && instantsOf(start, userZone)[0] === instantsOf(id, userZone)[0];
    // An occurrence that was moved by itself keeps its own time.
    for (const name of stays ? ['RECURRENCE-ID', 'DTSTART', 'DTEND'] : ['RECURRENCE-ID']) shift(event, name);
  }
}

function moveLine(
  line: TextLine,
  move: (ms: number) => number,
  days: number,
  target: TimeForm | undefined,
  userZone: string,
): string | undefined {
  const form = formOf(line, userZone);
  if (form === undefined) return line.text;
  const written = form.kind === 'date' ? form : (target ?? form);
  const parts = mapValues(line, (value) => {
    const [, ...rest] = value.split('/');
    const ms = instantIn(line, value, form.kind === 'date' ? 'UTC' : userZone);
    if (ms === undefined) return value;
    const moved =
      form.kind === 'date'
        ? timeValue(ms + days * dayMs, { ...form, zone: 'UTC' })
        : timeValue(move(ms), written);
    return [moved, ...rest].join('/');
  });
  if (parts === undefined) return undefined;
  const parameters = parts.parameters.filter((one) => target === undefined || !/^TZID=/i.test(one));
  return joinLine({ ...parts, parameters: target ? [...parameters, `TZID=${target.tzid}`] : parameters });
}

function checkMove({ text, value }: TextLine, days: number, deltaMs: number): void {
  const [part] = (days === 0 ? /BY(HOUR|MINUTE|SECOND)=/i : /BY[A-Z]+=/i).exec(text) ?? [];
  if (deltaMs !== 0 && part !== undefined)
    throw new Failure(
      'invalid-params',
      `The rule of this series names its dates itself (${value}), so the new start needs a new rule. Pass rrule as well.`,
    );
}

function moveUntil(rule: string, deltaMs: number, days: number): string {
  return rule.replace(/(?<=[:;]UNTIL=)(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?/i, (...groups) => {
    const [, year, month, day, hour = '00', minute = '00', second = '00', utc = ''] = groups as string[];
    const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    const dated = groups[4] === undefined;
    const moved = new Date(ms + (dated ? days * dayMs : deltaMs))
      .toISOString()
      .replaceAll(/[-:]|\.\d+Z/g, '');
    return dated ? moved.slice(0, 8) : `${moved}${utc}`;
  });
}
