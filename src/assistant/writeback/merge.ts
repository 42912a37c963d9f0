import {
  componentsOf,
  isLine,
  linesOf,
  parseObject,
  type TextComponent,
  writeComponent,
} from '../icalendar/text.ts';

/** Properties that every writer changes. They never conflict. */
const bookkeeping = new Set(['DTSTAMP', 'LAST-MODIFIED', 'SEQUENCE', 'CREATED', 'X-MOZ-GENERATION']);

/** Values of an object by component and property, such as `VEVENT 20260301T090000Z SUMMARY`. */
type Values = ReadonlyMap<string, string>;

/** Returns the component and property of everything that differs between two versions of an object. */
export function changedValues(before: string, after: string): ReadonlySet<string> {
  const [left, right] = [valuesOf(before), valuesOf(after)];
  return new Set([...left.keys(), ...right.keys()].filter((key) => left.get(key) !== right.get(key)));
}

export function valuesOf(text: string): Values {
  const values = new Map<string, string>();
  const { calendar } = parseObject(text);
  for (const event of [...componentsOf(calendar, 'VEVENT'), ...componentsOf(calendar, 'VTODO')]) {
    const key = keyOf(event);
    for (const line of linesOf(event))
      if (!bookkeeping.has(line.name)) {
        const path = `${key} ${line.name}`;
        // Servers may reorder the lines of an object.
        values.set(path, [...(values.get(path)?.split('\n') ?? []), line.text].sort().join('\n'));
      }
    const nested = event.children.flatMap((child) => (isLine(child) ? [] : [writeComponent(child)]));
    if (nested.length > 0) values.set(`${key} VALARM`, nested.sort().join(''));
  }
  return values;
}

function keyOf(event: TextComponent): string {
  return `${event.name} ${linesOf(event, 'RECURRENCE-ID')[0]?.text.split(':').at(-1) ?? ''}`;
}

/** Returns the name of the property in a key of `changedValues`. */
export function propertyOf(key: string): string {
  return key.slice(key.lastIndexOf(' ') + 1);
}
