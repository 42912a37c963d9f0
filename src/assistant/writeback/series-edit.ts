import { Failure } from '../../failure.ts';
import { occurrences } from '../icalendar/recurrence.ts';
import { readRule } from '../icalendar/written-value.ts';
import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';
import {
  applyDetails,
  applyTimes,
  type EditContext,
  type EventPatch,
  ensureZone,
  isSignificant,
  masterOf,
  stamp,
} from './edit.ts';
import {
  type CalendarObject,
  componentsOf,
  createLine,
  joinLine,
  linesOf,
  parseObject,
  removeChild,
  setLines,
  splitLine,
  type TextComponent,
  type TextLine,
  writeComponent,
} from './object-text.ts';
import { formOf, instantsOf, mapValues, type TimeForm, timeLine, timeValue } from './time-text.ts';

const dayMs = 86_400_000;
/** Properties that only the series itself may have. */
const seriesProperties = ['RRULE', 'RDATE', 'EXDATE', 'EXRULE'];

/** Changes a single event or all of a series. */
export function editAll(object: CalendarObject, patch: EventPatch, context: EditContext): void {
  const master = masterOf(object);
  const { lineBreak } = object;
  const recurs = linesOf(master, 'RRULE').length + linesOf(master, 'RDATE').length > 0;
  if (recurs && patch.startMs !== undefined) moveSeries(object, master, patch, context);
  if (patch.startMs !== undefined || patch.endMs !== undefined) applyTimes(object, master, patch, context);
  applyDetails(master, patch, context, lineBreak);
  if (patch.rrule !== undefined) setRule(object, master, patch.rrule, context.userZone);
  stamp(master, isSignificant(patch), context.nowMs, lineBreak);
}

/** Changes one occurrence. `keyMs` is its original start. */
export function editOccurrence(
  object: CalendarObject,
  keyMs: number,
  patch: EventPatch,
  context: EditContext,
): TextComponent {
  const override = overrideFor(object, keyMs, context.userZone);
  if (patch.startMs !== undefined || patch.endMs !== undefined) applyTimes(object, override, patch, context);
  applyDetails(override, patch, context, object.lineBreak);
  stamp(override, isSignificant(patch), context.nowMs, object.lineBreak);
  return override;
}

/** Deletes one occurrence: adds an exception and removes a changed version. */
export function excludeOccurrence(
  object: CalendarObject,
  keyMs: number,
  { nowMs, userZone }: EditContext,
): void {
  const master = masterOf(object);
  const override = findOverride(object, keyMs, userZone);
  if (override !== undefined) removeChild(object.calendar, override);
  const line = createLine(timeLine('EXDATE', keyMs, startForm(master, userZone)), object.lineBreak);
  setLines(master, 'EXDATE', [...linesOf(master, 'EXDATE'), line]);
  stamp(master, true, nowMs, object.lineBreak);
}

/** Returns the override of an occurrence, created as a copy of the series if there is none. */
export function overrideFor(object: CalendarObject, keyMs: number, userZone: string): TextComponent {
  const known = findOverride(object, keyMs, userZone);
  if (known !== undefined) return known;
  const master = masterOf(object);
  const form = startForm(master, userZone);
  const { lineBreak } = object;
  const override = copyOf(master, lineBreak);
  for (const name of seriesProperties) setLines(override, name, []);
  const [startMs = keyMs] = instantsOf(linesOf(master, 'DTSTART')[0]!, userZone);
  for (const name of ['DTSTART', 'DTEND'] as const) {
    const [line] = linesOf(override, name);
    if (line === undefined) continue;
    const own = formOf(line, userZone) ?? form;
    const shifted = sameDistance(startMs, instantsOf(line, userZone)[0] ?? startMs, keyMs, form);
    setLines(override, name, [createLine(withValue(line, timeValue(shifted, own)), lineBreak)]);
  }
  setLines(override, 'RECURRENCE-ID', [createLine(timeLine('RECURRENCE-ID', keyMs, form), lineBreak)]);
  const { children } = object.calendar;
  children.splice(
    children.findLastIndex((child) => 'children' in child && child.name === 'VEVENT') + 1,
    0,
    override,
  );
  return override;
}

