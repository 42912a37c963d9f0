import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunRecord } from '../../src/delegate/run/run-record.ts';
import type { JsonObject } from '../../src/json.ts';
import { Deframer } from '../../src/transports/framing.ts';
import { bundle } from '../program.ts';
import { assertNoUnhandledRejection } from '../stdio-peer.ts';
import type { Workbench } from './workbench.ts';

/** The built program on stdio with the workbench's home. The agents it starts outlive it. */
export class ServerProcess implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  stderr = '';
  onNotification: (method: string, params: JsonObject) => void = () => {};
  readonly #exit: Promise<unknown>;
  readonly #waiting = new Map<number, (message: JsonObject) => void>();
  #ids = 0;

  constructor(
    bench: Workbench,
    settings: Readonly<Record<string, string>> = {},
    argv: readonly string[] = [],
    program = bundle,
    cwd = bench.folder,
  ) {
    const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    this.child = spawn(process.execPath, [program, 'serve', '--home', bench.home, ...flags, ...argv], {
      cwd,
      env: bench.env,
    });
    const deframer = new Deframer(Number.POSITIVE_INFINITY);
    this.child.stdout.on('data', (chunk: Buffer) => {
      for (const frame of deframer.push(chunk)) {
        if (frame.kind !== 'message') continue;
        const message = frame.value as JsonObject;
        if (!('method' in message)) this.#waiting.get(message['id'] as number)?.(message);
        else if (!('id' in message))
          this.onNotification(String(message['method']), message['params'] as JsonObject);
      }
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
    this.child.stdin.on('error', () => {});
    this.#exit = once(this.child, 'close');
  }

  async initialize(): Promise<this> {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    return this;
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Resolves with the result. Never settles if the server dies first. */
  request(method: string, params: object): Promise<JsonObject> {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (message) =>
        'error' in message
          ? reject(new Error(JSON.stringify(message['error'])))
          : resolve(message['result'] as JsonObject),
      );
      this.send({ id, method, params });
    });
  }

  /** Starts a call without waiting for it, and returns the request id. */
  begin(tool: string, args: object): { readonly id: number; readonly result: Promise<JsonObject> } {
    const result = this.request('tools/call', { name: tool, arguments: args });
    return { id: this.#ids, result };
  }

  async call(tool: string, args: object): Promise<RunRecord> {
    return (await this.begin(tool, args).result)['structuredContent'] as unknown as RunRecord;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.#exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill('SIGTERM');
    assertNoUnhandledRejection(this.stderr);
  }
}
