// Lives through a year with 200 routines in three zones, with both clock changes and sleeps, on an injected clock. Then lets real workers of
// two machines on PostgreSQL fire routines while workers, run hosts and the database are killed. Exits with 1 unless every due time has
// exactly one row and at most one run, every skipped one is explained, and all messages are those of an independent model.
import { killEverything } from '../routines/kills.ts';
import { liveThroughYear } from '../routines/year.ts';

const [count = 200, days = 366, perMachine = 40] = process.argv.slice(2).map(Number);
const began = performance.now();
const year = await liveThroughYear(count, days);
const { problems, ...counts } = year;
console.log(
  `${days} days, ${count} routines: ${JSON.stringify(counts)} in ${Math.round((performance.now() - began) / 1000)} s`,
);
const kills = await killEverything(perMachine);
console.log(`two machines: ${JSON.stringify(kills.counts)}`);
const all = [...problems, ...kills.problems];
console.log(`${all.length} problems\n${all.slice(0, 50).join('\n')}`);
process.exitCode = all.length > 0 ? 1 : 0;