/** The end of an occurrence: as far from its start as in the series, in days for all-day events. */
function sameDistance(fromMs: number, toMs: number, keyMs: number, { kind, zone }: TimeForm): number {
  if (kind !== 'date') return keyMs + toMs - fromMs;
  const offsets = offsetsOf(zone) ?? (() => 0);
  return instantOf(wallOf(keyMs, offsets) + wallOf(toMs, offsets) - wallOf(fromMs, offsets), offsets);
}

export function findOverride(
  { calendar }: CalendarObject,
  keyMs: number,
  userZone: string,
): TextComponent | undefined {
  return componentsOf(calendar, 'VEVENT').find((event) =>
    linesOf(event, 'RECURRENCE-ID').some((line) => instantsOf(line, userZone)[0] === keyMs),
  );
}

export function copyOf(component: TextComponent, lineBreak: string): TextComponent {
  const text = `BEGIN:VCALENDAR${lineBreak}${writeComponent(component)}END:VCALENDAR${lineBreak}`;
  return parseObject(text).calendar.children[0] as TextComponent;
}

export function startForm(master: TextComponent, userZone: string): TimeForm {
  const [line] = linesOf(master, 'DTSTART');
  const form = line && formOf(line, userZone);
  if (form !== undefined) return form;
  throw new Failure(
    'refused',
    'The time zone of this series is defined only in its own calendar, so single occurrences cannot be changed here. Change them in the program that created the series.',
  );
}

/** Refuses series with "this and all later" overrides, which programs interpret differently. */
export function refuseRanges({ calendar }: CalendarObject): void {
  const ranged = componentsOf(calendar, 'VEVENT').some((event) =>
    linesOf(event, 'RECURRENCE-ID').some(({ text }) => /;RANGE=/i.test(text)),
  );
  if (ranged)
    throw new Failure(
      'refused',
      'This series has changes for "this and all later" occurrences (RANGE=THISANDFUTURE), which programs interpret differently. Change its times in the program that created it.',
    );
}

/** Moves exceptions, added dates and overrides along with a series; otherwise they would become extra meetings. */
function moveSeries(
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
    checkMove(rule.text, days, deltaMs);
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
    const [first = '', ...rest] = value.split('/');
    const [ms] = instantsOf(
      { ...line, text: withValue(line, first) },
      form.kind === 'date' ? 'UTC' : userZone,
    );
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

function withValue({ text }: TextLine, value: string): string {
  return joinLine({ ...splitLine(text), value });
}

function checkMove(rule: string, days: number, deltaMs: number): void {
  const [part] = (days === 0 ? /BY(HOUR|MINUTE|SECOND)=/i : /BY[A-Z]+=/i).exec(rule) ?? [];
  if (deltaMs !== 0 && part !== undefined)
    throw new Failure(
      'invalid-params',
      `The rule of this series names its dates itself (${splitLine(rule).value}), so the new start needs a new rule. Pass rrule as well.`,
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

/** Sets or removes the recurrence rule. Overrides of dates that no longer exist would become extra meetings, so they go. */
function setRule(object: CalendarObject, master: TextComponent, rule: string | null, userZone: string): void {
  setLines(master, 'RRULE', rule === null ? [] : [createLine(`RRULE:${rule}`, object.lineBreak)]);
  if (rule === null) for (const name of seriesProperties) setLines(master, name, []);
  for (const event of componentsOf(object.calendar, 'VEVENT')) {
    const [id] = linesOf(event, 'RECURRENCE-ID');
    const [keyMs] = id === undefined ? [] : instantsOf(id, userZone);
    if (keyMs !== undefined && (rule === null || countStarts(master, rule, keyMs, keyMs + 1, userZone) === 0))
      removeChild(object.calendar, event);
  }
}

/** Counts the dates of a rule in a time range, before exceptions. */
export function countStarts(
  master: TextComponent,
  rule: string,
  fromMs: number,
  toMs: number,
  userZone: string,
): number {
  const { kind, zone } = startForm(master, userZone);
  const [startMs] = instantsOf(linesOf(master, 'DTSTART')[0]!, userZone) as [number];
  const wall = new Date(wallOf(startMs, offsetsOf(zone) ?? (() => 0))).toISOString();
  const start = kind === 'date' ? { wall: wall.slice(0, 10) } : { wall: wall.slice(0, 19), zone };
  const series = { start, duration: { days: 0, seconds: 0 }, rules: [readRule(rule)] };
  const window = { fromMs: Math.max(fromMs, startMs), toMs, zone };
  const { occurrences: found } = occurrences(series, window);
  return found.filter((one) => one.startMs >= fromMs).length;
}
