import { Failure } from '../../failure.ts';
import { instantOf, offsetsIn, wallOf } from '../../recurrence/zone.ts';
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
  type TextLine,
  writeComponent,
} from '../icalendar/text.ts';
import {
  applyDetails,
  applyTimes,
  type ComponentKind,
  type EditContext,
  type EventPatch,
  ensureZone,
  isSignificant,
  masterOf,
  stamp,
} from './edit.ts';
import {
  formOf,
  instantIn,
  instantsOf,
  mapValues,
  refuseRanges,
  startForm,
  startLine,
  startsAmong,
  startsBetween,
  type TimeForm,
  timeLineAt,
  timeValue,
} from './series-text.ts';

/** Properties that only the series itself may have. */
const seriesProperties = ['RRULE', 'RDATE', 'EXDATE', 'EXRULE'];

/** Changes a single event or all of a series. */
export async function editAll(
  object: CalendarObject,
  patch: EventPatch,
  context: EditContext,
): Promise<void> {
  const master = masterOf(object);
  const { lineBreak } = object;
  const recurs = linesOf(master, 'RRULE').length + linesOf(master, 'RDATE').length > 0;
  if (recurs && patch.startMs !== undefined) moveSeries(object, master, patch, context);
  if (patch.startMs !== undefined || patch.endMs !== undefined) applyTimes(object, master, patch, context);
  for (const override of componentsOf(object.calendar, 'VEVENT')) {
    const shared = override === master ? {} : sharedPart(patch, override, master);
    if (Object.keys(shared).length === 0) continue;
    applyDetails(override, shared, context, lineBreak);
    stamp(override, isSignificant(shared), context.nowMs, lineBreak);
  }
  applyDetails(master, patch, context, lineBreak);
  if (patch.rrule !== undefined) await setRule(object, master, patch.rrule, context.userZone);
  stamp(master, isSignificant(patch), context.nowMs, lineBreak);
}

const shareable = {
  title: 'SUMMARY',
  location: 'LOCATION',
  description: 'DESCRIPTION',
  conf_link: 'URL',
  show_as: 'TRANSP',
  attendees: 'ATTENDEE',
} as const satisfies Partial<Record<keyof EventPatch, string>>;

/** The part of a change that a changed occurrence shares: a date that was only moved is renamed with its series. */
function sharedPart(patch: EventPatch, override: TextComponent, master: TextComponent): EventPatch {
  const textOf = (event: TextComponent, name: string) =>
    linesOf(event, name)
      .map(({ text }) => text)
      .join('\n');
  const fields = Object.entries(shareable).filter(
    ([field, name]) => field in patch && textOf(override, name) === textOf(master, name),
  );
  return Object.fromEntries(fields.map(([field]) => [field, patch[field as keyof EventPatch]]));
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
  const line = createLine(timeLineAt('EXDATE', keyMs, startForm(master, userZone)), object.lineBreak);
  setLines(master, 'EXDATE', [...linesOf(master, 'EXDATE'), line]);
  stamp(master, true, nowMs, object.lineBreak);
}

/** Returns the override of an occurrence, created as a copy of the series if there is none. */
export function overrideFor(
  object: CalendarObject,
  keyMs: number,
  userZone: string,
  kind: ComponentKind = 'VEVENT',
): TextComponent {
  const known = findOverride(object, keyMs, userZone, kind);
  if (known !== undefined) return known;
  const master = masterOf(object, kind);
  const form = startForm(master, userZone);
  const { lineBreak } = object;
  const override = copyOf(master, lineBreak);
  for (const name of seriesProperties) setLines(override, name, []);
  const [startMs = keyMs] = instantsOf(startLine(master)!, userZone);
  for (const name of ['DTSTART', 'DTEND', 'DUE'] as const) {
    const [line] = linesOf(override, name);
    if (line?.property === undefined) continue;
    const own = formOf(line, userZone) ?? form;
    const shifted = sameDistance(startMs, instantsOf(line, userZone)[0] ?? startMs, keyMs, form);
    setLines(override, name, [
      createLine(joinLine({ ...line.property, value: timeValue(shifted, own) }), lineBreak),
    ]);
  }
  setLines(override, 'RECURRENCE-ID', [createLine(timeLineAt('RECURRENCE-ID', keyMs, form), lineBreak)]);
  const { children } = object.calendar;
  children.splice(
    children.findLastIndex((child) => 'children' in child && child.name === kind) + 1,
    0,
    override,
  );
  return override;
}

/** The end of an occurrence: as far from its start as in the series, in days for all-day events. */
function sameDistance(fromMs: number, toMs: number, keyMs: number, { kind, zone }: TimeForm): number {
  if (kind !== 'date') return keyMs + toMs - fromMs;
  const offsets = offsetsIn(zone);
  return instantOf(wallOf(keyMs, offsets) + wallOf(toMs, offsets) - wallOf(fromMs, offsets), offsets);
}

function findOverride(
  { calendar }: CalendarObject,
  keyMs: number,
  userZone: string,
  kind: ComponentKind = 'VEVENT',
): TextComponent | undefined {
  return componentsOf(calendar, kind).find((event) =>
    linesOf(event, 'RECURRENCE-ID').some((line) => instantsOf(line, userZone)[0] === keyMs),
  );
}

function copyOf(component: TextComponent, lineBreak: string): TextComponent {
  const text = `BEGIN:VCALENDAR${lineBreak}${writeComponent(component)}END:VCALENDAR${lineBreak}`;
  return parseObject(text).calendar.children[0] as TextComponent;
}

/** Sets or removes the recurrence rule. Overrides of dates that no longer exist would become extra meetings, so they go. */
async function setRule(
  object: CalendarObject,
  master: TextComponent,
  rule: string | null,
  userZone: string,
): Promise<void> {
  const overrides = componentsOf(object.calendar, 'VEVENT').flatMap((event) => {
    const [id] = linesOf(event, 'RECURRENCE-ID');
    const [keyMs] = id === undefined ? [] : instantsOf(id, userZone);
    return keyMs === undefined ? [] : [{ event, keyMs }];
  });
  const keys = overrides.map(({ keyMs }) => keyMs);
  const kept = rule === null ? new Set<number>() : await startsAmong(master, rule, keys, userZone);
  setLines(master, 'RRULE', rule === null ? [] : [createLine(`RRULE:${rule}`, object.lineBreak)]);
  if (rule === null) for (const name of seriesProperties) setLines(master, name, []);
  for (const { event, keyMs } of overrides) if (!kept.has(keyMs)) removeChild(object.calendar, event);
}

const dayMs = 86_400_000;

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
  const clock = offsetsIn(form.zone);
  const newZone = patch.zone ?? form.zone;
  const newClock = offsetsIn(newZone);
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
