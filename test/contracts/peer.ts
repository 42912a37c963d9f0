import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { ContractName } from '../../src/contracts/contract.ts';
import { createAuthenticator } from '../../src/identity/authenticator.ts';
import { isObject } from '../../src/json.ts';
import { serveHttp } from '../../src/transports/http.ts';
import { connectMemory } from '../../src/transports/memory.ts';
import { assertNoUnhandledRejection } from '../stdio-peer.ts';

/** A connection to a server over one transport. Messages are sent unchanged, and replies are returned unchanged. */
export interface Peer {
  exchange(message: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export interface PeerOptions {
  readonly contract: ContractName;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const transports = { memory: openMemory, stdio: openStdio, http: openHttp } as const;

async function start({ contract, argv, env }: PeerOptions) {
  const { config } = await loadConfig({ argv: ['--contract', contract, ...argv], env, cwd: process.cwd() });
  return createServer(contract, config);
}

async function openMemory(options: PeerOptions): Promise<Peer> {
  const server = await start(options);
  const client = connectMemory(server);
  return { exchange: (message) => client.exchange(message), close: () => server.close() };
}

async function openStdio({ contract, argv, env }: PeerOptions): Promise<Peer> {
  const child = spawn(process.execPath, ['dist/adjutant.cjs', 'serve', '--contract', contract, ...argv], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const replies = new Replies(child);
  return {
    async exchange(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      return isNotification(message) ? undefined : replies.next();
    },
    async close() {
      child.stdin.end();
      await ended;
      assertNoUnhandledRejection(replies.errors);
    },
  };
}

class Replies {
  readonly #ready: string[] = [];
  readonly #waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = [];
  #end: Error | undefined;
  errors = '';

  constructor(child: ChildProcess) {
    let buffered = '';
    child.stderr!.on('data', (chunk) => {
      this.errors += chunk;
    });
    child.stdout!.on('data', (chunk) => {
      buffered += chunk;
      const lines = buffered.split('\n');
      buffered = lines.pop()!;
      const isReply = (value: unknown) => Array.isArray(value) || (isObject(value) && 'id' in value);
      this.#ready.push(...lines.filter((line) => isReply(JSON.parse(line))));
      this.#deliver();
    });
    child.stdin!.on('error', () => {});
    child.on('close', (code) => {
      this.#end = new Error(`the program exited with code ${code}: ${this.errors}`);
      this.#deliver();
    });
  }

  next(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#deliver();
    });
  }

  #deliver(): void {
    while (this.#ready.length > 0 && this.#waiting.length > 0) {
      this.#waiting.shift()!.resolve(JSON.parse(this.#ready.shift()!));
    }
    if (this.#end) for (const { reject } of this.#waiting.splice(0)) reject(this.#end);
  }
}

async function openHttp(options: PeerOptions): Promise<Peer> {
  const server = await start(options);
  const token = 'a-token-for-the-tests';
  const endpoint = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    authenticator: createAuthenticator({ token }),
    allowedHosts: [],
    maxMessageBytes: 1 << 22,
    serverFor: (name) => (name === options.contract ? server : undefined),
    page: async (_, response) => void response.writeHead(404).end(),
  });
  let session: string | null = null;
  return {
    async exchange(message) {
      const response = await fetch(`${endpoint.url}/mcp/${options.contract}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          ...(session !== null && { 'mcp-session-id': session }),
        },
        body: JSON.stringify(message),
      });
      session = response.headers.get('mcp-session-id') ?? session;
      const text = await response.text();
      if (text === '') return undefined;
      if (!response.headers.get('content-type')?.includes('event-stream')) return JSON.parse(text);
      const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!));
      return events.find((event) => isObject(event) && 'id' in event);
    },
    async close() {
      await endpoint.close();
      await server.close();
    },
  };
}

function isNotification(message: unknown): boolean {
  return isObject(message) && 'method' in message && !('id' in message);
}
