// Measures how long a ping waits while the server works on a hostile input. `node test/prove/ping.ts 1048576 calendar`
import { loadavg } from 'node:os';
import { hostileInputs } from '../hostile/corpus.ts';
import { HostileServer, type Transport } from '../hostile/ping.ts';

const size = Number(process.argv[2] ?? 1024 * 1024);
/** Only inputs whose names contain this text. */
const part = process.argv[3] ?? '';
const transports: readonly Transport[] = ['stdio', 'HTTP'];
const maxPingMs = 100;

const loads = [loadavg()[0]!];
const rows = new Map<string, string[]>();
let worst = 0;
let worstBlocked = 0;
for (const transport of transports) {
  await using server = await HostileServer.start(transport);
  await using idle = await HostileServer.start(transport);
  for (const input of hostileInputs(size).filter(({ name }) => name.includes(part))) {
    const { callMs, worstPingMs, idlePingMs, blockedMs, answer } = await server.measure(input, idle);
    worst = Math.max(worst, worstPingMs - idlePingMs);
    worstBlocked = Math.max(worstBlocked, blockedMs);
    const cells = rows.get(input.name) ?? [input.name, (input.method ?? input.tool).slice(0, 30)];
    const measured = [callMs, worstPingMs, idlePingMs, blockedMs].map((time) => `${Math.round(time)} ms`);
    rows.set(input.name, [...cells, ...measured]);
    process.stderr.write(`${transport} ${rows.get(input.name)!.join(' | ')}: ${answer}\n`);
  }
}
loads.push(loadavg()[0]!);
console.log(
  '| input | tool | call, stdio | slowest ping | idle server | processor time | call, HTTP | slowest ping | idle server | processor time |',
);
console.log(`|${' --- |'.repeat(10)}`);
for (const cells of rows.values()) console.log(`| ${cells.join(' | ')} |`);
console.log(
  `\nLoad of the machine: ${loads.map((load) => load.toFixed(1)).join(' to ')}. Slowest ping, beyond that of an idle server: ${Math.round(worst)} ms. Most processor time of the main thread during a ping: ${Math.round(worstBlocked)} ms.`,
);
if (worst > maxPingMs) process.exitCode = 1;
