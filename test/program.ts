import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../src/json.ts';
import { Deframer, type Frame } from '../src/transports/framing.ts';

const root = join(import.meta.dirname, '..');
export const bundle = join(root, 'dist', 'adjutant.cjs');
if (!existsSync(bundle)) execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root });

export interface ProgramOptions {
  /** Prompt commands to find in its folder, by file name. */
  readonly commands?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly messages: readonly JsonObject[];
}

/** The built program as a child of its own, with a home of its own. */
export class Program implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), 'adjutant-home-'));
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: JsonObject[] = [];
  stderr = '';
  readonly #stdout: Buffer[] = [];
  readonly #exit: Promise<unknown>;
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], options: ProgramOptions = {}) {
    const commands = join(this.home, 'commands');
    mkdirSync(commands);
    for (const [file, text] of Object.entries(options.commands ?? {}))
      writeFileSync(join(commands, file), text);
    this.child = spawn(
      process.execPath,
      [...(options.nodeFlags ?? []), bundle, ...args, '--home', this.home],
      {
        cwd: this.home,
        env: { PATH: process.env['PATH'], HOME: this.home, ...options.env },
      },
    );
    const deframer = new Deframer(Number.POSITIVE_INFINITY);
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.#stdout.push(chunk);
      this.#take(deframer.push(chunk));
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
      this.#wake();
    });
    this.child.stdin.on('error', () => {});
    this.#exit = once(this.child, 'close').then(() => {
      this.#take(deframer.end());
      this.#wake();
    });
  }

  write(...parts: readonly (string | Buffer)[]): void {
    for (const part of parts) this.child.stdin.write(part);
  }

  send(...messages: readonly unknown[]): void {
    for (const message of messages) this.write(`${JSON.stringify(message)}\n`);
  }

  /** The answer to one request. */
  request(method: string, params?: object, id: string | number = this.#ids++): Promise<JsonObject> {
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return this.until((message) => message['id'] === id && !('method' in message));
  }
  #ids = 1_000;

  /** The first message, said already or yet to come, that is wanted. */
  async until(wanted: (message: JsonObject) => boolean): Promise<JsonObject> {
    return this.#poll(() => this.messages.find(wanted));
  }

  async untilStderr(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#poll(() => pattern.exec(this.stderr) ?? undefined);
  }

  /** Closes its input and waits for its end. */
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
    rmSync(this.home, { recursive: true, force: true });
  }

  async #poll<Found>(find: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the program ended with ${this.child.exitCode}: ${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #take(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.kind !== 'message') throw new Error('the program wrote something that is not a message');
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

export const greeting = {
  'greet.md': '---\ndescription: Greets\n---\nSay hello to {{input}}.\n',
  'research.md': '---\ndescription: Research a topic\n---\nFind out everything.\n',
};

export function initialize(version = '2025-11-25', id: string | number = 0): JsonObject {
  return {
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
}
