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
  writeComponent,
} from '../icalendar/text.ts';
import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';
import {
  applyDetails,
  applyTimes,
  type ComponentKind,
  type EditContext,
  type EventPatch,
  isSignificant,
  masterOf,
  stamp,
} from './edit.ts';
import { moveSeries } from './move-series.ts';
import { startForm, startLine, startsAmong } from './series-text.ts';
import { formOf, instantsOf, type TimeForm, timeLineAt, timeValue } from './time-text.ts';

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
  applyDetails(master, patch, context, lineBreak);
  if (patch.rrule !== undefined) await setRule(object, master, patch.rrule, context.userZone);
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
  const offsets = offsetsOf(zone) ?? (() => 0);
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
