import { createHash } from 'node:crypto';
import { Failure } from '../../failure.ts';
import { singleLine } from '../../single-line.ts';
import { type CalendarProblem, CalendarProblems } from './calendar-problems.ts';
import { type Property, readProperty, textOf } from './content-line.ts';
import { type Instance, type Note, readInstance } from './event-reader.ts';
import { assembleEvent, type ParsedEvent } from './parsed-event.ts';
import { isRead } from './read-properties.ts';
import { RuleChecks } from './rule-checks.ts';
import type { RuleUse } from './rule-tasks.ts';
import type { CalendarTime } from './series.ts';
import { shorten, Unreadable } from './written-value.ts';
import { ZoneReader } from './zone-reader.ts';

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

interface Component {
  readonly name: string;
  /** METHOD of the enclosing calendar. */
  readonly method: string;
  readonly line: number;
  readonly properties: Property[];
  /** Properties of each VALARM in an event or a task. */
  readonly alarms: Property[][];
  /** The first UID, kept here because thousands of problems can refer to it. */
  uid: string | undefined;
}

/** Assembles events from the lines of one or more iCalendar documents. */
export class CalendarParser {
  readonly #problems = new CalendarProblems();
  readonly #instances = new Map<string, Instance[]>();
  readonly #rules: RuleChecks;
  /** Events whose unusual rules have to be checked first. */
  readonly #unchecked: { readonly component: Component; readonly uses: readonly RuleUse[] }[] = [];
  /** Events that refer to a time zone whose VTIMEZONE may follow. */
  readonly #waiting: Component[] = [];
  readonly #open: Component[] = [];
  /** Number of open components by name, so that an END without a BEGIN needs no search. */
  readonly #openCounts = new Map<string, number>();
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

  take(line: string, number: number): void {
    const [, edge, written] = /^(BEGIN|END):\s*([\w-]+)$/i.exec(line) ?? [];
    if (edge === undefined) return this.#addProperty(line, number);
    const name = written!.toUpperCase();
    const begins = edge.toUpperCase() === 'BEGIN';
    if (name === 'VCALENDAR') {
      begins ? this.#beginCount++ : this.#endCount++;
      this.#method = '';
    }
    if (!begins) return this.#closeComponent(name);
    // An event without END:VEVENT ends where the next one begins.
    if (isEntry(name)) this.#closeComponent(name, `END:${name} is missing.`);
    this.#open.push({ name, method: this.#method, line: number, properties: [], alarms: [], uid: undefined });
    this.#openCounts.set(name, (this.#openCounts.get(name) ?? 0) + 1);
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
    for (const name of ['VEVENT', 'VTODO'])
      this.#closeComponent(name, 'The calendar ends in the middle of this event.');
    this.#open.length = 0;
    this.#openCounts.clear();
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

  #addProperty(line: string, number: number): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    const name = /^[\w-]+/.exec(line)?.[0].toLowerCase() ?? '';
    if (!isRead(open.name, name)) return;
    if (open.properties.length >= maxPerEvent)
      return this.#report('warning', { ...open, line: number }, `Skipped after ${maxPerEvent} lines.`);
    let property: Property;
    try {
      property = { ...readProperty(line), line: number };
    } catch {
      const reason = `This line is invalid and was skipped: ${shorten(line)}`;
      return this.#report('warning', { ...open, line: number }, reason);
    }
    if (name === 'uid') open.uid ??= property.value.trim();
    if (open.name !== 'VCALENDAR') open.properties.push(property);
    else if (name === 'method') this.#method = property.value.trim().toUpperCase();
    else if (name === 'x-wr-timezone') this.#setZone(property);
    else this.#name ??= singleLine(textOf(property));
  }

  /** X-WR-TIMEZONE is not part of the standard, but most calendars on the web have it. */
  #setZone(property: Property): void {
    if (!this.#zones.setDefault(property.value))
      this.#report(
        'warning',
        property,
        `The time zone "${shorten(property.value)}" in X-WR-TIMEZONE is unknown; times without a time zone follow the user.`,
      );
  }

  #closeComponent(name: string, cut?: string): void {
    if (!this.#openCounts.get(name)) return;
    const index = this.#open.findLastIndex((open) => open.name === name);
    const closed = this.#open.splice(index);
    for (const open of closed) this.#openCounts.set(open.name, this.#openCounts.get(open.name)! - 1);
    const component = closed[0]!;
    if (cut !== undefined) this.#report('warning', component, cut);
    if (name === 'VTIMEZONE') this.#zones.close(component.properties);
    if (name === 'STANDARD' || name === 'DAYLIGHT')
      this.#reportUnreadable(component, () => this.#zones.addObservance(component.properties));
    if (name === 'VALARM')
      this.#open.findLast((open) => isEntry(open.name))?.alarms.push(component.properties);
    if (isEntry(name)) {
      if (component.properties.every((property) => this.#zones.knows(property))) this.#addEvent(component);
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

/** True for components that become events: meetings and tasks. */
function isEntry(name: string): boolean {
  return name === 'VEVENT' || name === 'VTODO';
}
