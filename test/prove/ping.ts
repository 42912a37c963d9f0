// Measures how long a ping waits while the server works on a hostile input. `npm run prove -- ping 1048576 calendar`
import { loadavg } from 'node:os';
import { hostileInputs } from '../hostile/corpus.ts';
import { HostileServer, type Transport } from '../hostile/ping.ts';

const size = Number(process.argv[2] ?? 1024 * 1024);
/** Only inputs whose names contain this text. */
const part = process.argv[3] ?? '';
const transports: readonly Transport[] = ['stdio', 'HTTP'];
const maxPingMs = 100;
/** Rows of the table: the inputs with the slowest pings. */
const listed = 25;

interface Row {
  /** What the slowest ping waited longer than that to an idle server. */
  readonly excess: number;
  readonly blocked: number;
  readonly cells: readonly string[];
}

const loads = [loadavg()[0]!];
const rows: Row[] = [];
for (const transport of transports) {
  await using server = await HostileServer.start(transport);
  await using idle = await HostileServer.start(transport);
  for (const input of hostileInputs(size).filter(({ name }) => name.includes(part))) {
    const { callMs, worstPingMs, idlePingMs, blockedMs, answer } = await server.measure(input, idle);
    const times = [callMs, worstPingMs, idlePingMs, blockedMs].map((time) => `${Math.round(time)} ms`);
    const cells = [input.name, (input.method ?? input.tool).slice(0, 30), transport, ...times];
    rows.push({ excess: worstPingMs - idlePingMs, blocked: blockedMs, cells });
    process.stderr.write(`${cells.join(' | ')}: ${answer}\n`);
  }
}
loads.push(loadavg()[0]!);
rows.sort((one, other) => other.excess - one.excess);
console.log('| input | tool | transport | call | slowest ping | idle server | processor time |');
console.log(`|${' --- |'.repeat(7)}`);
for (const { cells } of rows.slice(0, listed)) console.log(`| ${cells.join(' | ')} |`);
const slow = rows.filter(({ excess }) => excess > maxPingMs).length;
console.log(
  `\n${rows.length} measurements, load of the machine ${loads.map((load) => load.toFixed(1)).join(' to ')}. Pings that waited over ${maxPingMs} ms longer than that to an idle server: ${slow}; the slowest ${Math.round(rows[0]?.excess ?? 0)} ms longer. Most processor time of the main thread during a ping: ${Math.round(Math.max(...rows.map(({ blocked }) => blocked)))} ms.`,
);
if (slow > 0) process.exitCode = 1;
