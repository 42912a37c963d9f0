import { Failure } from '../../failure.ts';

// The only model of iCalendar text. It keeps every byte, so that an object that is read, edited and written differs only in
// the lines that were edited. Imports read the same lines and components and drop what they do not need.

/** The parts of a line. Parameters are raw, such as `CN="Ann; Smith"`; so is the value, including its escapes. */
export interface Property {
  /** Name as written. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly value: string;
}

/** One line of an object, which may be folded into several physical lines. */
export class TextLine {
  /** The bytes with folding and line breaks. */
  readonly raw: string;
  /** The unfolded line. */
  readonly text: string;
  /** Name in upper case. */
  readonly name: string;
  /** Number of its first physical line in the document; 0 for a line that was created here. */
  readonly number: number;
  #property: Property | undefined;
  #isSplit = false;

  constructor(raw: string, text: string, number = 0) {
    this.raw = raw;
    this.text = text;
    this.name = /^[^:;]*/.exec(text)![0].toUpperCase();
    this.number = number;
  }

  /** The parts of the line, or undefined if the line is not a valid property. */
  get property(): Property | undefined {
    if (!this.#isSplit) this.#property = splitLine(this.text);
    this.#isSplit = true;
    return this.#property;
  }

  parameter(name: string): string | undefined {
    return this.property && parameterOf(this.property, name);
  }

  /** The raw value; empty if the line is not a valid property. */
  get value(): string {
    return this.property?.value ?? '';
  }
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

/** Real parameters are much shorter. A longer line is not split. */
const maxParametersLength = 16 * 1024;

/** Splits a line at the delimiters outside of quotes. Returns undefined if it has no value or no valid parameter. */
function splitLine(text: string): Property | undefined {
  const ends: number[] = [];
  let isQuoted = false;
  for (let index = 0; index < text.length && index < maxParametersLength; index += 1) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted || (character !== ';' && character !== ':')) continue;
    else if (ends.push(index) && character === ':') {
      const parameters = ends.slice(1).map((end, place) => text.slice(ends[place]! + 1, end));
      if (parameters.length > 0 && !parameters.some((one) => /^[^=]+=/.test(one))) return undefined;
      return { name: text.slice(0, ends[0]), parameters, value: text.slice(index + 1) };
    }
  }
  return undefined;
}

export function joinLine({ name, parameters, value }: Property): string {
  return `${[name, ...parameters].join(';')}:${value}`;
}

const circumflexes: Readonly<Record<string, string>> = { '^n': '\n', "^'": '"', '^^': '^' };

/** The value of a parameter without its quotes. Of a parameter that is given twice, the last one counts. */
function parameterOf({ parameters }: Property, name: string): string | undefined {
  const written = parameters[indexOf(parameters, name)]?.slice(name.length + 1);
  const [, quoted = written] = /^"([^"]*)"/.exec(written ?? '') ?? [];
  return quoted?.replaceAll(/\^['n^]/g, (pair) => circumflexes[pair]!);
}

/** Sets a parameter and leaves the others and the value as they are. */
export function withParameter(property: Property, name: string, value: string): Property {
  const { parameters } = property;
  const written = `${name}=${parameterText(value)}`;
  const index = indexOf(parameters, name);
  return {
    ...property,
    parameters: index === -1 ? [...parameters, written] : parameters.with(index, written),
  };
}

function indexOf(parameters: readonly string[], name: string): number {
  return parameters.findLastIndex((one) => one.slice(0, name.length + 1).toUpperCase() === `${name}=`);
}

/** Writes the value of a parameter in the way of RFC 6868. */
export function parameterText(value: string): string {
  const escaped = value
    .replaceAll('^', '^^')
    .replaceAll('"', "^'")
    .replaceAll(/\r\n|[\r\n]/g, '^n');
  return /[:;,]/.test(escaped) ? `"${escaped}"` : escaped;
}

/** No text is used beyond a fraction of this length. */
const maxTextLength = 100_000;

/** Resolves the escapes of a value. */
export function unescapeText(value: string): string {
  return value
    .slice(0, maxTextLength)
    .replaceAll(/\\([nN,;\\:])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
}

/** Escapes line breaks, so that text cannot add lines to the calendar. */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\r\n\u2028\u2029]/g, '\\n')
    .replaceAll(/(?!\t)\p{Cc}/gu, '');
}

