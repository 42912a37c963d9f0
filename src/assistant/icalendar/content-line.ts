import ICAL from 'ical.js';

/** One property of a component: its value is as it was written, escapes and all. */
export interface Property {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly value: string;
  /** Where it begins in its document. */
  readonly line?: number;
}

/** Without types the parser leaves values alone: it would make `20260329` a time, and any text a date. */
const untyped = { property: {}, param: ICAL.design.icalendar.param, value: {} };

export function readProperty(line: string): Property {
  const [name, parameters, , value] = ICAL.parse.property(line, untyped as never) as unknown as [
    string,
    Property['parameters'],
    string,
    unknown,
  ];
  return { name, parameters, value: String(value) };
}

export function parameterOf(property: Property, name: string): string | undefined {
  const value = property.parameters[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Text without its escapes. */
export function textOf({ value }: Property): string {
  return value.replaceAll(/\\([nN,;\\:])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
}

const longestLine = 1 << 20;

/** Puts folded lines together again, whatever their ends, from pieces that are cut anywhere. */
export class LineReader {
  readonly #take: (line: string, number: number) => void;
  #rest = '';
  #line: string | undefined;
  #begun = 0;
  #number = 0;

  constructor(take: (line: string, number: number) => void) {
    this.#take = take;
  }

  push(piece: string): void {
    const text = this.#rest + piece;
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#physical(text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end));
      from = end + 1;
    }
    this.#rest = text.slice(from, from + longestLine);
  }

  end(): void {
    if (this.#rest !== '') this.#physical(this.#rest);
    this.#rest = '';
    this.#flush();
  }

  #physical(written: string): void {
    // The mark may come as text too, where whoever decoded it let it pass.
    const line = this.#number === 0 ? written.replace(/^\uFEFF/, '') : written;
    this.#number += 1;
    if ((line.startsWith(' ') || line.startsWith('\t')) && this.#line !== undefined) {
      if (this.#line.length < longestLine) this.#line += line.slice(1);
      return;
    }
    this.#flush();
    this.#line = line;
    this.#begun = this.#number;
  }

  #flush(): void {
    if (this.#line !== undefined && this.#line.trim() !== '') this.#take(this.#line.trimEnd(), this.#begun);
    this.#line = undefined;
  }
}
