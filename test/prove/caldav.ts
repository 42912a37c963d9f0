// Lets three writers race on real CalDAV servers, edits the corpus there, and works behind a proxy that breaks one request in six.
// `npm run prove -- caldav [RACES] [OPERATIONS] [SEED]`
import { survive } from '../caldav/faults.ts';
import { editCorpus, proofServers, race } from '../caldav/proof.ts';

const races = Number(process.argv[2] ?? 40);
const operations = Number(process.argv[3] ?? 500);
const seed = Number(process.argv[4] ?? 1);
const survived: string[] = [];
let failed = false;
console.log(
  '| server | races | changes written | refused as conflicts | lost | objects edited | other properties | damaged |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, { isInstalled, start }] of Object.entries(proofServers)) {
  if (!isInstalled) {
    console.log(`| ${name} | skipped: not installed; apt-get install ${name.toLowerCase()} |`);
    continue;
  }
  const server = await start();
  try {
    const edited = await editCorpus(server);
    const raced = await race(server, races);
    const row = [
      raced.races,
      raced.succeeded,
      raced.refused,
      raced.lost.length,
      edited.objects,
      edited.foreign,
    ];
    console.log(`| ${name} | ${row.join(' | ')} | ${edited.damaged.length} |`);
    for (const problem of [...raced.lost, ...edited.damaged]) console.error(`${name}: ${problem}`);
    for (const problem of edited.rejected) console.error(`${name} does not accept ${problem}`);
    failed ||= raced.lost.length > 0 || edited.damaged.length > 0 || edited.objects < 100;
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