/** Folds lines at 75 bytes without splitting a character. */
function fold(line: string, lineBreak: string): string {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > 75) {
      parts.push(part);
      [part, bytes] = ['', 1];
    }
    part += character;
    bytes += size;
  }
  return [...parts, part].join(`${lineBreak} `);
}

/** Creates a line, folded as the standard requires. */
export function createLine(text: string, lineBreak: string): TextLine {
  return new TextLine(`${fold(text, lineBreak)}${lineBreak}`, text);
}

/** Writes unfolded lines as the text of an object. */
export function writeLines(lines: readonly string[], lineBreak = '\r\n'): string {
  return lines.map((line) => createLine(line, lineBreak).raw).join('');
}

const maxLineLength = 1 << 20;

/** Joins folded lines. Accepts any line endings, and pieces that may be split anywhere. */
export class LineReader {
  readonly #onLine: (line: TextLine) => void;
  /** Limit of the raw text of a line. The unfolded text is always limited. */
  readonly #maxRaw: number;
  #rest = '';
  #raw = '';
  #text: string | undefined;
  #lineStart = 0;
  #number = 0;

  constructor(onLine: (line: TextLine) => void, maxRaw = maxLineLength) {
    this.#onLine = onLine;
    this.#maxRaw = maxRaw;
  }

  push(piece: string): void {
    if (!piece.includes('\n')) {
      // A search in the joined text would make a long line quadratic.
      if (this.#rest.length < this.#maxRaw) this.#rest += piece;
      return;
    }
    const text = this.#rest + piece;
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#addPhysicalLine(text.slice(from, end + 1));
      from = end + 1;
    }
    this.#rest = text.slice(from, from + this.#maxRaw);
  }

