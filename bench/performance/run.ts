// Measures Adjutant beside a bare script and other MCP servers in one run, prints the ratios and writes docs/performance.md.
// Fails if a ratio is worse than its limit. Arguments: calls per measurement, and starts of each server.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../figures.ts';
import { type Contender, contenders, writeCommands } from './contenders.ts';
import { HttpServer } from './http.ts';
import { type Method, measureStart, StdioServer } from './stdio.ts';

const calls = Number(process.argv[2] ?? 12_000);
const starts = Number(process.argv[3] ?? 25);
const rounds = 3;

/** The most that Adjutant may cost, as a multiple of the bare script. */
const limits: Readonly<Record<string, number>> = {
  'start, time': 1.4,
  'memory after the calls': 1.5,
  'tools/call, 100 at once': 3,
  'tools/call, one by one': 3,
  'prompts/get, 100 at once': 3,
  'prompts/get, one by one': 3,
  'HTTP, tools/call': 2.2,
  'HTTP, tools/call 2026-07-28': 2.2,
};

/** The other servers do not serve revision 2026-07-28 over HTTP, or only with a session. */
const speaksModern = new Set(['bare script', 'Adjutant', 'SDK v2, minimal']);
const figures = new Map<string, Map<string, number>>();
const note = (figure: string, name: string, value: number) => {
  const row = figures.get(figure) ?? new Map<string, number>();
  figures.set(figure, row.set(name, value));
};

const home = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
const loadBefore = loadavg()[0]!;
try {
  writeCommands(home);
  const ports = await freePorts(3);
  const all = contenders(home, () => ports.pop()!);
  await compareStarts(all);
  await compareCalls(all);
  await compareHttp(all);
  report(all);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function compareStarts(all: readonly Contender[]): Promise<void> {
  const times = new Map(all.map(({ name }) => [name, [] as { time: number; cpu: number }[]]));
  // The first rounds fill the caches of the disk and of V8.
  for (let round = -2; round < starts; round++)
    for (const contender of all) {
      const one = await measureStart(contender);
      if (round >= 0) times.get(contender.name)!.push(one);
    }
  for (const [name, list] of times) {
    note('start, time', name, median(list.map(({ time }) => time)));
    note('start, CPU', name, median(list.map(({ cpu }) => cpu)));
  }
}

async function compareCalls(all: readonly Contender[]): Promise<void> {
  const servers = new Map<string, StdioServer>();
  for (const contender of all) {
    const server = await StdioServer.start(contender);
    servers.set(contender.name, server);
    note('memory after the start', contender.name, server.memory);
    await server.measure('tools/call', 12_000, 100);
    note('memory after the calls', contender.name, server.memory);
  }
  for (const method of ['tools/call', 'prompts/get'] as const)
    for (const together of [100, 1]) await compareOne(servers, method, together);
  for (const server of servers.values()) await server.stop();
}

async function compareOne(servers: Map<string, StdioServer>, method: Method, together: number) {
  const figure = `${method}, ${together === 1 ? 'one by one' : `${together} at once`}`;
  const count = together === 1 ? Math.ceil(calls / 3) : calls;
  const best = new Map<string, number>();
  for (let round = -1; round < rounds; round++)
    for (const [name, server] of servers) {
      const cost = await server.measure(method, count, together);
      if (round >= 0) best.set(name, Math.min(cost, best.get(name) ?? Infinity));
    }
  for (const [name, cost] of best) note(figure, name, cost);
}

async function compareHttp(all: readonly Contender[]): Promise<void> {
  const servers = new Map<string, HttpServer>();
  for (const contender of all)
    servers.set(contender.name, await HttpServer.start(contender, join(home, 'token')));
  for (const isModern of [false, true]) {
    const figure = isModern ? 'HTTP, tools/call 2026-07-28' : 'HTTP, tools/call';
    const best = new Map<string, number>();
    for (let round = -1; round < rounds; round++)
      for (const [name, server] of servers) {
        if (isModern && !speaksModern.has(name)) continue;
        const cost = await server.measure(Math.ceil(calls / 3), isModern);
        if (round >= 0) best.set(name, Math.min(cost, best.get(name) ?? Infinity));
      }
    for (const [name, cost] of best) note(figure, name, cost);
  }
  for (const server of servers.values()) await server.stop();
}

async function freePorts(count: number): Promise<number[]> {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(listeners.map((listener) => once(listener, 'listening')));
  const ports = listeners.map((listener) => (listener.address() as { port: number }).port);
  await Promise.all(listeners.map((listener) => new Promise((closed) => listener.close(closed))));
  return ports;
}

function report(all: readonly Contender[]): void {
  const names = all.map(({ name }) => name);
  const bare = names[0]!;
  const rows = [...figures].map(([figure, values]) => {
    const reference = values.get(bare)!;
    const cells = names.map((name) => {
      const value = values.get(name);
      return value === undefined ? '–' : `${(value / reference).toFixed(2)} ×`;
    });
    return `| ${figure} | ${reference.toFixed(1)} ${unitOf(figure)} | ${cells.slice(1).join(' | ')} | ${limits[figure] ?? ''} |`;
  });
  const load = `${loadBefore.toFixed(1)} before and ${loadavg()[0]!.toFixed(1)} after the run`;
  const text = `# Performance

\`npm run bench\` writes this page. It starts all servers in turn on one machine and measures each figure side by side, so that only
the ratios matter: how many times the cost of a bare Node script that parses a message and writes an answer. Calls are measured in
CPU time of the server process. They fill in a prompt command from a folder of one hundred; the other servers have a comparable tool and
prompt. The command fails if Adjutant exceeds the limit in the last column.

| figure | bare script | ${names.slice(1).join(' | ')} | limit |
| --- | ---: | ${names
    .slice(1)
    .map(() => '---: |')
    .join(' ')} ---: |
${rows.join('\n')}

Measured with Node ${process.versions.node} on ${availableParallelism()} cores (${cpus()[0]!.model.trim()}), load average ${load}. The
median of ${starts} starts, and the best of ${rounds} rounds of ${calls} calls. "At once" means that 100 requests are written together.
`;
  console.log(text);
  const exceeded = Object.entries(limits).filter(([figure, limit]) => {
    const values = figures.get(figure)!;
    return values.get('Adjutant')! / values.get(bare)! > limit;
  });
  for (const [figure] of exceeded) console.error(`${figure}: Adjutant exceeds the limit`);
  if (exceeded.length > 0) process.exitCode = 1;
  writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'performance.md'), text);
}

function unitOf(figure: string): string {
  return figure.startsWith('start') ? 'ms' : figure.startsWith('memory') ? 'MB' : 'µs';
}
