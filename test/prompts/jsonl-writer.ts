import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundle } from '../program.ts';
import { assertNoUnhandledRejection } from '../stdio-peer.ts';

/** The changes that a writer has made to its own prompts. `undefined` as a text means that the prompt was deleted. */
export interface WriterLog {
  /** The text of each prompt after its last confirmed change. */
  readonly confirmed: Map<string, string | undefined>;
  /** Every confirmed change, in order. */
  readonly changes: { readonly name: string; readonly text: string | undefined }[];
  /** The change that the server has not confirmed yet. */
  pending?: { readonly name: string; readonly text: string | undefined };
}

interface Answer {
  readonly result?: { readonly success: boolean };
  readonly error?: { readonly message: string };
}

/** A separate server process on the shared folder. Sends it one request at a time. */
export class Writer {
  readonly child: ChildProcessWithoutNullStreams;
  readonly log: WriterLog = { confirmed: new Map(), changes: [] };
  readonly ended: Promise<unknown>;
  confirmedCount = 0;
  readonly #prefix: string;
  readonly #lines: AsyncIterator<string>;
  #ids = 0;
  #stderr = '';

  constructor(folder: string, prefix: string) {
    this.#prefix = prefix;
    this.child = spawn(process.execPath, [bundle, 'serve', '--contract', 'jsonl', '--prompts-dir', folder], {
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    this.child.stdin.on('error', () => {});
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk;
    });
    this.ended = once(this.child, 'close').then(() => assertNoUnhandledRejection(this.#stderr));
    this.#lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  /** `undefined` if the server exits before it answers. */
  async ask(method: string, params: object): Promise<Answer | undefined> {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#ids, method, params })}\n`);
    const { value, done } = await this.#lines.next();
    return done ? undefined : (JSON.parse(value) as Answer);
  }

  /** Makes a random change to one of the writer's own prompts. Returns false if the server has exited. */
  async change(): Promise<boolean> {
    const name = `${this.#prefix}_${Math.floor(Math.random() * 12)}`;
    const known = this.log.confirmed.get(name) !== undefined;
    const method = known ? (Math.random() < 0.3 ? 'delete' : 'update') : 'create';
    const text = method === 'delete' ? undefined : `${name} ${this.#ids} ${'x'.repeat(Math.random() * 3000)}`;
    const content =
      text === undefined ? {} : { messages: [{ role: 'user', content: { type: 'text', text } }] };
    this.log.pending = { name, text };
    const answer = await this.ask(`prompts/${method}`, {
      name,
      ...(method === 'create' && { title: name }),
      ...content,
    });
    if (answer === undefined) return false;
    if (answer.result?.success !== true) throw new Error(`${method} ${name}: ${answer.error?.message}`);
    delete this.log.pending;
    this.log.confirmed.set(name, text);
    this.log.changes.push({ name, text });
    this.confirmedCount++;
    return true;
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await this.ended;
  }
}
