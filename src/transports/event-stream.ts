import type { ServerResponse } from 'node:http';
import { encode } from '../engine/message.ts';
import type { JsonObject } from '../json.ts';

const keepAliveMs = 15_000;
/** Events that wait for the client, or are kept for one that reconnects. */
const maxEvents = 256;
const retryMs = 1_000;

type Messages = JsonObject | readonly JsonObject[];

export interface EventStreamOptions {
  /** Counts the bytes that the stream begins to hold, or releases. */
  readonly hold?: (bytes: number) => void;
  /** Whether the client can resume the stream. If not, events are released once they are written. */
  readonly isResumable?: boolean;
}

/**
 * One stream of server-sent events. It writes only as fast as the client reads: other events wait here, where they are counted.
 * The latest events are kept, so that a client whose connection broke can resume the stream where it lost it.
 */
export class EventStream {
  readonly id: string;
  readonly #hold: (bytes: number) => void;
  readonly #isResumable: boolean;
  #events: { readonly sequence: number; readonly bytes: Buffer }[] = [];
  #sequence = 0;
  /** Sequence number of the last event that was written to a response. */
  #delivered = -1;
  #response: ServerResponse | undefined;
  /** The client reads more slowly than events arrive. */
  #isBlocked = false;
  #keepAlive: NodeJS.Timeout | undefined;
  #ended = false;
  #whenDelivered = () => {};
  #instead: (() => Messages) | undefined;

  constructor(id: string, { hold = () => {}, isResumable = false }: EventStreamOptions = {}) {
    this.id = id;
    this.#hold = hold;
    this.#isResumable = isResumable;
  }

  get attached(): boolean {
    return this.#response !== undefined;
  }

  /** Continues after the event that the client names, or else with the events that were not delivered yet. */
  attach(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    after: number = this.#delivered,
  ): void {
    this.#response?.end();
    this.#response = response;
    this.#isBlocked = false;
    this.#delivered = Math.min(after, this.#sequence - 1);
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    response.on('close', () => this.#detach(response));
    response.on('drain', () => {
      if (this.#response !== response) return;
      this.#isBlocked = false;
      this.#flush();
    });
    response.on('finish', () => {
      if (this.#response === response && this.#ended) this.#whenDelivered();
    });
    clearInterval(this.#keepAlive);
    this.#keepAlive = setInterval(() => {
      if (!this.#isBlocked) response.write(': alive\n\n');
    }, keepAliveMs);
    this.#keepAlive.unref();
    const instead = this.#instead;
    this.#instead = undefined;
    if (instead !== undefined) this.#write(encode(instead()));
    this.#flush();
  }

  /** Sends an empty event with an id and a retry delay, so that the client can reconnect before the first message. */
  prime(): void {
    this.#write('', `retry: ${retryMs}\n`);
  }

  send(message: Messages): void {
    this.#write(encode(message));
  }

  /** Ends the stream after the events that wait. `whenDelivered` is called once they are handed to the network. */
  end(whenDelivered = () => {}): void {
    this.#ended = true;
    this.#whenDelivered = whenDelivered;
    this.#flush();
  }

  /** Releases all events. A client that resumes the stream gets other messages `instead`, if there are any. */
  drop(instead?: () => Messages): void {
    this.#release(this.#events.splice(0));
    this.#instead = instead;
  }

  #write(data: string, head = ''): void {
    const sequence = this.#sequence++;
    const bytes = Buffer.from(`${head}event: message\nid: ${this.id}_${sequence}\ndata: ${data}\n\n`);
    this.#events.push({ sequence, bytes });
    this.#hold(bytes.length);
    if (this.#events.length > maxEvents) this.#release(this.#events.splice(0, 1));
    this.#flush();
  }

  #flush(): void {
    const response = this.#response;
    if (response === undefined) return;
    for (const { sequence, bytes } of this.#events) {
      if (this.#isBlocked) return;
      if (sequence <= this.#delivered) continue;
      this.#delivered = sequence;
      this.#isBlocked = !response.write(bytes);
    }
    if (!this.#isResumable) this.#release(this.#events.splice(0));
    if (!this.#ended) return;
    clearInterval(this.#keepAlive);
    response.end();
  }

  #release(events: readonly { readonly bytes: Buffer }[]): void {
    this.#hold(-events.reduce((sum, { bytes }) => sum + bytes.length, 0));
  }

  #detach(response: ServerResponse): void {
    if (this.#response !== response) return;
    this.#response = undefined;
    clearInterval(this.#keepAlive);
  }
}

/** Splits a `Last-Event-ID` into the stream and the sequence number of the last received event. */
export function parseEventId(id: string): { stream: string; sequence: number } | undefined {
  const match = /^(.+)_(\d+)$/.exec(id);
  return match ? { stream: match[1]!, sequence: Number(match[2]) } : undefined;
}
