// Measures Adjutant beside a bare script and other MCP servers in one run, prints the ratios and writes docs/contributing/performance.md.
// Fails if a figure is worse than its limit. Arguments: calls per measurement, starts of each server, prompts of the large library.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './parts/figures.ts';
import { type Contender, contenders, writeCommands } from './performance/contenders.ts';
import { measureGrowth } from './performance/growth.ts';
import { HttpServer } from './performance/http.ts';
import { type Method, measureStart, StdioServer } from './performance/stdio.ts';

const calls = Number(process.argv[2] ?? 12_000);
const starts = Number(process.argv[3] ?? 25);
const prompts = Number(process.argv[4] ?? 100_000);
const rounds = 5;
/** The first rounds are not counted: V8 still compiles. */
const warmUp = 2;
/** A server that was just started still loads and checks things. */
const settlingMs = 20_000;
const idleMs = 60_000;

/** The most that Adjutant may cost, as a multiple of the bare script. */
const limits: Readonly<Record<string, number>> = {
  'start, time': 1.4,
  'start to the list of tools': 1.7,
  'memory after the calls': 1.5,
  'tools/call, 100 at once': 3,
  'tools/call, one by one': 2.2,
  'prompts/get, 100 at once': 3,
  'prompts/get, one by one': 2.2,
  'HTTP, tools/call': 2.2,
  'HTTP, tools/call 2026-07-28': 2.2,
};

/** A bare script does nothing while it is idle, so this figure is in milliseconds of CPU time for each second. */
const idle = 'idle';
const idleLimit = 0.3;

/** The other servers do not serve revision 2026-07-28 over HTTP, or only with a session. */
const speaksModern = new Set(['bare script', 'Adjutant', 'SDK v2, minimal']);
/** The values of each figure by server, one for every round. */
const figures = new Map<string, Map<string, number[]>>();
const note = (figure: string, name: string, value: number) => {
  const row = figures.get(figure) ?? new Map<string, number[]>();
  figures.set(figure, row.set(name, [...(row.get(name) ?? []), value]));
};

/** How a library grows: the figure, its value, its unit and the limit. */
const growth: (readonly [figure: string, value: number, unit: string, limit: number])[] = [];

