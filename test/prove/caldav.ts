// Lets three writers race on real CalDAV servers, edits the corpus there, and works behind a proxy that breaks one request in six.
// `npm run prove -- caldav [RACES] [OPERATIONS] [SEED] [SERVER]`
import { survive } from '../caldav/faults.ts';
import { countDoubleWrites, editCorpus, proofServers, race } from '../caldav/proof.ts';

const races = Number(process.argv[2] ?? 40);
const operations = Number(process.argv[3] ?? 500);
const seed = Number(process.argv[4] ?? 1);
const only = process.argv[5]?.toLowerCase();
const survived: string[] = [];
let failed = false;
console.log(
  '| server | races | changes written | refused as conflicts | lost | double writes accepted | objects edited | other properties | damaged by us | by the server |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, { isInstalled, packages, start }] of Object.entries(proofServers)) {
  if (only !== undefined && name.toLowerCase() !== only) continue;
  if (!isInstalled) {
    console.log(`| ${name} | skipped: not installed; apt-get install ${packages} |`);
    continue;
  }
  const server = await start();
  try {
    const edited = await editCorpus(server);
    const raced = await race(server, races);
    const doubles = await countDoubleWrites(server, races);
    const row = [
      raced.races,
      raced.succeeded,
      raced.refused,
      raced.lost.length,
      doubles,
      edited.objects,
      edited.foreign,
    ];
    console.log(`| ${name} | ${row.join(' | ')} | ${edited.damaged.length} | ${edited.spoiled.length} |`);
    for (const problem of [...raced.lost, ...edited.damaged]) console.error(`${name}: ${problem}`);
    for (const problem of edited.rejected) console.error(`${name} does not accept ${problem}`);
    for (const object of edited.spoiled) console.error(`${name} changed other properties of ${object}`);
    failed ||=
      (raced.lost.length > 0 && !server.losesWrites) || edited.damaged.length > 0 || edited.objects < 100;
    failed ||= edited.spoiled.length > 0 && !server.spoils;
  } finally {
    await server.close();
  }
  const other = await start();
  try {
    const { lost, doubled, wrong, retries, faults } = await survive(other, operations, seed);
    const broken = Object.values(faults).reduce((sum, count) => sum + count, 0);
    const row = [operations, broken, retries, lost.length, doubled.length, wrong.length];
    survived.push(`| ${name} | ${row.join(' | ')} |`);
    for (const problem of [
      ...lost.map((one) => `lost: ${one}`),
      ...doubled.map((one) => `doubled: ${one}`),
      ...wrong,
    ])
      console.error(`${name}: ${problem}`);
    failed ||= lost.length + doubled.length + wrong.length > 0 || Object.keys(faults).length < 8;
  } finally {
    await other.close();
  }
}
console.log(
  '\n| server | operations | requests broken | repeated by the person | lost | doubled | other errors |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
console.log(survived.join('\n'));
process.exitCode = failed ? 1 : 0;
