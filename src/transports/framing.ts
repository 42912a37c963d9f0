import { isUtf8 } from 'node:buffer';
import { encode, type RequestId } from '../engine/message.ts';
import type { JsonObject } from '../json.ts';
import { structureProblem } from './message-limits.ts';

export type Framing = 'lines' | 'headers';

export type Frame =
  | { readonly kind: 'message'; readonly value: unknown }
  | { readonly kind: 'malformed' }
  /** Not parsed, because that would take too long. */
  | { readonly kind: 'refused'; readonly id: RequestId | null; readonly reason: string }
  /** Longer than the limit. The id is null if it could not be found. */
  | { readonly kind: 'oversized'; readonly id: RequestId | null };

const newline = 0x0a;
const openingBrace = 0x7b;
const header = /^content-(length|type)[ \t]*:/i;
/** What stands for bytes that are not UTF-8. A sender may also mean the character itself. */
const replacement = '\ufffd';

/**
 * Splits bytes into JSON values. A stream is newline-delimited until a `Content-Length` header arrives; from then on replies
 * have headers too. A header without a blank line, or with a wrong length, does not lose the message.
 */
export class Deframer {
  framing: Framing = 'lines';
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Length of the body that is being read, from its header. */
  #expected: number | undefined;
  /** The oversized message that is being skipped: `left` bytes, or up to the next newline if infinite. */
  #discarding: { left: number; head: Buffer; tail: Buffer } | undefined;

  /** `limit` is the most bytes of a message. `Infinity` is for senders that are trusted: every message is parsed. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    if (this.#isOneLine(chunk)) {
      this.#announced = undefined;
      this.#parse(chunk, frames);
      return frames;
    }
    let rest: Buffer | undefined = chunk;
    while (rest !== undefined && rest.length > 0) rest = this.#step(rest, frames);
    return frames;
  }

  /** Most clients wait for each answer, so that a chunk is one whole message, which needs no cutting. */
  #isOneLine(chunk: Buffer): boolean {
    return (
      chunk[0] === openingBrace &&
      this.#size === 0 &&
      this.#expected === undefined &&
      this.#discarding === undefined &&
      chunk.length <= this.#limit &&
      chunk.indexOf(newline) === chunk.length - 1
    );
  }

  /** Returns the remaining frame at the end of input, complete or not. */
  end(): Frame[] {
    const frames: Frame[] = [];
    if (this.#discarding) frames.push(oversized(this.#discarding.head, this.#discarding.tail));
    else this.#parse(this.#takeAll(), frames);
    return frames;
  }

  #step(chunk: Buffer, frames: Frame[]): Buffer | undefined {
    if (this.#discarding) return this.#discard(chunk, frames);
    if (this.#expected !== undefined) return this.#body(chunk, frames);
    const end = chunk.indexOf(newline);
    if (end < 0) {
      this.#append(chunk);
      if (this.#size > this.#limit) this.#beginDiscarding(Number.POSITIVE_INFINITY);
      return undefined;
    }
    this.#append(chunk.subarray(0, end));
    const line = this.#takeAll();
    if (line.length > this.#limit) frames.push(oversized(line.subarray(0, 1024), line.subarray(-1024)));
    else this.#line(line, frames);
    return end + 1 < chunk.length ? chunk.subarray(end + 1) : undefined;
  }

  #line(line: Buffer, frames: Frame[]): void {
    const isMessage = line.length >= 256 || line[0] === openingBrace;
    const text = isMessage ? '' : line.toString('latin1').trim();
    if (header.test(text)) {
      this.framing = 'headers';
      const length = /length[ \t]*:[ \t]*(\d+)/i.exec(text)?.[1];
      if (length !== undefined) this.#announced = Number(length);
    } else if (text === '' && this.#announced !== undefined && line.length < 3) {
      const length = this.#announced;
      this.#announced = undefined;
      if (length > this.#limit) this.#beginDiscarding(length);
      else this.#expected = length;
    } else {
      this.#announced = undefined;
      this.#parse(line, frames);
    }
  }
  #announced: number | undefined;

  #body(chunk: Buffer, frames: Frame[]): Buffer {
    const missing = this.#expected! - this.#size;
    this.#append(chunk.subarray(0, missing));
    if (this.#size >= this.#expected!) {
      this.#expected = undefined;
      this.#parse(this.#takeAll(), frames);
    }
    return chunk.subarray(missing);
  }

  #beginDiscarding(left: number): void {
    const seen = this.#takeAll();
    this.#discarding = {
      left,
      head: Buffer.from(seen.subarray(0, 1024)),
      tail: Buffer.from(seen.subarray(-1024)),
    };
  }

  #discard(chunk: Buffer, frames: Frame[]): Buffer | undefined {
    const state = this.#discarding!;
    const end =
      state.left === Number.POSITIVE_INFINITY ? chunk.indexOf(newline) : Math.min(state.left, chunk.length);
    const dropped = end < 0 ? chunk : chunk.subarray(0, end);
    state.head = Buffer.concat([state.head, dropped.subarray(0, 1024 - state.head.length)]);
    state.tail = Buffer.concat([state.tail, dropped.subarray(-1024)]).subarray(-1024);
    state.left -= dropped.length;
    const done = state.left === Number.POSITIVE_INFINITY ? end >= 0 : state.left === 0;
    if (!done) return undefined;
    this.#discarding = undefined;
    frames.push(oversized(state.head, state.tail));
    return chunk.subarray(state.left === 0 ? end : end + 1);
  }

  #append(part: Buffer): void {
    if (part.length === 0) return;
    this.#chunks.push(part);
    this.#size += part.length;
  }

  #takeAll(): Buffer {
    const whole = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#size = 0;
    return whole;
  }

  #parse(bytes: Buffer, frames: Frame[]): void {
    const reason = this.#limit === Number.POSITIVE_INFINITY ? undefined : structureProblem(bytes);
    if (reason !== undefined) {
      frames.push({ kind: 'refused', id: findId(bytes.subarray(0, 1024), bytes.subarray(-1024)), reason });
      return;
    }
    // Also removes a byte order mark.
    const text = bytes.toString().trim();
    if (text === '') return;
    try {
      if (text.includes(replacement) && !isUtf8(bytes)) throw new SyntaxError('not UTF-8');
      frames.push({ kind: 'message', value: JSON.parse(text) });
    } catch {
      frames.push({ kind: 'malformed' });
    }
  }
}

export function frame(message: JsonObject | readonly JsonObject[], framing: Framing): string {
  return frameText(encode(message), framing);
}

/** A message that is encoded already. */
export function frameText(body: string, framing: Framing): string {
  return framing === 'lines' ? `${body}\n` : `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const idValue = String.raw`("(?:[^"\\]|\\.){0,200}"|-?\d{1,16})`;
const idAtStart = new RegExp(
  String.raw`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"]{0,200}"\s*,)*\s*"id"\s*:\s*${idValue}\s*,`,
);
const idAtEnd = new RegExp(
  String.raw`,\s*"id"\s*:\s*${idValue}\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"]{0,200}"\s*)*\}\s*$`,
);

function oversized(head: Buffer, tail: Buffer): Frame {
  return { kind: 'oversized', id: findId(head, tail) };
}

/** Finds the id of a message that is not parsed: its sender waits for an answer. Most senders put the id first or last. */
function findId(head: Buffer, tail: Buffer): RequestId | null {
  const found = idAtStart.exec(head.toString('utf8'))?.[1] ?? idAtEnd.exec(tail.toString('utf8'))?.[1];
  return found === undefined ? null : (JSON.parse(found) as RequestId);
}
