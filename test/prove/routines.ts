// Lives through a year with 200 routines in three zones, with both clock changes and sleeps, on an injected clock. Then lets real workers of
// two machines on PostgreSQL fire daily routines for a week, in which an hour lasts a second, while workers, run hosts and the database are
// killed; and a real server fire 1,000 routines that are due at once while a client sends pings. Exits with 1 unless every due time has exactly one row and at most one run, every skipped one
// is explained, all messages are those of an independent model, no more runs work at a time than allowed, and no ping waits for them.
import { killEverything } from '../routines/kills.ts';
import { rush } from '../routines/rush.ts';
import { liveThroughYear } from '../routines/year.ts';

const [count = 200, days = 366, perMachine = 8, atOnce = 1_000, parallel = 4] = process.argv
  .slice(2)
  .map(Number);
const began = performance.now();
const year = await liveThroughYear(count, days);
const { problems, ...counts } = year;
console.log(
  `${days} days, ${count} routines: ${JSON.stringify(counts)} in ${Math.round((performance.now() - began) / 1000)} s`,
);
const kills = await killEverything(perMachine);
console.log(`a week of two machines: ${JSON.stringify(kills.counts)}`);
const rushed = await rush(atOnce, parallel);
console.log(`due at once: ${JSON.stringify(rushed.counts)}`);
const all = [...problems, ...kills.problems, ...rushed.problems];
console.log(`${all.length} problems\n${all.slice(0, 50).join('\n')}`);
process.exitCode = all.length > 0 ? 1 : 0;
