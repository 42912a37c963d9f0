import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { parseObject } from '../../json.ts';

/** Messages for a reader that has fallen this far behind are dropped, so that it cannot slow down a run. */
const maxUnreadBytes = 4 * 1024 * 1024;

const closeTimeoutMs = 1_000;

/** Sends and receives JSON objects over a socket, one per line. Other lines are ignored. */
export class MessageSocket<Received, Sent> {
  readonly #socket: Socket;
  /** Resolves when the other side has closed the connection or has exited. */
  readonly closed: Promise<void>;
  #partial = '';

  constructor(socket: Socket, onMessage: (message: Received) => void) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.setEncoding('utf8');
    // An error is always followed by `close`.
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.on('data', (text: string) => {
      const lines = (this.#partial + text).split('\n');
      this.#partial = lines.pop()!;
      for (const line of lines) {
        const message = parseObject(line);
        if (message !== undefined) onMessage(message as Received);
      }
    });
  }

  /** `isRequired` messages are sent however far the reader has fallen behind. */
  send(message: Sent, isRequired = true): void {
    if (this.#socket.destroyed || (!isRequired && this.#socket.writableLength > maxUnreadBytes)) return;
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the other side gets the message even if this process dies, or when the connection is closed. */
  deliver(message: Sent): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) resolve();
      else this.#socket.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  /** Closes the connection when everything sent has been written, but waits only a moment for a stuck reader. */
  async end(): Promise<void> {
    const written = new Promise<void>((resolve) => this.#socket.end(() => resolve()));
    await Promise.race([written, this.closed, after(closeTimeoutMs, undefined, { ref: false })]);
    this.#socket.destroy();
  }
}
