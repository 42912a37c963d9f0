// Floods the program with noise, and with calls that are mostly valid: arguments of tools made from their schemas, parameters of
// methods, and envelopes, for every contract and on both transports. Measures the memory left in use. Arguments: calls of each kind
// (messages of noise are half as many, and a twentieth over HTTP), the seed, and a part of the names of the kinds to send.
import { type CallFlood, callFloods, floodCalls } from '../fuzz/calls.ts';
import { floodEngine } from '../fuzz/engine.ts';
import { floodHttp } from '../fuzz/http.ts';
import { floodStdio, floods } from '../fuzz/stdio.ts';

const count = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? 20_260_728);
const part = process.argv[4] ?? '';
/** What a server may use at most after a flood of calls, which store much. */
const maxHeap = 160 * 1024 * 1024;
const maxResident = 450 * 1024 * 1024;
const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
const check = (passed: boolean) => {
  if (!passed) process.exitCode = 1;
  return passed ? '' : '  FAILED';
};

const nameOf = ({ contract, transport, subject }: CallFlood) => `${subject} of ${contract} over ${transport}`;
for (const flood of callFloods.filter((one) => nameOf(one).includes(part))) {
  const { sent, unanswered, internal, bugs, alive, heap, resident } = await floodCalls(count, flood, seed);
  const problems = [...unanswered, ...internal, ...bugs];
  const [before, after] = heap;
  const isSmall = after < maxHeap && resident < maxResident;
  console.log(
    `${nameOf(flood)}: ${sent} calls, ${unanswered.length} unanswered, ${internal.length} internal errors, ${bugs.length} bugs in the log, heap ${megabytes(before)} after a tenth, ${megabytes(after)} at the end, resident ${megabytes(resident)}${alive ? '' : ', the program stopped'}${check(alive && isSmall && problems.length === 0)}`,
  );
  for (const problem of problems.slice(0, 5)) console.log(`  ${problem}`);
}
if (part === '') await floodNoise();

async function floodNoise(): Promise<void> {
  const messages = count / 2;
  for (const flood of floods) {
    const { noise, valid, unanswered, internal, exitCode, before, after } = await floodStdio(
      messages,
      flood,
      seed,
    );
    console.log(
      `stdio, ${flood.framing}, ${flood.version}: ${noise} messages of noise, ${valid} valid requests`,
    );
    console.log(`  unanswered: ${unanswered.length}${check(unanswered.length === 0)}`);
    console.log(`  internal errors: ${internal.length}${check(internal.length === 0)}`);
    console.log(`  exit code: ${exitCode}${check(exitCode === 0)}`);
    for (const [kind, maximum] of [
      ['heap', 1.5],
      ['resident', 2],
    ] as const) {
      const growth = after[kind] / before[kind];
      console.log(
        `  ${kind}: ${megabytes(before[kind])} after a tenth, ${megabytes(after[kind])} at the end (${growth.toFixed(2)} times, at most ${maximum})${check(growth < maximum)}`,
      );
    }
  }
  const heap = await floodEngine(messages, seed);
  const growth = heap.after / heap.before;
  console.log(
    `engine: heap ${megabytes(heap.before)} after one session, ${megabytes(heap.after)} after five (${growth.toFixed(2)} times)${check(growth < 1.2)}, open sessions: ${heap.sessions}${check(heap.sessions === 0)}`,
  );
  const http = await floodHttp(messages / 10, seed);
  console.log(
    `HTTP: ${http.noise} messages of noise, ${http.valid} valid requests, unanswered: ${http.unanswered}${check(http.unanswered === 0)}, statuses: ${JSON.stringify(http.statuses)}${check(!(500 in http.statuses))}`,
  );
}
