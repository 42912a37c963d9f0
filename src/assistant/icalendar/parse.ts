import { createHash } from 'node:crypto';
import { Failure } from '../../failure.ts';
import { singleLine } from '../../single-line.ts';
import { LineReader, type Property, readProperty, textOf } from './content-line.ts';
import { type Instance, type Note, readInstance } from './event-reader.ts';
import { assembleEvent, type ParsedEvent } from './parsed-event.ts';
import { isRunaway, isSwift } from './rule.ts';
import { type CalendarTime, isWholeDay } from './series.ts';
import { shorten, Unreadable } from './written-value.ts';
import { ZoneReader } from './zone-reader.ts';

/** One text of a calendar: a file, an answer, an object of a server. */
export interface Document {
  /** Where it is from, when there are several. */
  readonly name?: string;
  readonly pieces: Iterable<string> | AsyncIterable<string>;
}

/** Something that could not be taken as it was written. The rest of the calendar is not affected. */
export interface CalendarProblem {
  readonly severity: 'error' | 'warning';
  readonly document?: string;
  readonly line: number;
  readonly uid?: string;
  readonly message: string;
}

export interface ParsedCalendar {
  readonly name?: string;
  readonly events: readonly ParsedEvent[];
  readonly problems: readonly CalendarProblem[];
  /** Every text was there to its end, so that what is not in it is not in the calendar. */
  readonly complete: boolean;
}

