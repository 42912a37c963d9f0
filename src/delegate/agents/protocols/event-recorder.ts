import { closeSync, openSync, writeSync } from 'node:fs';
import type { Redact } from '../../process/redaction.ts';
import type { AgentEvent } from './agent-event.ts';

/** Deltas of one item that follow each other within this time become one event. */
const joinMs = 100;
/**
 * Beyond the first size, only events that the result depends on are recorded. Deltas are repeated by the completed item, so they
 * get less room.
 */
const defaultLimits = { bytes: 32 * 1024 * 1024, deltaBytes: 8 * 1024 * 1024 };
const optional: ReadonlySet<AgentEvent['kind']> = new Set(['delta', 'item', 'warning', 'usage']);

type Delta = Extract<AgentEvent, { kind: 'delta' }>;

interface RecorderHandlers {
  readonly onWrite: () => void;
  /** Called once, when an event cannot be written. No more events are recorded. */
  readonly onError: (error: unknown) => void;
}

/** Writes the events of a conversation to the event file of its run: one JSON object per line, with the time in `at`. */
export class EventRecorder {
  readonly #limits: typeof defaultLimits;
  readonly #file: number;
  readonly #redact: Redact;
  /** How many of the last characters could be the beginning of a secret. */
  readonly #heldBack: (text: string) => number;
  readonly #onWrite: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #started = new Set<string>();
  #buffered: Delta | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #deltaBytes = 0;
  #isClosed = false;

  constructor(
    path: string,
    redact: Redact,
    heldBack: (text: string) => number,
    { onWrite, onError }: RecorderHandlers,
    limits = defaultLimits,
  ) {
    this.#onError = onError;
    this.#limits = limits;
    this.#file = openSync(path, 'a', 0o600);
    this.#redact = redact;
    this.#heldBack = heldBack;
    this.#onWrite = onWrite;
  }

  record(event: AgentEvent): void {
    if (this.#isClosed) return;
    if (event.kind === 'delta') this.#join(event);
    else {
      this.#flush(true);
      this.#write(event);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#flush(true);
    this.#isClosed = true;
    closeSync(this.#file);
  }

  /** The first delta of an item is written at once, the next ones in groups. */
  #join(delta: Delta): void {
    const isSame = this.#buffered?.id === delta.id && this.#buffered.of === delta.of;
    if (!isSame) this.#flush(true);
    this.#buffered = { ...delta, text: (this.#buffered?.text ?? '') + delta.text };
    if (!this.#started.has(delta.id)) {
      this.#started.add(delta.id);
      this.#flush(false);
    } else this.#timer ??= setTimeout(() => this.#flush(false), joinMs);
  }

  /** Without `all`, the end of the text stays behind if it could be the beginning of a secret. */
  #flush(all: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#buffered === undefined) return;
    const { text } = this.#buffered;
    const held = all ? 0 : this.#heldBack(text);
    const ready = text.slice(0, text.length - held);
    if (ready !== '') this.#write({ ...this.#buffered, text: ready });
    this.#buffered = held === 0 ? undefined : { ...this.#buffered, text: text.slice(-held) };
  }

  #write(event: AgentEvent): void {
    // Writing the buffered deltas may have failed.
    if (this.#isClosed) return;
    const line = Buffer.from(this.#redact(JSON.stringify({ at: new Date().toISOString(), ...event })));
    if (event.kind === 'delta') this.#deltaBytes += line.length;
    if (optional.has(event.kind) && this.#bytes + line.length > this.#limits.bytes) return;
    if (event.kind === 'delta' && this.#deltaBytes > this.#limits.deltaBytes) return;
    this.#bytes += line.length + 1;
    try {
      writeSync(this.#file, Buffer.concat([line, Buffer.from('\n')]));
    } catch (error) {
      // A run whose events are lost cannot be followed (e.g. ENOSPC).
      this.#isClosed = true;
      closeSync(this.#file);
      return this.#onError(error);
    }
    this.#onWrite();
  }
}
