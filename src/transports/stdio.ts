import type { Readable } from 'node:stream';
import type { RequestId } from '../engine/message.ts';
import type { Server } from '../engine/server.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { Deframer, type Frame, frame } from './framing.ts';

/** Characters that may wait for the end of the tick. More than this is written at once, to bound the memory. */
const maxWaiting = 64 * 1024;

/**
 * Messages that arrive together are served in groups of this size, and each group starts when the one before waits for something
 * else than a promise at hand. A hundred requests in progress outgrow V8's young generation, which the server keeps small:
 * copying them at every collection doubles the cost of a request.
 */
const groupSize = 8;

export interface Output {
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** What a client sent before there was a server. */
export interface Opening {
  readonly chunks: readonly Buffer[];
  /** The requests among the messages that have their replies already. */
  readonly answered: ReadonlySet<RequestId>;
}

const nothing: Opening = { chunks: [], answered: new Set() };

/** Serves one client on a pair of streams. Resolves when the input has ended and every request is answered. */
export async function serveStdio(
  server: Server,
  input: Readable,
  output: Output,
  maxMessageBytes: number,
  opening: Opening = nothing,
): Promise<void> {
  const deframer = new Deframer(maxMessageBytes);
  const arrived: Frame[] = [];
  let waiting = '';
  let isFlushDue = false;
  const flush = () => {
    const text = waiting;
    waiting = '';
    isFlushDue = false;
    if (text === '' || output.write(text) || input.isPaused()) return;
    // Backpressure: stop reading requests from a client that does not read replies.
    input.pause();
    output.once('drain', () => input.resume());
  };
  const flushSoon = () => {
    if (!isFlushDue) process.nextTick(flush);
    isFlushDue = true;
  };
  // Messages of one tick are written together: a write costs more than most requests. `serve` writes after the last group.
  const send = (message: JsonObject | readonly JsonObject[]) => {
    waiting += frame(message, deframer.framing);
    if (waiting.length > maxWaiting) flush();
    else if (arrived.length === 0) flushSoon();
  };
  const session = server.connect(send);

  const unsent = new Set(opening.answered);
  let unanswered = 0;
  let whenAnswered: (() => void) | undefined;
  const answer = (reply: JsonObject | readonly JsonObject[] | undefined) => {
    unanswered -= 1;
    const isAnsweredEarly =
      unsent.size > 0 && unsent.delete((reply as JsonObject | undefined)?.['id'] as RequestId);
    const isLast = unanswered === 0 && arrived.length === 0;
    if (reply !== undefined && !isAnsweredEarly) {
      // Nothing else can join the only reply, so it does not wait for the end of the tick.
      if (isLast) waiting += frame(reply, deframer.framing);
      else send(reply);
    }
    if (!isLast) return;
    flush();
    whenAnswered?.();
  };
  const handle = (one: Frame) => {
    unanswered += 1;
    if (one.kind === 'message') void session.receive(one.value).then(answer);
    else if (one.kind === 'oversized')
      answer(session.refuse(new Failure('invalid-request', tooLong(maxMessageBytes)), one.id));
    else if (one.kind === 'refused')
      answer(session.refuse(new Failure('invalid-request', one.reason), one.id));
    else answer(session.refuse(new Failure('parse-error', 'Parse error: the message is not valid JSON.')));
  };

  const serve = () => {
    for (const one of arrived.splice(0, groupSize)) handle(one);
    if (arrived.length > 0) queueMicrotask(() => process.nextTick(serve));
    else if (waiting !== '') flushSoon();
  };

  const receive = (chunk: Buffer) => {
    const isServing = arrived.length > 0;
    const frames = deframer.push(chunk);
    // Most clients send one message and wait for its answer.
    if (!isServing && frames.length === 1) return handle(frames[0]!);
    arrived.push(...frames);
    if (!isServing) serve();
  };
  await new Promise<void>((resolve, reject) => {
    opening.chunks.forEach(receive);
    if (input.readableEnded) return resolve();
    input.on('data', receive);
    input.on('end', resolve);
    input.on('error', reject);
    input.resume();
  });
  for (const one of [...arrived.splice(0), ...deframer.end()]) handle(one);
  session.endInput();
  if (unanswered > 0) await new Promise<void>((resolve) => (whenAnswered = resolve));
  flush();
  session.close();
}

export function tooLong(maxMessageBytes: number): string {
  return `The message is longer than the limit of ${maxMessageBytes} bytes (setting max_message_bytes).`;
}