export interface ParseOptions {
  readonly nowMs: number;
  /** Called now and then with the number of events read so far. */
  readonly progress?: ((events: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const pieceLength = 1 << 17;
const mostRunaways = 5;

/** Reads a calendar piece by piece, so that a large one keeps nobody else waiting. */
export async function parseCalendar(
  documents: Iterable<Document> | AsyncIterable<Document>,
  { nowMs, progress, signal }: ParseOptions,
): Promise<ParsedCalendar> {
  const parser = new Parser(nowMs);
  for await (const { name, pieces } of documents) {
    const reader = new LineReader((line, number) => parser.take(line, number));
    parser.begin(name);
    for await (const piece of pieces) {
      for (let from = 0; from < piece.length; from += pieceLength) {
        signal?.throwIfAborted();
        reader.push(piece.slice(from, from + pieceLength));
        progress?.(parser.count);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    reader.end();
    parser.end();
  }
  return parser.finish();
}

const wanted: Readonly<Record<string, ReadonlySet<string>>> = {
  VCALENDAR: new Set(['method', 'x-wr-calname', 'name']),
  VTIMEZONE: new Set(['tzid', 'x-lic-location']),
  STANDARD: new Set(['dtstart', 'tzoffsetfrom', 'tzoffsetto', 'rrule', 'rdate']),
  DAYLIGHT: new Set(['dtstart', 'tzoffsetfrom', 'tzoffsetto', 'rrule', 'rdate']),
  VEVENT: new Set(
    (
      'uid recurrence-id sequence last-modified dtstamp dtstart dtend duration rrule exrule rdate exdate ' +
      'summary description location url conference x-google-conference x-microsoft-skypeteamsmeetingurl ' +
      'organizer attendee status transp'
    ).split(' '),
  ),
};

/** What people who are invited send. Only who invites says when something takes place. */
const answers = new Set(['REPLY', 'COUNTER', 'DECLINECOUNTER', 'REFRESH']);

interface Component {
  readonly name: string;
  /** Of the calendar around it. */
  readonly method: string;
  readonly line: number;
  readonly properties: Property[];
}

class Parser {
  readonly #problems: CalendarProblem[] = [];
  readonly #instances = new Map<string, Instance[]>();
  readonly #sound = new Set<string>();
  #runaways = 0;
  /** Events whose zone is described only after them. */
  readonly #waiting: Component[] = [];
  readonly #open: Component[] = [];
  #zones = new ZoneReader();
  #document: string | undefined;
  #begun = 0;
  #ended = 0;
  #complete = true;
  #name: string | undefined;
  #method = '';
  readonly #nowMs: number;
  count = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  begin(document: string | undefined): void {
    this.#document = document;
    this.#zones = new ZoneReader();
    this.#method = '';
    [this.#begun, this.#ended] = [0, 0];
  }

  take(line: string, number: number): void {
    const [, edge, written] = /^(BEGIN|END):\s*([\w-]+)$/i.exec(line) ?? [];
    if (edge === undefined) return this.#property(line, number);
    const name = written!.toUpperCase();
    const begins = edge.toUpperCase() === 'BEGIN';
    if (name === 'VCALENDAR') {
      begins ? this.#begun++ : this.#ended++;
      this.#method = '';
    }
    if (!begins) return this.#close(name);
    // An event that was never closed ends where the next one begins.
    if (name === 'VEVENT') this.#close(name, 'it has no END:VEVENT');
    this.#open.push({ name, method: this.#method, line: number, properties: [] });
  }

  end(): void {
    if (this.#begun === 0) {
      const message = 'This is not a calendar: it does not contain BEGIN:VCALENDAR.';
      if (this.#document === undefined) throw new Failure('invalid-params', message);
      this.#report('error', {}, message);
    } else if (this.#ended < this.#begun)
      this.#report('warning', {}, 'the calendar is cut off: it has no END:VCALENDAR');
    this.#complete &&= this.#begun > 0 && this.#ended >= this.#begun;
    this.#close('VEVENT', 'the calendar ends in the middle of it');
    this.#open.length = 0;
    for (const component of this.#waiting.splice(0)) this.#event(component);
  }

  async finish(): Promise<ParsedCalendar> {
    const events: ParsedEvent[] = [];
    for (const [uid, instances] of this.#instances) {
      const event = assembleEvent(uid, instances, (count) =>
        this.#report('warning', {}, `${count} more with the same UID; the newest is taken`, uid),
      );
      if (events.push(event) % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return {
      ...(this.#name && { name: this.#name }),
      events,
      problems: this.#problems,
      complete: this.#complete,
    };
  }

  #property(line: string, number: number): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    const name = /^[\w-]+/.exec(line)?.[0].toLowerCase() ?? '';
    if (!wanted[open.name]?.has(name)) return;
    let property: Property;
    try {
      property = { ...readProperty(line), line: number };
    } catch {
      const reason = `a line cannot be read and is left out: ${shorten(line)}`;
      return this.#report('warning', { ...open, line: number }, reason);
    }
    if (open.name !== 'VCALENDAR') open.properties.push(property);
    else if (name === 'method') this.#method = property.value.trim().toUpperCase();
    else this.#name ??= singleLine(textOf(property));
  }

  #close(name: string, cut?: string): void {
    const index = this.#open.findLastIndex((open) => open.name === name);
    if (index === -1) return;
    const [component] = this.#open.splice(index) as [Component];
    if (cut !== undefined) this.#report('warning', component, cut);
    if (name === 'VTIMEZONE') this.#zones.close(component.properties);
    if (name === 'STANDARD' || name === 'DAYLIGHT')
      this.#try(component, () => this.#zones.addObservance(component.properties));
    if (name === 'VEVENT') {
      if (component.properties.every((property) => this.#zones.knows(property))) this.#event(component);
      else this.#waiting.push(component);
    }
  }

  #event(component: Component): void {
    const { method } = component;
    this.#try(component, () => {
      if (answers.has(method))
        throw new Unreadable(`it is an answer (METHOD:${method}), which does not change the event`);
      const note: Note = (message, line = component.line) =>
        this.#report('warning', { ...component, line }, message);
      const usable = (rule: string, start: CalendarTime) => this.#usable(rule, start);
      const read = readInstance(component.properties, this.#zones, note, usable, this.#document);
      const instance = {
        ...read,
        uid: read.uid || this.#inventUid(read, note),
        ...(method === 'CANCEL' && { details: { ...read.details, status: 'cancelled' as const } }),
      };
      const known = this.#instances.get(instance.uid);
      if (known === undefined) this.#instances.set(instance.uid, [instance]);
      else known.push(instance);
      this.count += 1;
    });
  }

  /**
   * Whether a rule can be worked with; throws `Unreadable` when it cannot at all. Looking for the others has an end too,
   * in a calendar that is full of them.
   */
  #usable(rule: string, start: CalendarTime): boolean {
    const wholeDay = isWholeDay(start);
    // Calendars repeat a few simple rules thousands of times.
    const wording = `${rule} ${wholeDay}`;
    if (this.#sound.has(wording)) return true;
    const place = {
      wallMs: Date.parse(wholeDay ? start.wall : `${start.wall}Z`),
      wholeDay,
      offsets: () => 0,
    };
    const runaway = (!isSwift(rule) && this.#runaways >= mostRunaways) || isRunaway(rule, place, this.#nowMs);
    if (runaway) this.#runaways += 1;
    else if (isSwift(rule)) this.#sound.add(wording);
    return !runaway;
  }

  #inventUid({ start, details, rules }: Instance, note: (message: string) => void): string {
    note('it has no UID; one is made from its start and its title');
    const text = JSON.stringify([start, details.title, rules]);
    return `no-uid-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  }

  #try(component: Component, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#report('error', component, `${error.message}; it is left out`);
    }
  }

  #report(
    severity: CalendarProblem['severity'],
    at: Partial<Component>,
    message: string,
    known?: string,
  ): void {
    const uid = known ?? at.properties?.find(({ name }) => name === 'uid')?.value.trim();
    this.#problems.push({
      severity,
      ...(this.#document !== undefined && { document: this.#document }),
      line: at.line ?? 0,
      ...(uid && { uid }),
      message,
    });
  }
}
