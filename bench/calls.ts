// Measures one call over stdio: our engine and the official one with the same feature, and the built program with prompt
// commands from files. Reports the server's CPU time per call with many calls in progress, and the time of a single call.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { greeting, initialize, Program } from '../test/program.ts';
import { StdioPeer } from '../test/stdio-peer.ts';
import { median, table } from './figures.ts';

const calls = Number(process.argv[2] ?? 15_000);
const rounds = 3;
const window = 64;
const differential = join(import.meta.dirname, '..', 'test', 'differential');

interface Contender {
  readonly name: string;
  readonly peer: StdioPeer;
  readonly requests: Readonly<Record<'tools/call' | 'prompts/get', object>>;
}
const sample = {
  'tools/call': { name: 'add', arguments: { a: 1, b: 2 } },
  'prompts/get': { name: 'greet', arguments: { name: 'Ada' } },
};
const commands = {
  'tools/call': { name: 'expand_prompt', arguments: { command: 'greet', input: 'Ada' } },
  'prompts/get': { name: 'greet', arguments: { input: 'Ada' } },
};
const contenders: readonly Contender[] = [
  { name: 'official engine', peer: new StdioPeer([join(differential, 'sdk-server.ts')]), requests: sample },
  { name: 'our engine', peer: new StdioPeer([join(differential, 'our-server.ts')]), requests: sample },
  { name: 'the program', peer: new Program(['serve'], { commands: greeting }), requests: commands },
];

/** CPU time of a process in seconds. The kernel counts in hundredths. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Microseconds of the server's CPU time per call, with `window` calls in progress. */
async function load({ peer, requests }: Contender, method: keyof typeof sample): Promise<number> {
  const before = cpuSeconds(peer.child.pid!);
  let started = 0;
  const worker = async () => {
    while (started++ < calls) {
      const reply = await peer.request(method, requests[method]);
      if (!('result' in reply)) throw new Error(JSON.stringify(reply));
      peer.messages.length = 0;
    }
  };
  await Promise.all(Array.from({ length: window }, worker));
  return ((cpuSeconds(peer.child.pid!) - before) / calls) * 1e6;
}

/** Median time of a single call, in microseconds. */
async function single({ peer, requests }: Contender, method: keyof typeof sample): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < 500; call++) {
    const startedAt = performance.now();
    await peer.request(method, requests[method]);
    times.push((performance.now() - startedAt) * 1e3);
    peer.messages.length = 0;
  }
  return median(times);
}

for (const { peer } of contenders) {
  await peer.request('initialize', initialize()['params'] as object);
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}
for (const method of ['tools/call', 'prompts/get'] as const) {
  const cpu = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const wait = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) await load(contender, method);
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      cpu.get(contender.name)!.push(await load(contender, method));
      wait.get(contender.name)!.push(await single(contender, method));
    }
  }
  const minimum = (figures: ReadonlyMap<string, readonly number[]>, name: string) =>
    Math.min(...figures.get(name)!);
  const [{ name: first }] = contenders as [Contender];
  console.log();
  table(
    [method, 'CPU µs', 'single µs', 'CPU / official', 'single / official'],
    contenders.map(({ name }) => [
      name,
      minimum(cpu, name),
      minimum(wait, name),
      minimum(cpu, name) / minimum(cpu, first),
      minimum(wait, name) / minimum(wait, first),
    ]),
  );
}
for (const { peer } of contenders) await peer[Symbol.asyncDispose]();