const home = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
const loadBefore = loadavg()[0]!;
try {
  writeCommands(home);
  const ports = await freePorts(3);
  const all = contenders(home, () => ports.pop()!);
  await compareStarts(all);
  await compareIdle(all);
  await compareCalls(all);
  await compareHttp(all);
  compareSizes();
  report(all);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function compareStarts(all: readonly Contender[]): Promise<void> {
  // The first rounds fill the caches of the disk and of V8.
  for (let round = -warmUp; round < starts; round++)
    for (const contender of all) {
      const { time, cpu, listTime } = await measureStart(contender);
      if (round < 0) continue;
      note('start, time', contender.name, time);
      note('start, CPU', contender.name, cpu);
      note('start to the list of tools', contender.name, listTime);
    }
}

/** All servers are idle at the same time. */
async function compareIdle(all: readonly Contender[]): Promise<void> {
  const servers = new Map<string, StdioServer>();
  for (const contender of all) servers.set(contender.name, await StdioServer.start(contender));
  await sleep(settlingMs);
  const before = new Map([...servers].map(([name, server]) => [name, server.cpu]));
  await sleep(idleMs);
  for (const [name, server] of servers) note(idle, name, (server.cpu - before.get(name)!) / idleMs);
  for (const server of servers.values()) await server.stop();
}

async function compareCalls(all: readonly Contender[]): Promise<void> {
  const servers = new Map<string, StdioServer>();
  for (let round = 0; round < 3; round++)
    for (const contender of all) {
      const server = await StdioServer.start(contender);
      note('memory after the start', contender.name, server.memory);
      await server.measure('tools/call', 12_000, 100);
      note('memory after the calls', contender.name, server.memory);
      await servers.get(contender.name)?.stop();
      servers.set(contender.name, server);
    }
  for (const method of ['tools/call', 'prompts/get'] as const)
    for (const together of [100, 1]) await compareOne(servers, method, together);
  for (const server of servers.values()) await server.stop();
}

async function compareOne(servers: Map<string, StdioServer>, method: Method, together: number) {
  const figure = `${method}, ${together === 1 ? 'one by one' : `${together} at once`}`;
  const count = together === 1 ? Math.ceil(calls / 3) : calls;
  for (let round = -warmUp; round < rounds; round++)
    for (const [name, server] of servers) {
      const cost = await server.measure(method, count, together);
      if (round >= 0) note(figure, name, cost);
    }
}

async function compareHttp(all: readonly Contender[]): Promise<void> {
  const servers = new Map<string, HttpServer>();
  for (const contender of all)
    servers.set(contender.name, await HttpServer.start(contender, join(home, 'token')));
  for (let round = -warmUp; round < rounds; round++)
    for (const isModern of [false, true])
      for (const [name, server] of servers) {
        if (isModern && !speaksModern.has(name)) continue;
        const cost = await server.measure(Math.ceil(calls / 3), isModern);
        const figure = isModern ? 'HTTP, tools/call 2026-07-28' : 'HTTP, tools/call';
        if (round >= 0) note(figure, name, cost);
      }
  for (const server of servers.values()) await server.stop();
}

function compareSizes(): void {
  const large = measureGrowth(prompts);
  const small = measureGrowth(prompts / 10);
  growth.push(
    ['first list', large.firstList, '× reading the files', 2.5],
    ['later page', large.laterPage / small.laterPage, `× with ${prompts / 10} prompts`, 2],
    ['memory', large.memory, 'kB for each prompt above its text', 1.2],
    ['memory with the search index', large.indexed, 'kB for each prompt above its text', 6],
  );
}

/** The median over all rounds of what a server costs as a multiple of the bare script in the same round. */
function ratio(figure: string, name: string, bare: string): number | undefined {
  const reference = figures.get(figure)!.get(bare)!;
  const values = figures.get(figure)!.get(name);
  return values && median(values.map((value, round) => value / reference[round]!));
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
    if (figure === idle) {
      const cells = names.map((name) => `${values.get(name)![0]!.toFixed(2)} ms/s`);
      return `| ${figure} | ${cells.join(' | ')} | ${idleLimit} ms/s |`;
    }
    const cells = names.slice(1).map((name) => {
      const value = ratio(figure, name, bare);
      return value === undefined ? '–' : `${value.toFixed(2)} ×`;
    });
    const limit = limits[figure] === undefined ? '' : `${limits[figure]} ×`;
    return `| ${figure} | ${median(values.get(bare)!).toFixed(1)} ${unitOf(figure)} | ${cells.join(' | ')} | ${limit} |`;
  });
  const sizes = growth.map(
    ([figure, value, unit, limit]) => `| ${figure} | ${value.toFixed(2)} ${unit} | ${limit} |`,
  );
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

A library of ${prompts} prompt files, in CPU time:

| figure | Adjutant | limit |
| --- | ---: | ---: |
${sizes.join('\n')}

Measured with Node ${process.versions.node} on ${availableParallelism()} cores (${cpus()[0]!.model.trim()}), load average ${load}. The
median of ${starts} starts, and of ${rounds} rounds of ${calls} calls, a third of them one by one and over HTTP; each round measures every server
in turn. A start ends with the answer to \`initialize\`. Adjutant loads its features after that answer, so the list of tools comes
later than in a server that loads everything first. "At once" means that 100 requests are written together. "Idle" is the CPU time in
each second of a minute without requests, which begins ${settlingMs / 1000} seconds after the start.
`;
  console.log(text);
  const exceeded = [
    ...Object.entries(limits).filter(([figure, limit]) => ratio(figure, 'Adjutant', bare)! > limit),
    ...(figures.get(idle)!.get('Adjutant')![0]! > idleLimit ? [[idle]] : []),
    ...growth.filter(([, value, , limit]) => value > limit),
  ];
  for (const [figure] of exceeded) console.error(`${figure}: Adjutant exceeds the limit`);
  if (exceeded.length > 0) process.exitCode = 1;
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'contributing', 'performance.md'), text);
}

function unitOf(figure: string): string {
  return figure.startsWith('start') ? 'ms' : figure.startsWith('memory') ? 'MB' : 'µs';
}
