import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/json.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { type HostileInput, mounted } from './corpus.ts';

export type Transport = 'stdio' | 'HTTP';

export interface Delay {
  readonly name: string;
  readonly transport: Transport;
  /** How long the hostile call took. */
  readonly callMs: number;
  /** The slowest ping during the call. */
  readonly worstPingMs: number;
  /** The slowest ping to an idle server at the same time: what is due to the load of the machine. */
  readonly idlePingMs: number;
  /** The most processor time that the server's main thread used while a ping waited. Does not depend on the load of the machine. */
  readonly blockedMs: number;
  /** How many pings were answered before the call. */
  readonly answeredBefore: number;
  /** The start of the answer to the hostile call. */
  readonly answer: string;
}

/** Sends a request with parameters in JSON text. */
type Send = (method: string, params?: string) => Promise<JsonObject>;

/** A server with mounts and a user, in a temporary home folder. */
export class HostileServer implements AsyncDisposable {
  readonly home: string;
  readonly peer: StdioPeer;
  readonly transport: Transport;
  #send: Send = (method, params) => {
    const id = `hostile ${this.#ids++}`;
    this.peer.write(`${messageText(id, method, params)}\n`);
    return this.peer.take((message) => message['id'] === id);
  };
  #ids = 0;

  private constructor(transport: Transport) {
    this.transport = transport;
    this.home = mkdtempSync(join(tmpdir(), 'adjutant-hostile-'));
    const mounts = mounted.map((format) => {
      mkdirSync(join(this.home, format));
      return `[[prompts.mounts]]\nformat = "${format}"\npath = "${join(this.home, format)}"\n`;
    });
    mkdirSync(join(this.home, 'skills'));
    const config = join(this.home, 'adjutant.toml');
    writeFileSync(config, `[skills]\nfolders = ["${join(this.home, 'skills')}"]\n\n${mounts.join('\n')}`);
    const flags = transport === 'HTTP' ? ['--http', '--port', '0'] : [];
    this.peer = new StdioPeer(
      [bundle, 'serve', ...flags, '--home', this.home, '--config', config, '--toolsets', 'all'],
      { cwd: this.home, env: { PATH: process.env['PATH'], HOME: this.home } },
    );
  }

  static async start(transport: Transport): Promise<HostileServer> {
    const server = new HostileServer(transport);
    if (transport === 'HTTP') {
      const [, url] = await server.peer.untilStderr(/Page: (\S+?)\/ /);
      const token = readFileSync(join(server.home, 'token'), 'utf8').trim();
      server.#send = (method, params) => post(new URL('/mcp', url), token, method, params);
    } else {
      server.peer.send(initialize());
      await server.peer.until(({ id }) => id === 0);
    }
    await server.call('create_user', { id: 'ann', name: 'Ann' });
    await server.call('list_prompts', {});
    return server;
  }

  call(tool: string, args: object | string, method?: string): Promise<JsonObject> {
    const text = (typeof args === 'string' ? args : JSON.stringify(args)).replaceAll('$HOME', this.home);
    if (method !== undefined) return this.#send(method, text);
    return this.#send('tools/call', `{"name":${JSON.stringify(tool)},"arguments":${text}}`);
  }

  async ping(): Promise<void> {
    const answer = await this.#send('ping');
    if (answer['result'] === undefined) throw new Error(`ping failed: ${JSON.stringify(answer)}`);
  }

  /** Processor time of the main thread so far, in milliseconds. */
  get #cpuMs(): number {
    if (process.platform !== 'linux') return 0;
    const { pid } = this.peer.child;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  }

  write({ files = {} }: HostileInput): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.home, path)), { recursive: true });
      writeFileSync(join(this.home, path), text);
    }
  }

  /** Makes the call and sends pings one after the other until it is answered. */
  async measure(input: HostileInput, idle?: HostileServer): Promise<Delay> {
    this.write(input);
    const began = performance.now();
    let isDone = false;
    const call = this.call(input.tool, input.args, input.method).finally(() => {
      isDone = true;
    });
    let answeredBefore = 0;
    let blockedMs = 0;
    const slowestPing = async (server: HostileServer) => {
      let worstMs = 0;
      while (!isDone) {
        const sent = performance.now();
        const cpuMs = server.#cpuMs;
        await server.ping();
        if (server === this) blockedMs = Math.max(blockedMs, server.#cpuMs - cpuMs);
        if (!isDone && server === this) answeredBefore++;
        worstMs = Math.max(worstMs, performance.now() - sent);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return worstMs;
    };
    const [worstPingMs, idlePingMs] = await Promise.all([slowestPing(this), idle ? slowestPing(idle) : 0]);
    const answer = JSON.stringify(await call).slice(0, 300);
    const callMs = performance.now() - began;
    const { transport } = this;
    const { name } = input;
    return { name, transport, callMs, worstPingMs, idlePingMs, blockedMs, answeredBefore, answer };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.peer[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true, force: true });
  }
}

function messageText(id: string | number, method: string, params?: string): string {
  const rest = params === undefined ? '' : `,"params":${params}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)}${rest}}`;
}

async function post(url: URL, token: string, method: string, params?: string): Promise<JsonObject> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: messageText(1, method, params),
  });
  return (await response.json()) as JsonObject;
}
