import ICAL from 'ical.js';

/** One property of a component. The value is the raw text, including escapes. */
export interface Property {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly value: string;
  /** Line number in the document. */
  readonly line?: number;
}

/** Without types, the parser returns raw values. With types it would, for example, convert `20260329` to a time. */
const untyped = { property: {}, param: ICAL.design.icalendar.param, value: {} };

/** The parser's time grows fast with the length of the parameters. Real ones are much shorter. */
const maxParametersLength = 16 * 1024;

/** Throws if the line is not a property. */
export function readProperty(line: string): Property {
  if (!hasValue(line)) throw new Error('the line has no value');
  const [name, parameters, , value] = ICAL.parse.property(line, untyped as never) as unknown as [
    string,
    Property['parameters'],
    string,
    unknown,
  ];
  return { name, parameters, value: String(value) };
}

/** True if the name and the parameters, which can contain colons in quotes, end within the limit. */
function hasValue(line: string): boolean {
  let isQuoted = false;
  for (let index = 0; index < line.length && index < maxParametersLength; index += 1) {
    if (line[index] === '"') isQuoted = !isQuoted;
    else if (line[index] === ':' && !isQuoted) return true;
  }
  return false;
}

export function parameterOf(property: Property, name: string): string | undefined {
  const value = property.parameters[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** No text is used beyond a fraction of this length. */
const maxTextLength = 100_000;

/** Returns the value with its escapes resolved. */
export function textOf({ value }: Property): string {
  return value
    .slice(0, maxTextLength)
    .replaceAll(/\\([nN,;\\:])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
}

const maxLineLength = 1 << 20;

/** Joins folded lines. Accepts any line endings, and pieces that may be split anywhere. */
export class LineReader {
  readonly #onLine: (line: string, number: number) => void;
  #rest = '';
  #line: string | undefined;
  #lineStart = 0;
  #number = 0;

  constructor(onLine: (line: string, number: number) => void) {
    this.#onLine = onLine;
  }

  push(piece: string): void {
    if (!piece.includes('\n')) {
      // A search in the joined text would make a long line quadratic.
      if (this.#rest.length < maxLineLength) this.#rest += piece;
      return;
    }
    const text = this.#rest + piece;
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#addPhysicalLine(text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end));
      from = end + 1;
    }
    this.#rest = text.slice(from, from + maxLineLength);
  }

  end(): void {
    if (this.#rest !== '') this.#addPhysicalLine(this.#rest);
    this.#rest = '';
    this.#flush();
  }

  #addPhysicalLine(written: string): void {
    // A byte order mark can reach us as text if the caller decoded the bytes.
    const line = this.#number === 0 ? written.replace(/^\uFEFF/, '') : written;
    this.#number += 1;
    if ((line.startsWith(' ') || line.startsWith('\t')) && this.#line !== undefined) {
      if (this.#line.length < maxLineLength) this.#line += line.slice(1);
      return;
    }
    this.#flush();
    this.#line = line;
    this.#lineStart = this.#number;
  }

  #flush(): void {
    if (this.#line !== undefined && this.#line.trim() !== '')
      this.#onLine(this.#line.trimEnd(), this.#lineStart);
    this.#line = undefined;
  }
}