  end(): void {
    if (this.#rest !== '') this.#addPhysicalLine(this.#rest);
    this.#rest = '';
    this.#flush();
  }

  #addPhysicalLine(raw: string): void {
    // A byte order mark can reach us as text if the caller decoded the bytes.
    const start = this.#number === 0 && raw.startsWith('\uFEFF') ? 1 : 0;
    const end = raw.endsWith('\r\n') ? -2 : raw.endsWith('\n') ? -1 : raw.length;
    const line = raw.slice(start, end);
    this.#number += 1;
    if ((line.startsWith(' ') || line.startsWith('\t')) && this.#text !== undefined) {
      if (this.#text.length < maxLineLength) this.#text += line.slice(1);
      if (this.#raw.length < this.#maxRaw) this.#raw += raw;
      return;
    }
    this.#flush();
    this.#text = line;
    this.#raw = raw;
    this.#lineStart = this.#number;
  }

  #flush(): void {
    if (this.#text !== undefined) this.#onLine(new TextLine(this.#raw, this.#text, this.#lineStart));
    this.#text = undefined;
  }
}

/** Why a component ended: at its END, because another one of its kind begins, or with the document. */
export type EndOfComponent = 'END' | 'BEGIN' | 'document';

export interface ComponentVisitor<Component extends TextComponent> {
  begin(name: string, line: TextLine, parent: Component | undefined): Component;
  /** Called for all other lines; outside of a calendar, without a component. */
  line(line: TextLine, component: Component | undefined): void;
  /** `unclosed` counts the components in it whose END is missing. They end without a call. */
  end(component: Component, by: EndOfComponent, unclosed: number): void;
  /** Called for an END without a BEGIN. */
  stray(name: string): void;
}

/** Nests components. What is not nested properly is repaired, and the visitor learns of it. */
export class ComponentReader<Component extends TextComponent> {
  readonly #visitor: ComponentVisitor<Component>;
  readonly #open: Component[] = [];
  /** Number of open components by name, so that an END without a BEGIN needs no search. */
  readonly #openCounts = new Map<string, number>();

  constructor(visitor: ComponentVisitor<Component>) {
    this.#visitor = visitor;
  }

  take(line: TextLine): void {
    const [, edge, written] = /^(BEGIN|END):\s*(\S+)\s*$/i.exec(line.text) ?? [];
    if (edge === undefined) return this.#visitor.line(line, this.#open.at(-1));
    const name = written!.toUpperCase();
    if (edge.toUpperCase() === 'END') {
      if (!this.#close(name, 'END', line.raw)) this.#visitor.stray(name);
      return;
    }
    // An event without END:VEVENT ends where the next one begins.
    if (isEntry(name)) this.#close(name, 'BEGIN');
    this.#open.push(this.#visitor.begin(name, line, this.#open.at(-1)));
    this.#openCounts.set(name, (this.#openCounts.get(name) ?? 0) + 1);
  }

  /** Ends the document. Returns the number of components other than events and tasks whose END is missing. */
  end(): number {
    for (const name of entries) this.#close(name, 'document');
    const left = this.#open.splice(0).length;
    this.#openCounts.clear();
    return left;
  }

  /** The innermost event or task that is open. */
  get entry(): Component | undefined {
    return this.#open.findLast(({ name }) => isEntry(name));
  }

  #close(name: string, by: EndOfComponent, raw = ''): boolean {
    if (!this.#openCounts.get(name)) return false;
    const closed = this.#open.splice(this.#open.findLastIndex((open) => open.name === name));
    for (const open of closed) this.#openCounts.set(open.name, this.#openCounts.get(open.name)! - 1);
    closed[0]!.end = raw;
    this.#visitor.end(closed[0]!, by, closed.length - 1);
    return true;
  }
}

const entries = ['VEVENT', 'VTODO'];

/** True for components that become events: meetings and tasks. */
export function isEntry(name: string): boolean {
  return entries.includes(name);
}

/** Real objects have three levels. */
const maxDepth = 100;

/** Parses an object without interpreting it. Throws a `Failure` if its components are not nested properly. */
export function parseObject(text: string): CalendarObject {
  let calendar: TextComponent | undefined;
  let [before, after, depth] = ['', '', 0];
  const components = new ComponentReader<TextComponent>({
    begin(name, { raw }, parent) {
      const component: TextComponent = { name, begin: raw, children: [], end: '' };
      if (parent !== undefined) parent.children.push(component);
      else if (calendar === undefined && name === 'VCALENDAR') calendar = component;
      else throw damaged();
      if (++depth > maxDepth) throw damaged();
      return component;
    },
    line(line, component) {
      if (component !== undefined) component.children.push(line);
      else if (calendar === undefined) before += line.raw;
      else after += line.raw;
    },
    end(_, by, unclosed) {
      if (by !== 'END' || unclosed > 0) throw damaged();
      depth -= 1;
    },
    stray() {
      throw damaged();
    },
  });
  const lines = new LineReader((line) => components.take(line), Number.POSITIVE_INFINITY);
  lines.push(text);
  lines.end();
  if (components.end() > 0 || calendar === undefined) throw damaged();
  return { before, calendar, after, lineBreak: text.includes('\r\n') ? '\r\n' : '\n' };
}

function damaged(): Failure {
  return new Failure(
    'refused',
    'The event on the server is not a valid calendar object, so it was not changed. Repair it in the program that wrote it.',
  );
}

export function writeObject({ before, calendar, after }: CalendarObject): string {
  return before + writeComponent(calendar) + after;
}

export function writeComponent({ begin, children, end }: TextComponent): string {
  return begin + children.map((child) => (isLine(child) ? child.raw : writeComponent(child))).join('') + end;
}

export function isLine(child: TextLine | TextComponent): child is TextLine {
  return child instanceof TextLine;
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
  const kept = children.splice(place).filter((child) => !isNamed(child));
  for (const child of [...lines, ...kept]) children.push(child);
}

/** Removes a nested component. */
export function removeChild({ children }: TextComponent, child: TextComponent): void {
  const index = children.indexOf(child);
  if (index !== -1) children.splice(index, 1);
}
