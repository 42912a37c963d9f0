import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JsonObject } from '../src/json.ts';
import { Deframer, type Frame } from '../src/transports/framing.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly messages: readonly JsonObject[];
}

export interface PeerOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Throws if a server logged a promise that was rejected without a handler. Call this when the server has ended. */
export function assertNoUnhandledRejection(stderr: string): void {
  const logged = /^adjutant: error: bug: unhandled rejection.*(?:\n {4}at .*)*/m.exec(stderr)?.[0];
  if (logged !== undefined) throw new Error(`the server has a bug: ${logged}`);
}

/** A server in a child process, connected through stdio. */
export class StdioPeer implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: JsonObject[] = [];
  stderr = '';
  readonly #stdout: Buffer[] = [];
  readonly #exit: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  #ids = 1_000;

  constructor(args: readonly string[], options: PeerOptions = {}, program = process.execPath) {
    this.child = spawn(program, args, options);
    const deframer = new Deframer(Number.POSITIVE_INFINITY);
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.#stdout.push(chunk);
      this.#receive(deframer.push(chunk));
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
      this.#wake();
    });
    this.child.stdin.on('error', () => {});
    this.#exit = once(this.child, 'close').then(() => {
      this.#receive(deframer.end());
      this.#wake();
    });
  }

  write(...parts: readonly (string | Buffer)[]): void {
    for (const part of parts) this.child.stdin.write(part);
  }

  send(...messages: readonly unknown[]): void {
    for (const message of messages) this.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a request and resolves to its reply. */
  request(method: string, params?: object, id: string | number = this.#ids++): Promise<JsonObject> {
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return this.until((message) => message['id'] === id && !('method' in message));
  }

  /** Resolves to the first message that matches, received already or in the future. */
  async until(matches: (message: JsonObject) => boolean): Promise<JsonObject> {
    return this.#poll(() => this.messages.find(matches));
  }

  /** Like `until`, and forgets the message and all output so far: for long measurements, which its growth would disturb. */
  async take(matches: (message: JsonObject) => boolean): Promise<JsonObject> {
    const found = await this.until(matches);
    this.messages.splice(this.messages.indexOf(found), 1);
    this.#stdout.length = 0;
    return found;
  }

  async untilStderr(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#poll(() => pattern.exec(this.stderr) ?? undefined);
  }

  /** Closes the input and waits for the program to exit. */
  async end(...last: readonly (string | Buffer)[]): Promise<Ended> {
    this.write(...last);
    this.child.stdin.end();
    await this.#exit;
    return {
      code: this.child.exitCode,
      stdout: Buffer.concat(this.#stdout).toString(),
      stderr: this.stderr,
      messages: this.messages,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.#exit;
    assertNoUnhandledRejection(this.stderr);
  }

  async #poll<Found>(find: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the program exited with code ${this.child.exitCode}: ${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #receive(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.kind !== 'message') throw new Error('the program wrote an invalid message');
      const values = Array.isArray(frame.value) ? frame.value : [frame.value];
      this.messages.push(...(values as JsonObject[]));
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
