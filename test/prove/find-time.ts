// Compares find_time with brute force in random worlds. `npm run prove -- find-time [WORLDS]`
import { compareWorld } from '../availability/compare.ts';
import { openAssistant } from '../open-assistant.ts';

const worlds = Number(process.argv[2] ?? 2000);
const counts = { equal: 0, different: 0, proposals: 0, without: 0, series: 0 };
await using assistant = openAssistant();
for (let seed = 1; seed <= worlds; seed++) {
  const { world, found, expected } = await compareWorld(assistant, seed);
  const equal = JSON.stringify(found) === JSON.stringify(expected);
  counts[equal ? 'equal' : 'different'] += 1;
  counts.proposals += expected.length;
  if (expected.length === 0) counts.without += 1;
  if (world.weeks > 1) counts.series += 1;
  if (!equal) console.log(`world ${seed} differs:`, JSON.stringify({ world, found, expected }));
}
console.log('| worlds | equal | different | proposals | worlds without a time | worlds with a series |');
console.log('| --- | --- | --- | --- | --- | --- |');
console.log(`| ${worlds} | ${Object.values(counts).join(' | ')} |`);
process.exitCode = counts.different === 0 ? 0 : 1;
