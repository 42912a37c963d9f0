// Floods the program with ten thousand messages of noise, and a tenth of that over HTTP, and measures the memory left in use.
import { floodEngine } from '../fuzz/engine.ts';
import { floodHttp } from '../fuzz/http.ts';
import { floodStdio, floods } from '../fuzz/stdio.ts';

const count = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? 20_260_728);
const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
const check = (passed: boolean) => {
  if (!passed) process.exitCode = 1;
  return passed ? '' : '  FAILED';
};

for (const flood of floods) {
  const { noise, valid, unanswered, internal, exitCode, before, after } = await floodStdio(
    count,
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
const heap = await floodEngine(count, seed);
const growth = heap.after / heap.before;
console.log(
  `engine: heap ${megabytes(heap.before)} after one session, ${megabytes(heap.after)} after five (${growth.toFixed(2)} times)${check(growth < 1.2)}, open sessions: ${heap.sessions}${check(heap.sessions === 0)}`,
);
const http = await floodHttp(count / 10, seed);
console.log(
  `HTTP: ${http.noise} messages of noise, ${http.valid} valid requests, unanswered: ${http.unanswered}${check(http.unanswered === 0)}, statuses: ${JSON.stringify(http.statuses)}${check(!(500 in http.statuses))}`,
);
