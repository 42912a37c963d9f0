import { createHash } from 'node:crypto';
import { Failure } from '../../failure.ts';
import { turnOfEventLoop } from '../../pace.ts';
import { singleLine } from '../../single-line.ts';
import { assembleEvent, type Instance, type Note, type ParsedEvent, readInstance } from './event-reader.ts';
import { RuleChecks } from './rule-thread.ts';
import type { RuleUse } from './rule-work.ts';
import type { CalendarTime } from './series.ts';
import {
  ComponentReader,
  type EndOfComponent,
  isEntry,
  LineReader,
  linesOf,
  type TextComponent,
  TextLine,
  unescapeText,
} from './text.ts';
import { shorten, Unreadable } from './written-value.ts';
import { ZoneReader } from './zone-reader.ts';

/** A part of the calendar that could not be imported as written. The rest is not affected. */
export interface CalendarProblem {
  readonly severity: 'error' | 'warning';
  readonly document?: string;
  readonly line: number;
  readonly uid?: string;
  readonly message: string;
}

/** Nobody reads more warnings than this, and a hostile calendar can cause millions. */
const maxWarnings = 5_000;

/** Collects problems. Keeps every error: an event that could not be read must not count as deleted. */
class CalendarProblems {
  readonly #list: CalendarProblem[] = [];
  #warnings = 0;

