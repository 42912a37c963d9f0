import { Failure } from '../../failure.ts';
import { fold } from '../calendar/write.ts';

/** One property of a calendar object. `raw` holds its bytes with folding and line breaks, so that it can be sent back unchanged. */
export interface TextLine {
  readonly raw: string;
  /** The unfolded line. */
  readonly text: string;
  /** Name in upper case. */
  readonly name: string;
}

/** A component as it is written. Editing one line leaves all others byte for byte as they are. */
export interface TextComponent {
  readonly name: string;
  readonly begin: string;
  readonly children: (TextLine | TextComponent)[];
  end: string;
}

export interface CalendarObject {
  readonly before: string;
  readonly calendar: TextComponent;
  readonly after: string;
  readonly lineBreak: string;
}

/** Parses an object without interpreting it. Throws a `Failure` if its components are not nested properly. */
export function parseObject(text: string): CalendarObject {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const open: TextComponent[] = [];
  let calendar: TextComponent | undefined;
  let [before, after] = ['', ''];
  for (const raw of text.match(/[^\n]*\n(?:[ \t][^\n]*(?:\n|$))*|[^\n]+$/g) ?? []) {
    const unfolded = raw.replaceAll(/\r?\n[ \t]/g, '').replace(/[\r\n]+$/, '');
    const [, edge, written = ''] = /^(BEGIN|END):\s*(\S+)\s*$/i.exec(unfolded) ?? [];
    const name = written.toUpperCase();
    if (edge?.toUpperCase() === 'BEGIN') {
      const component: TextComponent = { name, begin: raw, children: [], end: '' };
      if (open.length > 0) open.at(-1)!.children.push(component);
      else if (calendar === undefined && name === 'VCALENDAR') calendar = component;
      else throw damaged();
      open.push(component);
    } else if (edge !== undefined) {
      const closed = open.pop();
      if (closed?.name !== name) throw damaged();
      closed.end = raw;
    } else if (open.length > 0) open.at(-1)!.children.push(lineFrom(raw, unfolded));
    else if (calendar === undefined) before += raw;
    else after += raw;
  }
  if (calendar === undefined || open.length > 0) throw damaged();
  return { before, calendar, after, lineBreak };
}

function damaged(): Failure {
  return new Failure(
    'refused',
    'The event on the server is not a valid calendar object, so it was not changed. Repair it in the program that wrote it.',
  );
}

function lineFrom(raw: string, text: string): TextLine {
  return { raw, text, name: /^[^:;]*/.exec(text)![0].toUpperCase() };
}

/** Creates a line, folded as the standard requires. */
export function createLine(text: string, lineBreak: string): TextLine {
  return lineFrom(`${fold(text).replaceAll('\r\n', lineBreak)}${lineBreak}`, text);
}

export function writeObject({ before, calendar, after }: CalendarObject): string {
  return before + writeComponent(calendar) + after;
}

export function writeComponent({ begin, children, end }: TextComponent): string {
  return begin + children.map((child) => (isLine(child) ? child.raw : writeComponent(child))).join('') + end;
}

export function isLine(child: TextLine | TextComponent): child is TextLine {
  return 'raw' in child;
}

export function linesOf({ children }: TextComponent, name?: string): readonly TextLine[] {
  return children.filter(isLine).filter((line) => name === undefined || line.name === name);
}

export function componentsOf({ children }: TextComponent, name: string): readonly TextComponent[] {
  return children.filter((child): child is TextComponent => !isLine(child) && child.name === name);
}

/** Replaces all properties of a name. The first new line takes the place of the first old one. */
export function setLines(component: TextComponent, name: string, lines: readonly TextLine[]): void {
  const { children } = component;
  const isNamed = (child: TextLine | TextComponent) => isLine(child) && child.name === name;
  const first = children.findIndex(isNamed);
  const nested = children.findIndex((child) => !isLine(child));
  const place = first !== -1 ? first : nested !== -1 ? nested : children.length;
  const kept = children.slice(place).filter((child) => !isNamed(child));
  children.splice(place, children.length - place, ...lines, ...kept);
}

/** Removes a nested component. */
export function removeChild({ children }: TextComponent, child: TextComponent): void {
  const index = children.indexOf(child);
  if (index !== -1) children.splice(index, 1);
}

/** Parts of a property line. Parameters are raw, such as `CN="Ann; Smith"`. */
export interface LineParts {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly value: string;
}

export function splitLine(text: string): LineParts {
  const [head = '', name = ''] = /^([^:;"]*)(?:;(?:"[^"]*"|[^":])*)?/.exec(text) ?? [];
  const parameters = head.slice(name.length).match(/;(?:"[^"]*"|[^";])*/g) ?? [];
  return { name, parameters: parameters.map((one) => one.slice(1)), value: text.slice(head.length + 1) };
}

export function joinLine({ name, parameters, value }: LineParts): string {
  return `${[name, ...parameters].join(';')}:${value}`;
}

export function parameterOf({ parameters }: LineParts, name: string): string | undefined {
  const found = parameters.find((one) => one.toUpperCase().startsWith(`${name}=`));
  return found?.slice(name.length + 1).replace(/^"(.*)"$/, '$1');
}

/** Sets a parameter and leaves the others and the value as they are. */
export function withParameter(parts: LineParts, name: string, value: string): LineParts {
  const written = `${name}=${value}`;
  const index = parts.parameters.findIndex((one) => one.toUpperCase().startsWith(`${name}=`));
  return {
    ...parts,
    parameters: index === -1 ? [...parts.parameters, written] : parts.parameters.with(index, written),
  };
}
