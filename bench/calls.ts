// What one call costs over stdio: our engine and the official one serving the same feature, and the built program
// serving prompt commands from their files. CPU of the server process per call with many calls under way, and the time
// of one call alone.
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

/** Seconds of CPU a process has used; the kernel counts in hundredths. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Calls with a window of them under way; microseconds of the server's CPU for each. */
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

async function alone({ peer, requests }: Contender, method: keyof typeof sample): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < 500; call++) {
    const began = performance.now();
    await peer.request(method, requests[method]);
    times.push((performance.now() - began) * 1e3);
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
      wait.get(contender.name)!.push(await alone(contender, method));
    }
  }
  const least = (figures: ReadonlyMap<string, readonly number[]>, name: string) =>
    Math.min(...figures.get(name)!);
  const [{ name: first }] = contenders as [Contender];
  console.log();
  table(
    [method, 'CPU µs', 'alone µs', 'CPU / official', 'alone / official'],
    contenders.map(({ name }) => [
      name,
      least(cpu, name),
      least(wait, name),
      least(cpu, name) / least(cpu, first),
      least(wait, name) / least(wait, first),
    ]),
  );
}
for (const { peer } of contenders) await peer[Symbol.asyncDispose]();