  add(problem: CalendarProblem): void {
    if (problem.severity === 'warning' && ++this.#warnings > maxWarnings) return;
    this.#list.push(problem);
  }

  /** All problems. The last one says how many warnings are not listed. */
  get all(): readonly CalendarProblem[] {
    const more = this.#warnings - maxWarnings;
    if (more <= 0) return this.#list;
    return [
      ...this.#list,
      { severity: 'warning', line: 0, message: `${more} more warnings are not listed.` },
    ];
  }
}

const times = 'UID RECURRENCE-ID SEQUENCE LAST-MODIFIED DTSTAMP DTSTART DURATION RRULE EXRULE RDATE EXDATE';
const details =
  'SUMMARY DESCRIPTION LOCATION URL CONFERENCE X-GOOGLE-CONFERENCE X-MICROSOFT-SKYPETEAMSMEETINGURL ' +
  'ORGANIZER ATTENDEE STATUS TRANSP X-MICROSOFT-CDO-BUSYSTATUS X-MOZ-LASTACK X-MOZ-SNOOZE-TIME ' +
  'CATEGORIES X-NEXTCLOUD-BC-FIELD-TYPE';

/** The properties that are read from each component. All others are skipped without being parsed. */
const readProperties: Readonly<Record<string, ReadonlySet<string>>> = {
  VCALENDAR: setOf('METHOD X-WR-CALNAME NAME X-WR-TIMEZONE'),
  VTIMEZONE: setOf('TZID X-LIC-LOCATION'),
  STANDARD: setOf('DTSTART TZOFFSETFROM TZOFFSETTO RRULE RDATE'),
  DAYLIGHT: setOf('DTSTART TZOFFSETFROM TZOFFSETTO RRULE RDATE'),
  VEVENT: setOf(`${times} DTEND ${details}`),
  VTODO: setOf(`${times} DUE ${details} COMPLETED PERCENT-COMPLETE`),
  VALARM: setOf('ACTION TRIGGER REPEAT DURATION ACKNOWLEDGED'),
};

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

function isRead(component: string, property: string): boolean {
  // Thunderbird adds the occurrence to the name: X-MOZ-SNOOZE-TIME-1773648000000000.
  const name = property.startsWith('X-MOZ-SNOOZE-TIME-') ? 'X-MOZ-SNOOZE-TIME' : property;
  return readProperties[component]?.has(name) ?? false;
}

export interface ParsedCalendar {
  readonly name?: string;
  readonly events: readonly ParsedEvent[];
  readonly problems: readonly CalendarProblem[];
  /** True if no document was cut off. Only then does a missing event mean that it was deleted. */
  readonly complete: boolean;
}

/** Maximum number of lines in an event, and of changed occurrences in a series. All of them are processed without a pause. */
const maxPerEvent = 10_000;

/** Messages from attendees. Only the organizer's messages define the event. */
const attendeeMethods = new Set(['REPLY', 'COUNTER', 'DECLINECOUNTER', 'REFRESH']);

interface Component extends TextComponent {
  /** METHOD of the enclosing calendar. */
  readonly method: string;
  readonly line: number;
  /** The first UID, kept here because thousands of problems can refer to it. */
  uid: string | undefined;
}

/** What the owner of the calendar learns of an event without its END. */
const cuts: Readonly<Record<EndOfComponent, (name: string) => string | undefined>> = {
  END: () => undefined,
  BEGIN: (name) => `END:${name} is missing.`,
  document: () => 'The calendar ends in the middle of this event.',
};

/** Assembles events from the lines of one or more iCalendar documents. */
class CalendarParser {
  readonly #problems = new CalendarProblems();
  readonly #instances = new Map<string, Instance[]>();
  readonly #rules: RuleChecks;
  /** Events whose unusual rules have to be checked first. */
  readonly #unchecked: { readonly component: Component; readonly uses: readonly RuleUse[] }[] = [];
  /** Events that refer to a time zone whose VTIMEZONE may follow. */
  readonly #waiting: Component[] = [];
  readonly #components = new ComponentReader<Component>({
    begin: (name, line) => this.#begin(name, line),
    line: (line, open) => this.#addLine(line, open),
    end: (component, by) => this.#close(component, cuts[by](component.name)),
    stray: (name) => this.#countEnd(name),
  });
  #zones = new ZoneReader();
  #document: string | undefined;
  #beginCount = 0;
  #endCount = 0;
  #complete = true;
  #name: string | undefined;
  #method = '';
  count = 0;

  constructor(nowMs: number) {
    this.#rules = new RuleChecks(nowMs);
  }

  begin(document: string | undefined): void {
    this.#document = document;
    this.#zones = new ZoneReader();
    this.#method = '';
    [this.#beginCount, this.#endCount] = [0, 0];
  }

  take(line: TextLine): void {
    this.#components.take(line);
  }

  /** Ends the document. Yields after each event that waited for its time zone, because that can be every event. */
  *end(): Generator<void> {
    if (this.#beginCount === 0) {
      const message = 'This is not a calendar: BEGIN:VCALENDAR is missing.';
      if (this.#document === undefined) throw new Failure('invalid-params', message);
      this.#report('error', {}, message);
    } else if (this.#endCount < this.#beginCount)
      this.#report('warning', {}, 'The calendar is cut off: END:VCALENDAR is missing.');
    this.#complete &&= this.#beginCount > 0 && this.#endCount >= this.#beginCount;
    this.#components.end();
    for (const component of this.#waiting.splice(0)) yield this.#addEvent(component);
  }

  /** Checks the unusual rules of the events read so far, and adds these events. */
  async checkRules(): Promise<void> {
    const unchecked = this.#unchecked.splice(0);
    await this.#rules.check(unchecked.flatMap(({ uses }) => uses));
    for (const { component } of unchecked) this.#addEvent(component);
  }

  get hasUncheckedRules(): boolean {
    return this.#unchecked.length > 0;
  }

  async finish(pause: () => Promise<void>): Promise<ParsedCalendar> {
    const events: ParsedEvent[] = [];
    for (const [uid, instances] of this.#instances) {
      const event = assembleEvent(uid, instances, (count) =>
        this.#report('warning', {}, `Skipped older versions with the same UID: ${count}.`, uid),
      );
      if (events.push(event) % 10 === 0) await pause();
    }
    return {
      ...(this.#name && { name: this.#name }),
      events,
      problems: this.#problems.all,
      complete: this.#complete,
    };
  }

  #begin(name: string, { raw, number }: TextLine): Component {
    if (name === 'VCALENDAR') {
      this.#beginCount += 1;
      this.#method = '';
    }
    return { name, begin: raw, children: [], end: '', method: this.#method, line: number, uid: undefined };
  }

  #countEnd(name: string): void {
    if (name !== 'VCALENDAR') return;
    this.#endCount += 1;
    this.#method = '';
  }

  #addLine(written: TextLine, open: Component | undefined): void {
    if (open === undefined) return;
    const { raw, text, number } = written;
    const name = /^[\w-]+/.exec(text)?.[0].toUpperCase() ?? '';
    if (!isRead(open.name, name)) return;
    if (open.children.length >= maxPerEvent)
      return this.#report('warning', { ...open, line: number }, `Skipped after ${maxPerEvent} lines.`);
    const line = new TextLine(raw, text.trimEnd(), number);
    if (line.property === undefined) {
      const reason = `This line is invalid and was skipped: ${shorten(line.text)}`;
      return this.#report('warning', { ...open, line: number }, reason);
    }
    if (name === 'UID') open.uid ??= line.value.trim();
    if (open.name !== 'VCALENDAR') open.children.push(line);
    else if (name === 'METHOD') this.#method = line.value.trim().toUpperCase();
    else if (name === 'X-WR-TIMEZONE') this.#setZone(line);
    else this.#name ??= singleLine(unescapeText(line.value));
  }

  /** X-WR-TIMEZONE is not part of the standard, but most calendars on the web have it. */
  #setZone({ value, number }: TextLine): void {
    if (!this.#zones.setDefault(value))
      this.#report(
        'warning',
        { line: number },
        `The time zone "${shorten(value)}" in X-WR-TIMEZONE is unknown; times without a time zone follow the user.`,
      );
  }

  #close(component: Component, cut: string | undefined): void {
    const { name } = component;
    if (cut !== undefined) this.#report('warning', component, cut);
    this.#countEnd(name);
    if (name === 'VTIMEZONE') this.#zones.close(component);
    if (name === 'STANDARD' || name === 'DAYLIGHT')
      this.#reportUnreadable(component, () => this.#zones.addObservance(component));
    if (name === 'VALARM') this.#components.entry?.children.push(component);
    if (isEntry(name)) {
      if (linesOf(component).every((line) => this.#zones.knows(line))) this.#addEvent(component);
      else this.#waiting.push(component);
    }
  }

  #addEvent(component: Component): void {
    const { method } = component;
    this.#reportUnreadable(component, () => {
      if (attendeeMethods.has(method))
        throw new Unreadable(
          `it is a reply from an attendee (METHOD:${method}), which does not change the event`,
        );
      const notes: Parameters<Note>[] = [];
      const uses: RuleUse[] = [];
      const usable = (rule: string, start: CalendarTime) => {
        const isUsable = this.#rules.isUsable({ rule, start });
        if (isUsable === undefined) uses.push({ rule, start });
        return isUsable ?? true;
      };
      const note: Note = (...written) => notes.push(written);
      const read = readInstance(component, this.#zones, note, usable, this.#document);
      // The event is read again once its rules are checked.
      if (uses.length > 0) return void this.#unchecked.push({ component, uses });
      const report: Note = (message, line = component.line) =>
        this.#report('warning', { ...component, line }, message);
      for (const written of notes) report(...written);
      if (read === undefined) return;
      const instance = {
        ...read,
        uid: read.uid || this.#inventUid(read, report),
        ...(method === 'CANCEL' && { details: { ...read.details, status: 'cancelled' as const } }),
      };
      const known = this.#instances.get(instance.uid);
      if (known === undefined) this.#instances.set(instance.uid, [instance]);
      else if (known.length < maxPerEvent) known.push(instance);
      else throw new Unreadable(`its series has more than ${maxPerEvent} changed occurrences`);
      this.count += 1;
    });
  }

  #inventUid({ start, details, rules }: Instance, note: (message: string) => void): string {
    note('The UID is missing; one was created from the start and title.');
    const text = JSON.stringify([start, details.title, rules]);
    return `no-uid-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  }

  #reportUnreadable(component: Component, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#report('error', component, `This ${component.name} was skipped: ${error.message}.`);
    }
  }

  #report(
    severity: CalendarProblem['severity'],
    at: Partial<Pick<Component, 'uid' | 'line'>>,
    message: string,
    known?: string,
  ): void {
    const uid = known ?? at.uid;
    this.#problems.add({
      severity,
      ...(this.#document !== undefined && { document: this.#document }),
      line: at.line ?? 0,
      ...(uid && { uid }),
      message,
    });
  }
}

/** One iCalendar text: a file, a response, or an object on a CalDAV server. */
export interface Document {
  /** File name or path, if the calendar has several documents. */
  readonly name?: string;
  readonly pieces: Iterable<string> | AsyncIterable<string>;
}

interface ParseOptions {
  readonly nowMs: number;
  /** Called repeatedly with the number of events read so far. */
  readonly progress?: ((events: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Short, so that only a few events are read without a pause. */
const pieceLength = 1 << 8;
/** How long the parser may work before other requests are served. */
const sliceMs = 15;

/** Reads a calendar in pieces, so that a large one does not block the event loop. */
export async function parseCalendar(
  documents: Iterable<Document> | AsyncIterable<Document>,
  { nowMs, progress, signal }: ParseOptions,
): Promise<ParsedCalendar> {
  const parser = new CalendarParser(nowMs);
  let sliceStart = performance.now();
  const pause = async () => {
    if (performance.now() - sliceStart < sliceMs) return;
    progress?.(parser.count);
    await turnOfEventLoop();
    signal?.throwIfAborted();
    sliceStart = performance.now();
  };
  for await (const { name, pieces } of documents) {
    const reader = new LineReader((line) => parser.take(line));
    parser.begin(name);
    for await (const piece of pieces) {
      for (let from = 0; from < piece.length; from += pieceLength) {
        signal?.throwIfAborted();
        reader.push(piece.slice(from, from + pieceLength));
        if (parser.hasUncheckedRules) await parser.checkRules();
        await pause();
      }
    }
    reader.end();
    for (const _ of parser.end()) await pause();
    await parser.checkRules();
    progress?.(parser.count);
  }
  return parser.finish(pause);
}
