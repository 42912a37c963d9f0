import type { ServerResponse } from 'node:http';
import { encode } from '../engine/message.ts';
import type { JsonObject } from '../json.ts';

const keepAliveMs = 15_000;
/** Events that are kept for a client that reconnects. */
const maxEvents = 256;
const retryMs = 1_000;

/**
 * One stream of server-sent events. The latest events are kept, so that a client whose connection broke can resume the stream
 * where it lost it.
 */
export class EventStream {
  readonly id: string;
  #events: { readonly sequence: number; readonly text: string }[] = [];
  #sequence = 0;
  /** Sequence number of the last event that was written to a response. */
  #delivered = -1;
  #response: ServerResponse | undefined;
  #keepAlive: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(id: string) {
    this.id = id;
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
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    response.on('close', () => this.#detach(response));
    for (const event of this.#events) if (event.sequence > after) this.#deliver(event, response);
    if (this.#ended) response.end();
    clearInterval(this.#keepAlive);
    this.#keepAlive = setInterval(() => response.write(': alive\n\n'), keepAliveMs);
    this.#keepAlive.unref();
  }

  /** Sends an empty event with an id and a retry delay, so that the client can reconnect before the first message. */
  prime(): void {
    this.#write('', `retry: ${retryMs}\n`);
  }

  send(message: JsonObject | readonly JsonObject[]): void {
    this.#write(encode(message));
  }

  end(): void {
    this.#ended = true;
    this.#response?.end();
    clearInterval(this.#keepAlive);
  }

  #write(data: string, head = ''): void {
    const sequence = this.#sequence++;
    const text = `${head}event: message\nid: ${this.id}_${sequence}\ndata: ${data}\n\n`;
    this.#events.push({ sequence, text });
    if (this.#events.length > maxEvents) this.#events.shift();
    if (this.#response) this.#deliver({ sequence, text }, this.#response);
  }

  #deliver({ sequence, text }: { sequence: number; text: string }, response: ServerResponse): void {
    response.write(text);
    this.#delivered = sequence;
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
