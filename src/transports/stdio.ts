import type { Readable } from 'node:stream';
import type { Server } from '../engine/server.ts';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { Deframer, type Frame, frame } from './framing.ts';

export interface Output {
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** Serves one client on a pair of streams. Resolves when the input has ended and every request is answered. */
export async function serveStdio(
  server: Server,
  input: Readable,
  output: Output,
  maxMessageBytes: number,
): Promise<void> {
  const deframer = new Deframer(maxMessageBytes);
  const send = (message: JsonObject | readonly JsonObject[]) => {
    if (output.write(frame(message, deframer.framing)) || input.isPaused()) return;
    // Backpressure: stop reading requests from a client that does not read replies.
    input.pause();
    output.once('drain', () => input.resume());
  };
  const session = server.connect(send);

  const handle = async (one: Frame) => {
    const reply =
      one.kind === 'message'
        ? await session.receive(one.value)
        : one.kind === 'malformed'
          ? session.refuse(new Failure('parse-error', 'Parse error: the message is not valid JSON.'))
          : session.refuse(new Failure('invalid-request', tooLong(maxMessageBytes)), one.id);
    if (reply !== undefined) send(reply);
  };

  const inProgress = new Set<Promise<void>>();
  const start = (one: Frame) => {
    const work = handle(one).finally(() => inProgress.delete(work));
    inProgress.add(work);
  };
  await new Promise<void>((resolve, reject) => {
    input.on('data', (chunk: Buffer) => deframer.push(chunk).forEach(start));
    input.on('end', resolve);
    input.on('error', reject);
  });
  deframer.end().forEach(start);
  await session.drain();
  await Promise.allSettled(inProgress);
  session.close();
}

export function tooLong(maxMessageBytes: number): string {
  return `The message is longer than the limit of ${maxMessageBytes} bytes (setting max_message_bytes).`;
}
