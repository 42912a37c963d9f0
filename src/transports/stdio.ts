import type { Readable } from 'node:stream';
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

/**
 * Serves one client on a pair of streams. Resolves when the input has ended and every request is answered. `isFirstAnswered` is
 * true if the client has the reply to its first message already.
 */
export async function serveStdio(
  server: Server,
  input: Readable,
  output: Output,
  maxMessageBytes: number,
  isFirstAnswered = false,
): Promise<void> {
  const deframer = new Deframer(maxMessageBytes);
  const arrived: Frame[] = [];
  let waiting = '';
  const flush = () => {
    const text = waiting;
    waiting = '';
    if (text === '' || output.write(text) || input.isPaused()) return;
    // Backpressure: stop reading requests from a client that does not read replies.
    input.pause();
    output.once('drain', () => input.resume());
  };
  // Messages of one tick are written together: a write costs more than most requests. `serve` writes after the last group.
  const send = (message: JsonObject | readonly JsonObject[]) => {
    if (waiting === '' && arrived.length === 0) process.nextTick(flush);
    waiting += frame(message, deframer.framing);
    if (waiting.length > maxWaiting) flush();
  };
  const session = server.connect(send);

  let unanswered = 0;
  let whenAnswered: (() => void) | undefined;
  let isNextAnswered = isFirstAnswered;
  const answer = (reply: JsonObject | readonly JsonObject[] | undefined) => {
    if (reply !== undefined) send(reply);
    unanswered -= 1;
    if (unanswered === 0) whenAnswered?.();
  };
  const handle = (one: Frame) => {
    unanswered += 1;
    // The reply to a later message can be ready before the reply to the first one.
    const isAnswered = isNextAnswered;
    isNextAnswered = false;
    if (one.kind === 'message')
      void session.receive(one.value).then((reply) => answer(isAnswered ? undefined : reply));
    else if (one.kind === 'oversized')
      answer(session.refuse(new Failure('invalid-request', tooLong(maxMessageBytes)), one.id));
    else if (one.kind === 'refused')
      answer(session.refuse(new Failure('invalid-request', one.reason), one.id));
    else answer(session.refuse(new Failure('parse-error', 'Parse error: the message is not valid JSON.')));
  };

  const serve = () => {
    arrived.splice(0, groupSize).forEach(handle);
    queueMicrotask(() => process.nextTick(arrived.length > 0 ? serve : flush));
  };

  await new Promise<void>((resolve, reject) => {
    input.on('data', (chunk: Buffer) => {
      const isServing = arrived.length > 0;
      arrived.push(...deframer.push(chunk));
      if (!isServing) serve();
    });
    input.on('end', resolve);
    input.on('error', reject);
    input.resume();
  });
  [...arrived.splice(0), ...deframer.end()].forEach(handle);
  session.endInput();
  if (unanswered > 0) await new Promise<void>((resolve) => (whenAnswered = resolve));
  flush();
  session.close();
}

export function tooLong(maxMessageBytes: number): string {
  return `The message is longer than the limit of ${maxMessageBytes} bytes (setting max_message_bytes).`;
}
