// Sends denied and hostile requests to a running server. While each kind is sent, a client with the token must be served, and
// afterwards the server's memory must not have grown. `npm run prove -- http 1000`
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Program } from '../program.ts';
import { httpCases } from './parts/http-cases.ts';
import { proveTokens } from './parts/http-tokens.ts';

export interface Target {
  readonly url: URL;
  readonly token: string;
  /** Sends a request and resolves to the status, or to the error code of a closed connection. */
  send(request: RawRequest): Promise<string>;
  /** Opens a connection and writes the text, if there is any. */
  open(text?: string): Promise<Socket>;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** `undefined` leaves out a header that is sent by default. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Further lines of the head, sent as they are. */
  readonly lines?: readonly string[];
  readonly body?: string;
}

/** One kind of request. `run` sends `count` of them and returns what came back. */
export interface HttpCase {
  readonly name: string;
  /** Allowed answers: a status, or `closed`. */
  readonly expected: readonly string[];
  readonly count?: number;
  run(target: Target, count: number): Promise<readonly string[]>;
}

export interface Finding {
  readonly name: string;
  readonly answers: string;
  /** Requests of the client with the token that were answered during the attack, and how many were sent. */
  readonly served: string;
  /** Growth of the heap since the start, after garbage collection. */
  readonly heapMb: number;
  readonly problem: string | undefined;
}

const maxHeapGrowthMb = 16;
/** The most memory that the process may have used at any time. One batch that was not limited used more. */
const maxPeakMb = 600;
const heapReport = join(import.meta.dirname, '..', 'fuzz', 'heap-report.cjs');
/** For a program whose heap is measured. */
export const heapFlags = ['--expose-gc', '--require', heapReport];

export async function proveHttp(
  count: number,
  cases: readonly HttpCase[] = httpCases,
  started = new Program(['serve', '--http', '--port', '0'], { nodeFlags: heapFlags }),
): Promise<{ readonly findings: readonly Finding[]; readonly peakMb: number }> {
  await using program = started;
  const { url, token } = await program.listening();
  const target = createTarget(new URL(url), token);
  // Load everything that the requests need, so that it does not count as growth.
  for (let warmup = 0; warmup < 200; warmup++) await serveClient(target);
  const before = await heapMb(program);
  const findings: Finding[] = [];
  for (const one of cases) {
    const client = startClient(target);
    const answers = await one.run(target, one.count ?? count);
    const { served, sent } = await client.stop();
    const grownMb = Math.round(((await heapMb(program)) - before) * 10) / 10;
    const kinds = [...Map.groupBy(answers, (answer) => answer)];
    const wrong = kinds.map(([answer]) => answer).filter((answer) => !one.expected.includes(answer));
    findings.push({
      name: one.name,
      answers: kinds.map(([answer, all]) => `${all.length} × ${answer}`).join(', '),
      served: `${served} of ${sent}`,
      heapMb: grownMb,
      problem:
        wrong.length > 0
          ? `unexpected answer: ${wrong.join(', ')}`
          : served < sent || sent === 0
            ? 'the client with the token was not served'
            : grownMb > maxHeapGrowthMb
              ? `the heap grew by ${grownMb} MB`
              : program.child.exitCode !== null
                ? 'the server stopped'
                : undefined,
    });
  }
  return { findings, peakMb: peakMb(program.child.pid!) };
}

export function createTarget(url: URL, token: string): Target {
  const open = async (text = '') => {
    const socket = connect(Number(url.port), url.hostname).on('error', () => {});
    await once(socket, 'connect').catch(() => {});
    if (text !== '') socket.write(text);
    return socket;
  };
  return { url, token, open, send: (request) => sendRaw(open, url, token, request) };
}

async function sendRaw(
  open: Target['open'],
  url: URL,
  token: string,
  { method = 'POST', path = '/mcp', headers = {}, lines = [], body = '' }: RawRequest,
): Promise<string> {
  const all = {
    host: url.host,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  };
  const head = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const socket = await open([`${method} ${path} HTTP/1.1`, ...head, ...lines, '', body].join('\r\n'));
  return statusOf(socket);
}

/** Waits for the first line of the response. */
export async function statusOf(socket: Socket): Promise<string> {
  let text = '';
  try {
    for await (const chunk of socket) {
      text += chunk;
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
      if (status !== undefined) return status;
    }
  } catch {}
  return 'closed';
}

async function serveClient({ url, token }: Target): Promise<boolean> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_prompts', arguments: {} },
  };
  const response = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  return (await response?.text())?.includes('structuredContent') ?? false;
}

/** Calls a tool again and again until it is stopped. Tries a call again that found no free connection. */
function startClient(target: Target): { stop(): Promise<{ served: number; sent: number }> } {
  let isStopped = false;
  const counts = { served: 0, sent: 0 };
  const work = (async () => {
    do {
      counts.sent++;
      const deadlineMs = Date.now() + 10_000;
      let isServed = await serveClient(target);
      while (!isServed && Date.now() < deadlineMs) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        isServed = await serveClient(target);
      }
      if (isServed) counts.served++;
    } while (!isStopped);
  })();
  return {
    async stop() {
      isStopped = true;
      await work;
      return counts;
    },
  };
}

async function heapMb(program: Program): Promise<number> {
  program.stderr = '';
  program.child.kill('SIGUSR2');
  const [, bytes] = await program.untilStderr(/heap (\d+) resident \d+\n/);
  return Number(bytes) / 1_000_000;
}

/** 0 on systems without /proc. */
function peakMb(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : 0;
  return Math.round(Number(kilobytes) / 1000);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const count = Number(process.argv[2] ?? 1_000);
  const requests = await proveHttp(count);
  const tokens = await proveTokens(count);
  const findings = [...requests.findings, ...tokens.findings];
  const peak = Math.max(requests.peakMb, tokens.peakMb);
  console.log('| requests | answers | client served | heap |\n| --- | --- | --- | --- |');
  for (const { name, answers, served, heapMb: grown, problem } of findings) {
    console.log(`| ${name} | ${answers} | ${served} | ${grown > 0 ? '+' : ''}${grown} MB |`);
    if (problem !== undefined) {
      console.error(`${name}: ${problem}`);
      process.exitCode = 1;
    }
  }
  console.log(`\nThe process used at most ${peak} MB.`);
  if (peak > maxPeakMb) {
    console.error(`that is more than ${maxPeakMb} MB`);
    process.exitCode = 1;
  }
}
