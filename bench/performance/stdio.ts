import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Contender } from './contenders.ts';
import { cpuMicroseconds, memoryMegabytes, startNode } from './process.ts';

export type Method = keyof Contender['requests'];

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

/** A running server on stdio. */
export class StdioServer {
  readonly #child;
  readonly #requests: Contender['requests'];
  #ids = 0;
  #unanswered = 0;
  #resolve: (() => void) | undefined;
  #reply = '';
  readonly #ended: Promise<never>;

  private constructor({ stdio, requests }: Contender) {
    this.#requests = requests;
    this.#child = startNode(stdio);
    this.#child.stderr!.resume();
    this.#ended = once(this.#child, 'exit').then(() => {
      throw new Error(`${stdio[0]} ended`);
    });
    this.#ended.catch(() => {});
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#reply = text;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#unanswered -= 1;
      if (this.#unanswered <= 0) this.#resolve?.();
    });
  }

  static async start(contender: Contender): Promise<StdioServer> {
    const server = new StdioServer(contender);
    await server.#send([['initialize', initialize]]);
    server.#child.stdin!.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return server;
  }

  get memory(): number {
    return memoryMegabytes(this.#child.pid!);
  }

  /** CPU time since the start in microseconds. */
  get cpu(): number {
    return cpuMicroseconds(this.#child.pid!);
  }

  /** CPU time per call in microseconds, with `together` calls written at once. */
  async measure(method: Method, calls: number, together: number): Promise<number> {
    const group = Array.from({ length: together }, () => [method, this.#requests[method]] as const);
    const before = cpuMicroseconds(this.#child.pid!);
    for (let sent = 0; sent < calls; sent += together) await this.#send(group);
    if (!this.#reply.includes('tides')) throw new Error(`unexpected answer: ${this.#reply.slice(0, 300)}`);
    return (cpuMicroseconds(this.#child.pid!) - before) / calls;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended.catch(() => {});
  }

  async #send(messages: readonly (readonly [method: string, params: object])[]): Promise<void> {
    this.#unanswered = messages.length;
    const answered = new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
    const lines = messages.map(([method, params]) =>
      JSON.stringify({ jsonrpc: '2.0', id: this.#ids++, method, params }),
    );
    this.#child.stdin!.write(`${lines.join('\n')}\n`);
    await Promise.race([answered, this.#ended]);
  }
}

/** Milliseconds from the start to the answer to `initialize` and to that to `tools/list`, and CPU time until the first of them. */
export async function measureStart(
  contender: Contender,
): Promise<{ readonly time: number; readonly cpu: number; readonly listTime: number }> {
  const startedAt = performance.now();
  const child = startNode(contender.stdio);
  child.stderr!.resume();
  const send = (message: object) => child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answers = createInterface({ input: child.stdout! });
  send({ id: 1, method: 'initialize', params: initialize });
  await once(answers, 'line');
  const time = performance.now() - startedAt;
  const cpu = cpuMicroseconds(child.pid!) / 1e3;
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list', params: {} });
  // Some servers send notifications in between.
  for (let line = ''; !line.includes('"id":2'); ) [line] = (await once(answers, 'line')) as [string];
  const listTime = performance.now() - startedAt;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return { time, cpu, listTime };
}
